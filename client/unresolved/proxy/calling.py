"""One guarded call: on disk, then told to the desk, then forwarded, then its answer on disk, and only then passed back.

What the caller gets is the server's own answer, byte for byte, and where there is none, or none may come to be, the
envelope. A call that the server answers with a question goes on under the id that its answer comes with (MCP 2026-07-28).
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any

from unresolved.attempting import Attempt
from unresolved.beginning import Meant
from unresolved.carriers import Contract
from unresolved.envelope import Envelope
from unresolved.kept import JournalUnwritable
from unresolved.proxy.reading import INTERNAL_ERROR, Line
from unresolved.recorder import NotBegun, Recorder
from unresolved.request import Reply
from unresolved.sending import Seen
from unresolved.words import Ended, Sends, Sent

_JSON = (("Content-Type", "application/json"),)


def _passes(_: str) -> None:
    """Nobody wants to know."""


class Gone(Exception):
    """The server ended, or can't be written to: no answer comes any more."""


@dataclass(slots=True, kw_only=True)
class Waiting:
    """A call on its way. `id` is what its next answer comes under; None from the server stands for its end.

    `left`: its first byte was handed on. `kept_back`: its caller took it back, or the end came, before that. `is_answered`:
    its caller has an answer or wants none, so that a later one is only recorded.
    """

    line: Line
    meant: Meant
    id: str
    answers: "SimpleQueue[Line | None]" = field(default_factory=SimpleQueue)
    state: str | None = None
    left: bool = False
    kept_back: bool = False
    is_answered: bool = False


@dataclass(slots=True, kw_only=True)
class Calling:
    """Makes guarded calls. `up` and `down` hand on one line and raise `Gone`; `patience`: seconds a caller waits, if any."""

    recorder: Recorder
    up: Callable[[bytes], None]
    down: Callable[[bytes], None]
    patience: float | None = None
    passing: Callable[[str], None] = _passes
    calls: dict[str, Waiting] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def make(self, call: Waiting) -> None:
        """Make one call, in a thread of its own; whatever happens here, its caller gets an answer."""
        try:
            self._made(call)
        except Exception as error:
            self._ended(call)
            self._fail(call, error)
            raise

    def _made(self, call: Waiting) -> None:
        try:
            with self.recorder.under_way(call.meant, sender=None, tells=False) as under:
                answer = self._sent(call, under.attempt)
        except NotBegun as held:
            self._ended(call)
            self._give(call, held.envelope)
            return
        self._ended(call)
        if answer is not None and not call.is_answered:
            call.is_answered = True  # whatever goes wrong from here on, there is one answer
            self.down(answer.raw)
        envelope = self.recorder.told(under.attempt)
        if answer is None:
            self._give(call, envelope)

    def _fail(self, call: Waiting, error: Exception) -> None:
        """Answer for what is wrong in here: that it may have been sent is not ruled out by it."""
        if not call.is_answered:
            says = f"the proxy failed ({type(error).__name__}); the outcome is unknown, do not call again"
            told = json.dumps({"code": INTERNAL_ERROR, "message": says})
            self.down(f'{{"jsonrpc": "2.0", "id": {call.id}, "error": {told}}}\n'.encode(errors="backslashreplace"))

    def _ended(self, call: Waiting) -> None:
        with self.lock:
            self.calls.pop(call.id, None)

    def _sent(self, call: Waiting, attempt: Attempt) -> Line | None:
        """Forward a call, once, and return the last answer to it; None where no answer comes any more."""
        with self.lock:
            if call.kept_back:
                attempt.seen = Seen(sent=Sent.NO, ended=Ended.NOT_SENT if attempt.begun.sends is Sends.ONE else None)
                return None
            call.left = True
        self.passing("leaving")
        attempt.seen = Seen(sent=Sent.UNKNOWN, ended=Ended.CLOSED)  # of what a write that breaks left, nobody knows
        try:
            self.up(call.line.raw)
        except Gone:
            return None
        self.passing("sent")
        attempt.seen = Seen(sent=Sent.YES, ended=Ended.CLOSED)
        answer = self._last(call)
        if answer is not None:
            attempt.reply = Reply(status=200, headers=_JSON, body=answer.raw.strip())
        return answer

    def _last(self, call: Waiting) -> Line | None:
        while True:
            try:
                answer = call.answers.get(timeout=None if call.is_answered else self.patience)
            except Empty:
                self._give_up(call)
                continue
            if answer is None or answer.member("result", "resultType") != "input_required":
                return answer
            with self.lock:
                call.state = answer.member("result", "requestState") or ""
            if not call.is_answered:
                self.down(answer.raw)

    def _give_up(self, call: Waiting) -> None:
        """Let the caller know that nobody knows; a late answer is recorded all the same."""
        bound = call.meant.bound
        contract = Contract(recipient=bound.recipient, carrier=None)
        try:
            found = self.recorder.collect(contract, identity=bound.identity)
        except JournalUnwritable:
            return
        if found is not None:
            self._give(call, replace(found, reason="no answer came in time"))

    def _give(self, call: Waiting, envelope: Envelope) -> None:
        if call.is_answered:
            return
        call.is_answered = True
        # Always as an error: a tool that has an output schema may answer nothing else without its own structure.
        result: dict[str, Any] = {"content": [{"type": "text", "text": envelope.as_text()}], "isError": True}
        if call.line.member("params", "_meta", "io.modelcontextprotocol/protocolVersion") is not None:
            result["resultType"] = "complete"
        told = json.dumps(result, ensure_ascii=False)
        self.down(f'{{"jsonrpc": "2.0", "id": {call.id}, "result": {told}}}\n'.encode(errors="backslashreplace"))
