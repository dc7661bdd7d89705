"""A model service on loopback and an agent's client of it, which lose a reply on demand; each keeps a record of its own.

Three who see different things: the program that builds a request (`Agent.log`), the layer below it that repeats what went
without a reply (`Repeating.numbers`), and the service (`Service.received`). None of them reads another's record.

The layer that repeats does what the openai client is documented to do by default: two repeats after a lost connection,
the number of the repeat in a header, no idempotency key. It is written in httpx, for that client is no part of the product.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx

CALL = "call_Tk31"
REPEAT = "x-stainless-retry-count"
REPEATS = 2  # by default, as that client's documentation has it


class Loses(Enum):
    """What does not get through."""

    NOTHING = "nothing"
    REPLY = "reply"
    REQUEST = "request"


@dataclass(slots=True)
class Service:
    """A model service: what it received, each with the number of the repeat, and what it loses of those that follow."""

    url: str
    received: list[tuple[str, Any]] = field(default_factory=list)
    loses: list[Loses] = field(default_factory=list)

    def times(self, call: str) -> int:
        """How many requests with an output of this call came in."""
        return sum([any(_is_output(item, call) for item in body["input"]) for _, body in self.received])

    def conversation(self) -> bytes:
        """The list of items that the service keeps: an item stands there once, however often it came."""
        kept = [item for _, body in self.received for item in body["input"] if isinstance(item, dict)]
        kept = [item for at, item in enumerate(kept) if item not in kept[:at]]
        return json.dumps({"object": "list", "data": [ASKED, *kept], "has_more": False}).encode()


ASKED = {
    "type": "function_call",
    "call_id": CALL,
    "name": "issue_ticket",
    "arguments": '{"parcel": "Cedar", "place": "East"}',
}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "The ticket is there."}]}


def _is_output(item: Any, call: str) -> bool:
    return isinstance(item, dict) and item.get("type") == "function_call_output" and item.get("call_id") == call


class _Replies(BaseHTTPRequestHandler):
    service: Service

    def handle(self) -> None:
        loses = self.service.loses.pop(0) if self.service.loses else Loses.NOTHING
        if loses is not Loses.REQUEST:  # of one that is lost on its way nothing is read
            self.reply_is_lost = loses is Loses.REPLY
            self.handle_one_request()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.service.received.append((self.headers[REPEAT], body))
        if self.reply_is_lost:
            return
        held = any(_is_output(item, CALL) for item in body["input"])
        number = len(self.service.received)
        reply = json.dumps({"id": f"resp_{number}", "output": [SAID if held else ASKED]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: Any) -> None:
        """Write nothing: what came is in `received`."""


@contextmanager
def model_service() -> Iterator[Service]:
    """A model service; what it is told to lose it loses of the connections that follow, in their order."""
    replies: type[_Replies] = type("Replies", (_Replies,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), replies)
    replies.service = service = Service(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(slots=True)
class Repeating(httpx.BaseTransport):
    """Repeats a request whose reply did not come, and keeps the number of each copy that it let out."""

    below: httpx.BaseTransport
    repeats: int = REPEATS
    numbers: list[int] = field(default_factory=list)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for number in range(self.repeats + 1):
            request.headers[REPEAT] = str(number)
            self.numbers.append(number)
            try:
                return self.below.handle_request(request)
            except httpx.TransportError:
                if number == self.repeats:
                    raise
        raise AssertionError(self.repeats)

    def close(self) -> None:
        self.below.close()


@dataclass(slots=True)
class Agent:
    """A program that asks a model for a tool call and sends the tool's output; `log` is what it built, and what came back."""

    service: Service
    repeats: int = REPEATS
    log: list[dict[str, Any]] = field(default_factory=list)
    layer: Repeating = field(init=False)

    def __post_init__(self) -> None:
        # A connection of its own for each copy: a lost one is never used again.
        limits = httpx.Limits(max_keepalive_connections=0)
        self.layer = Repeating(httpx.HTTPTransport(limits=limits, trust_env=False), self.repeats)

    def asks(self, items: list[dict[str, Any]]) -> bool:
        """Send one request with these items, and say whether a reply came."""
        body = {"model": "scripted", "conversation": "conv_1", "input": items}
        row: dict[str, Any] = {"request": body, "response": None}
        self.log.append(row)
        with httpx.Client(transport=self.layer, trust_env=False, timeout=20) as client:
            try:
                row["response"] = client.post(f"{self.service.url}/responses", json=body).raise_for_status().json()
            except httpx.TransportError:
                return False
        return True

    def sends_output(self, output: str) -> bool:
        """Send the output of the call that the model asked for, and say whether a reply came."""
        return self.asks([{"type": "function_call_output", "call_id": CALL, "output": output}])

    def written(self) -> bytes:
        """Its log as a file."""
        return json.dumps(self.log).encode()
