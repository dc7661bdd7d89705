"""A charge by an MCP tool of mockworld, called by the official SDK over HTTP: the protocol settles nothing, the tool's own key does."""

import http.client
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.third_party.calling import Caller, caller
from tests.third_party.desk import Egress, egress, own_contract, put_up, put_up_from_library
from tests.third_party.installed import needs
from tests.third_party.proxy import Exchange, Loss, Proxy, proxy_before, unrecorded
from tests.third_party.wire import Reply, Request

pytestmark = [needs("mockworld"), pytest.mark.django_db(transaction=True)]

AT = ("POST", "/mcp/")
PATIENCE = 1.0  # seconds that the SDK waits for a result that is not coming
PATIENT = 20.0


def said(reply: Reply) -> bytes:
    """The one message of an event stream, as whoever owns the socket puts it together."""
    return next(line for line in reply.body.splitlines() if line.startswith(b"data: ")).removeprefix(b"data: ")


def is_charge(request: Request) -> bool:
    return b'"create_charge"' in request.body


@dataclass(frozen=True)
class Session:
    """One MCP session of an agent, with a customer in the world that mockworld keeps for it."""

    library: Caller
    proxy: Proxy
    port: int
    id: str
    customer: str

    def charge(self, key: str | None = None, *, patience: float = PATIENT) -> dict[str, Any]:
        arguments = {"customer_id": self.customer, "amount": 500, **({} if key is None else {"idempotency_key": key})}
        try:
            return self.library.call(tool="create_charge", arguments=arguments, patience=patience)
        finally:
            self.sent()  # waits: the SDK may have given up before the recipient was reached

    def charges(self) -> list[str]:
        """The charges of our customer in the tool's own store."""
        body = {"jsonrpc": "2.0", "id": 900, "method": "resources/read", "params": {"uri": "mockworld://state/charges"}}
        found = json.loads(self.post(body)["result"]["contents"][0]["text"])
        return [one["id"] for one in found["items"] if one["customer_id"] == self.customer]

    def post(self, body: Any) -> Any:
        """Say something in this session, past proxy and library."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENT)
        try:
            connection.request("POST", "/mcp/", json.dumps(body), {**headers, "Mcp-Session-Id": self.id})
            lines = connection.getresponse().read().splitlines()
        finally:
            connection.close()
        return json.loads(next(line for line in lines if line.startswith(b"data: ")).removeprefix(b"data: "))

    def egress(self, desk: str, *, recipient: str, identity: str) -> Egress:
        """From here on the proxy records what it is asked to send."""
        scope = f"mockworld/{self.id}"
        found = egress(desk, recipient=recipient, identity=identity, scope=scope, sends="one", about=is_charge)
        self.proxy.before = found
        return found

    def sent(self) -> list[Exchange]:
        """The charges that the SDK asked for."""
        return [one for one in self.proxy.of(*AT) if is_charge(one.request)]


@pytest.fixture
def open_session(mockworld: int, tmp_path: Path) -> Iterator[Callable[[], Session]]:
    with ExitStack() as opened:

        def one() -> Session:
            proxy = opened.enter_context(proxy_before(mockworld))
            log = tmp_path / f"caller-{proxy.port}.log"
            library = opened.enter_context(caller("mockworld", "mcp_library", f"{proxy.url}/mcp/", log=log))
            session_id = library.answer()["result"]
            ada = {"name": "Ada", "balance": 100_000}
            customer = library.must(tool="create_customer", arguments=ada, patience=PATIENT)
            return Session(library, proxy, mockworld, session_id, customer["id"])

        yield one


@pytest.fixture
def session(open_session: Callable[[], Session]) -> Session:
    return open_session()


def test_a_cut_stream_leaves_nothing_to_ask_and_nothing_permits_a_repeat(session, live_server):
    put_up_from_library("tool", contract="mcp-tools")
    agent = session.egress(live_server.url, recipient="tool", identity="pay-1")
    session.proxy.tell(*AT, loss=Loss.HALF_REPLY)
    assert session.charge(patience=PATIENCE)["error"] == "McpError"
    assert len(session.sent()) == 1  # the SDK waits and sends nothing again
    agent.lost()
    known = agent.standing()
    assert (known["evidence"], known["finality"], known["protection"]) == ("unknown", "unestablished", "absent")
    assert "observe" not in known["permitted"]
    assert agent.refusal() == "harm"
    assert len(session.charges()) == 1


def test_even_the_whole_result_settles_nothing_by_the_protocol(session, live_server):
    put_up_from_library("tool", contract="mcp-tools")
    agent = session.egress(live_server.url, recipient="tool", identity="pay-2")
    assert session.charge()["is_error"] is False
    reply = session.sent()[0].reply
    agent.answered(reply, attempt="a1", body=said(reply))
    agent.must("POST", "/seal", {})
    assert agent.standing()["evidence"] == "unknown"
    assert agent.refusal() == "harm"


def test_the_repeat_that_is_refused_would_have_charged_twice(session, live_server):
    put_up_from_library("tool", contract="mcp-tools")
    agent = session.egress(live_server.url, recipient="tool", identity="pay-3")
    session.proxy.tell(*AT, loss=Loss.HALF_REPLY)
    session.charge(patience=PATIENCE)
    agent.lost()
    assert agent.refusal() == "harm"
    session.proxy.before = unrecorded  # it is done all the same
    assert session.charge()["is_error"] is False
    assert len(session.charges()) == 2


def test_a_tool_that_keeps_a_key_is_called_again_by_grant_and_charges_once(session, live_server):
    put_up("mockworld", contract=own_contract("mockworld-charges"))
    agent = session.egress(live_server.url, recipient="mockworld", identity="pay-4")
    session.proxy.tell(*AT, loss=Loss.HALF_REPLY)
    assert session.charge("pay-4", patience=PATIENCE)["error"] == "McpError"
    agent.lost()
    known = agent.standing()
    assert (known["evidence"], known["protection"]) == ("unknown", "active")
    assert "repeat" in known["permitted"]
    agent.repeat_with_a_grant()
    session.proxy.before = unrecorded  # the attempt is on record
    told = session.charge("pay-4")["result"]["id"]
    assert session.charges() == [told]
    reply = session.sent()[1].reply
    agent.answered(reply, attempt="a2", body=said(reply))
    known = agent.standing()
    assert (known["evidence"], known["further_effect"], known["duplicate_effect"]) == ("applied", "excluded", False)


def test_the_key_is_worth_nothing_in_another_session(session, open_session, live_server):
    put_up("mockworld", contract=own_contract("mockworld-charges"))
    agent = session.egress(live_server.url, recipient="mockworld", identity="pay-5")
    session.proxy.tell(*AT, loss=Loss.HALF_REPLY)
    session.charge("pay-5", patience=PATIENCE)
    agent.lost()
    other = open_session()
    again = agent.call(
        "POST",
        f"/operations/{agent.operation}/attempts",
        {"id": "a2", "sends": "one", "scope": f"mockworld/{other.id}"},
    )
    assert again[0] == 409
    assert other.charge("pay-5")["is_error"] is False
    assert (len(session.charges()), len(other.charges())) == (1, 1)


def test_calls_under_one_key_at_once_make_one_charge(session):
    arguments = {"customer_id": session.customer, "amount": 500, "idempotency_key": "pay-6"}

    def call(number: int) -> Any:
        params = {"name": "create_charge", "arguments": arguments}
        return session.post({"jsonrpc": "2.0", "id": 100 + number, "method": "tools/call", "params": params})

    with ThreadPoolExecutor(max_workers=8) as pool:
        found = {said["result"]["structuredContent"]["id"] for said in pool.map(call, range(8))}
    assert session.charges() == list(found)


def test_a_call_that_is_answered_with_an_error_made_no_charge(session):
    arguments = {"customer_id": session.customer, "amount": 10**9, "idempotency_key": "pay-7"}
    assert session.library.call(tool="create_charge", arguments=arguments, patience=PATIENT)["is_error"] is True
    assert session.charges() == []


def test_without_even_the_head_of_an_answer_the_sdk_ends_its_session(session, live_server):
    put_up_from_library("tool", contract="mcp-tools")
    agent = session.egress(live_server.url, recipient="tool", identity="pay-8")
    session.proxy.tell(*AT, loss=Loss.REPLY)
    with pytest.raises(RuntimeError, match="RemoteProtocolError"):
        session.charge(patience=PATIENCE)
    agent.lost()
    assert agent.refusal() == "harm"
    assert len(session.charges()) == 1
