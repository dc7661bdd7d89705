"""One attempt while it is under way: the code between its record and its outcome."""

from dataclasses import dataclass, field
from typing import Any

from unresolved.kept import Begun
from unresolved.request import Bound, Reply, Request
from unresolved.sending import Seen, Sender, ended_by
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

    @property
    def request(self) -> Request:
        """The exact request."""
        return self.bound.request

    @property
    def identity(self) -> str:
        """The caller's name for the intent, which is the recipient's idempotency key."""
        return self.bound.identity

    def send(self) -> Seen:
        """Send the request through the tool's sender, once; raises `NoSender`, and RuntimeError the second time."""
        self.seen = self._sender().send(self.request)
        return self.seen

    async def send_async(self) -> Seen:
        """The same for asyncio."""
        self.seen = await self._sender().send_async(self.request)
        return self.seen

    def _sender(self) -> Sender:
        if self.sender is None:
            raise NoSender("this tool was guarded without a sender")
        if self._sending:
            raise RuntimeError("an attempt is sent once; another send is another attempt, and takes a grant")
        self._sending = True
        return self.sender

    def outcome(self, error: BaseException | None = None) -> Seen:
        """Return what came of it by all that is known here; `error` is what the sending code ended with."""
        if self.reply is not None:
            return Seen(sent=Sent.YES, reply=self.reply)
        if self.seen is not None:
            return self.seen
        if self.begun.sends is Sends.ONE and not self._sending and self.sender is not None:
            return Seen(sent=Sent.NO, ended=Ended.NOT_SENT)  # only the sender could have written, and was not asked to
        return Seen(sent=Sent.UNKNOWN, ended=None if error is None else ended_by(error))


def reply_of(response: Any) -> Reply | None:
    """Return the answer in what a library returned (httpx, requests and their kind), None where it is none."""
    if isinstance(response, Reply):
        return response
    if isinstance(response, Seen):
        return response.reply
    try:
        status, headers, body = response.status_code, response.headers.items(), response.content
        return Reply(status=int(status), headers=tuple([(str(n), str(v)) for n, v in headers]), body=bytes(body))
    except (AttributeError, TypeError, ValueError):
        return None
