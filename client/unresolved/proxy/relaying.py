"""Lines go from client to server and back as they came; only a guarded call waits, and nothing waits for it.

Each direction has a reader of its own, and each guarded call a thread, so that progress, questions back and
cancellations pass while a call is on its way.
"""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from unresolved.proxy.calling import Calling, Gone, Waiting
from unresolved.proxy.naming import Naming
from unresolved.proxy.reading import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Line,
    Refused,
    answered,
    read,
    requested,
    require_one,
    tool_called,
)
from unresolved.proxy.wire_log import Way, WireLog
from unresolved.recorder import Recorder

LONGEST: Final = 64 * 1024 * 1024  # bytes of a line
_GRACE: Final = 1.5  # seconds a server has to end after its input did, before it is told to
_SECRETS: Final = ("UNRESOLVED_KEY", "UNRESOLVED_KEY_FILE")


def lines(source: int) -> Iterator[bytes]:
    """Yield the lines of a file as they come, each with its end; raises `Refused` for one without end."""
    held, size = list[bytes](), 0
    while data := _some(source):
        *whole, rest = data.split(b"\n")
        for one in whole:
            yield b"".join([*held, one, b"\n"])
            held, size = [], 0
        held.append(rest)
        size += len(rest)
        if size > LONGEST:
            raise Refused(INVALID_REQUEST, "a line is too long")
    if size:
        yield b"".join(held)


def _some(source: int) -> bytes:
    try:
        return os.read(source, 1024 * 1024)
    except OSError:
        return b""


@dataclass(slots=True)
class Pipe:
    """One end that lines are written to, a whole line at a time."""

    file: int
    is_closed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, data: bytes) -> None:
        """Write it all; raises `Gone`."""
        with self.lock:
            if self.is_closed:  # another file may have its number by now
                raise Gone("closed")
            try:
                while data:
                    data = data[os.write(self.file, data) :]
            except OSError as error:
                raise Gone(str(error)) from error


def started(command: Sequence[str], env: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start a server that shares our errors and our environment, but for the key of the desk."""
    kept = {name: value for name, value in env.items() if name not in _SECRETS}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kept, bufsize=0)


class Relay:
    """Stands between a client (two files) and a server's process until one of them ends."""

    def __init__(
        self,
        server: "subprocess.Popen[bytes]",
        naming: Naming,
        recorder: Recorder,
        *,
        log: WireLog,
        client: tuple[int, int] = (0, 1),
        patience: float | None = None,
    ) -> None:
        if server.stdin is None or server.stdout is None:
            raise ValueError("the server must be started with pipes")
        self._server, self._naming, self._log = server, naming, log
        self._source, self._sink = client[0], Pipe(client[1])
        self._up, self._from_server = Pipe(server.stdin.fileno()), server.stdout.fileno()
        self._guarded = frozenset(naming.rules)
        self._threads: list[threading.Thread] = []
        self._calling = Calling(
            recorder=recorder, up=self._up.write, down=self._down, patience=patience, passing=recorder.passing
        )
        self._passing: set[str] = set()  # ids of what was passed on and has no answer yet
        self._is_over = False

    def run(self) -> int:
        """Relay until the server's output ends, and return the server's exit status."""
        threading.Thread(target=self._from_client, daemon=True).start()
        try:
            for raw in lines(self._from_server):
                self._said(raw)
        except Refused:  # what has no end can't be passed on, and whoever says it is no server
            self._end_server()
        self._over()
        with self._calling.lock:
            for call in self._calling.calls.values():
                call.answers.put(None)
        for thread in self._threads:
            thread.join()
        status = self._server.wait()
        return status if status >= 0 else 128 - status  # as a shell tells of a signal

    # From the client.

    def _from_client(self) -> None:
        try:
            for raw in lines(self._source):
                self._asked(raw)
        except (Gone, Refused):
            pass
        finally:
            self._over()
            self._end_server()

    def _asked(self, raw: bytes) -> None:
        try:
            line = read(raw)
        except Refused as refused:
            if raw.strip():
                self._refuse("null", refused)
            return
        self._log.note(Way.TO_SERVER, raw)
        try:
            require_one(line)
            tool = tool_called(line, guarded=self._guarded)
            self._require_free(line)
            if tool is not None:
                self._begin(line, tool)
            elif not self._is_kept_back(line):
                self._passing |= requested(line)
                self._up.write(raw)
        except Refused as refused:
            self._refuse(line.id, refused)

    def _require_free(self, line: Line) -> None:
        """Raise `Refused` where an answer under this id could be taken for the answer to another call."""
        asked = requested(line)
        with self._calling.lock:
            guarded = asked & self._calling.calls.keys()
        if guarded or (asked & self._passing):
            raise Refused(INVALID_REQUEST, "a request with this id is under way")

    def _refuse(self, id_: str | None, refused: Refused) -> None:
        """Answer with an error where an answer is awaited."""
        if id_ is not None:
            error = json.dumps({"code": refused.code, "message": refused.says}, ensure_ascii=True)
            self._down(f'{{"jsonrpc": "2.0", "id": {id_}, "error": {error}}}\n'.encode(errors="backslashreplace"))

    def _begin(self, line: Line, tool: str) -> None:
        call = self._waiting(line, tool)
        calling = self._calling
        with calling.lock:
            if self._is_over:
                raise Refused(INTERNAL_ERROR, "the server has ended")
            going_on = next((one for one in calling.calls.values() if _goes_on(one, call)), None)
            if going_on is not None:
                del calling.calls[going_on.id]
                going_on.id, going_on.state = call.id, None
            calling.calls[call.id] = going_on or call
        if going_on is not None:
            self._up.write(line.raw)
            return
        thread = threading.Thread(target=calling.make, args=[call], daemon=True)
        self._threads = [*[one for one in self._threads if one.is_alive()], thread]
        thread.start()

    def _waiting(self, line: Line, tool: str) -> Waiting:
        if line.id is None:
            raise Refused(INVALID_REQUEST, "a guarded call without an id can't be answered")
        return Waiting(line=line, meant=self._naming.meant(line, tool=tool), id=line.id)

    def _is_kept_back(self, line: Line) -> bool:
        """Say whether a line cancels a guarded call that the server has not got yet: then it gets neither."""
        if line.member("method") != "notifications/cancelled":
            return False
        named = Line(raw=b"", value={"id": line.member("params", "requestId")}, loose=None).id
        with self._calling.lock:
            call = self._calling.calls.get(named or "")
            if call is None or call.left:
                return False
            call.kept_back = call.is_answered = True
            return True

    # From the server.

    def _said(self, raw: bytes) -> None:
        try:
            line = read(raw)
        except Refused:  # no message: a server's stray word
            self._handed(raw)
            return
        call = self._answered(line)
        self._passing -= answered(line)
        if call is None:
            self._down(raw)
        else:
            call.answers.put(line)

    def _answered(self, line: Line) -> Waiting | None:
        """Return the guarded call that a line is an answer to."""
        if line.id is None or line.member("method") is not None:
            return None
        with self._calling.lock:
            call = self._calling.calls.get(line.id)
        return call if call is not None and call.left else None

    def _down(self, raw: bytes) -> None:
        self._log.note(Way.TO_CLIENT, raw)
        self._handed(raw)

    def _handed(self, raw: bytes) -> None:
        """Hand a line to the client; that it is gone is found by whoever reads from it."""
        try:
            self._sink.write(raw)
        except Gone:
            return

    # The end.

    def _over(self) -> None:
        """Let no further call begin, and let those on their way know that no answer comes."""
        with self._calling.lock:
            self._is_over = True
            for call in self._calling.calls.values():
                call.kept_back = call.kept_back or not call.left

    def _end_server(self) -> None:
        """Close the server's input, wait, and end it where it does not end by itself."""
        with self._up.lock:
            self._up.is_closed = True
            if self._server.stdin is not None:
                self._server.stdin.close()
        for ends in (self._server.terminate, self._server.kill):
            try:
                self._server.wait(_GRACE)
            except subprocess.TimeoutExpired:
                ends()
            else:
                return

    def stop(self, *_: object) -> None:
        """End the server, as a signal handler: what it was on is then over."""
        self._server.send_signal(signal.SIGTERM)


def _goes_on(waiting: Waiting, call: Waiting) -> bool:
    """Say whether a call goes on with one that was answered with a question (MCP 2026-07-28, `input_required`)."""
    if waiting.state is None or waiting.meant.bound.digest != call.meant.bound.digest:
        return False
    state = call.line.member("params", "requestState")
    if state is None:
        return waiting.state == "" and call.line.member("params", "inputResponses") is not None
    return bool(state == waiting.state)
