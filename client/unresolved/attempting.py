"""One attempt while it is under way: the code between its record and its outcome."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from unresolved.kept import Begun
from unresolved.request import Bound, Reply, Request
from unresolved.sending import NotWritten, Seen, Sender, ended_by
from unresolved.words import Ended, Sends, Sent


class NoSender(Exception):
    """This tool was guarded without a sender: its own code sends, and says what came back."""


@dataclass(slots=True, kw_only=True)
class Attempt:
    """What the code that sends is given. `request` carries the identity already; send exactly that.

    Set `reply` to what came back, or use `send`, which does so itself.
    """

    tool: str
    bound: Bound
    begun: Begun
    sender: Sender | None = field(repr=False)
    reply: Reply | None = None
    seen: Seen | None = None
    _sending: bool = False
    _came_to: Seen | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def request(self) -> Request:
        """The exact request."""
        return self.bound.request

    @property
    def identity(self) -> str:
        """The caller's name for the intent, which is the recipient's idempotency key."""
        return self.bound.identity

    def send(self) -> Seen:
        """Send the request through the tool's sender, once.

        Raises `NoSender`, and RuntimeError the second time and once the attempt is over; `NotWritten` where nothing left.
        """
        with self._kept_back():
            self.seen = self._sender().send(self.request)
        return self.seen

    async def send_async(self) -> Seen:
        """The same for asyncio."""
        with self._kept_back():
            self.seen = await self._sender().send_async(self.request)
        return self.seen

    @contextmanager
    def _kept_back(self) -> Iterator[None]:
        try:
            yield
        except NotWritten:
            self.seen = Seen(sent=Sent.NO, ended=Ended.NOT_SENT if self.begun.sends is Sends.ONE else None)
            raise

    def _sender(self) -> Sender:
        if self.sender is None:
            raise NoSender("this tool was guarded without a sender")
        with self._lock:
            if self._came_to is not None:
                raise RuntimeError("the attempt is over, and what came of it is on record; nothing was sent")
            if self._sending:
                raise RuntimeError("an attempt is sent once; another send is another attempt, and takes a grant")
            self._sending = True
        return self.sender

    def outcome(self, error: BaseException | None = None) -> Seen:
        """Return what came of it by all that is known here; `error` is what the sending code ended with.

        It is over then: nothing is sent any more, and asked again it is the same, so that what is on record stays true.
        """
        with self._lock:
            if self._came_to is None:
                self._came_to = self._known(error)
            return self._came_to

    def _known(self, error: BaseException | None) -> Seen:
        if self.reply is not None:
            return Seen(sent=Sent.YES, reply=reply_of(self.reply))
        if self.seen is not None:
            return self.seen
        if self.begun.sends is Sends.ONE and not self._sending and self.sender is not None:
            return Seen(sent=Sent.NO, ended=Ended.NOT_SENT)  # only the sender could have written, and was not asked to
        return Seen(sent=Sent.UNKNOWN, ended=None if error is None else ended_by(error))


def reply_of(response: Any) -> Reply | None:
    """Return the answer in what a library returned (httpx, requests and their kind), None where it is none."""
    if isinstance(response, Seen):
        return response.reply
    try:
        if isinstance(response, Reply):
            status, headers, body, cut = response.status, response.headers, response.body, response.truncated
        else:
            status, headers, body, cut = response.status_code, response.headers.items(), response.content, False
        lines = tuple([(str(name), str(value)) for name, value in headers])
        return Reply(status=int(status), headers=lines, body=bytes(body), truncated=bool(cut))
    except Exception:  # noqa: BLE001  # it is anybody's object, and was handed over after the send
        return None
