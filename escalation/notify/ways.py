"""The ways of telling somebody: each sends one message once and says how it ended.

What a webhook's answer says (RFC 9110): 2xx, it is the receiver's; 408, 425, 429 and 503, it was not taken for now; other
4xx, and 3xx, which is not followed, it is refused; anything else says nothing of what became of it.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import ModuleType
from typing import Final, TypeAlias

from escalation.models.notice import End
from escalation.models.notice_address import Way
from escalation.notify import mail, msteams, slack, webhook
from escalation.notify.message import Message
from escalation.notify.outcome import Outcome, asked_to_wait
from operations import posting

Clock: TypeAlias = Callable[[], datetime]
_NOT_NOW: Final = frozenset([408, 425, 429, 503])


# The ways whose receiver knows a message by its id, so that sending it again is harmless.
KNOWS_IDS: Final = frozenset([Way.WEBHOOK])
_BODY: Final[Mapping[Way, ModuleType]] = {Way.SLACK: slack, Way.MSTEAMS: msteams, Way.WEBHOOK: webhook}


def send(message: Message, *, way: Way, to: str, clock: Clock, environ: Mapping[str, str] = os.environ) -> Outcome:
    """Send once; nothing that a receiver or a setting does raises. `to` is an address, or the name of a webhook."""
    if way is Way.MAIL:
        return mail.send(message, to=to)
    try:
        place = posting.destination(to, signed=way is Way.WEBHOOK, environ=environ)
        body: bytes = _BODY[way].body(message)
        headers = _proof(message, body, to=place, at=clock()) if way is Way.WEBHOOK else ()
    except posting.NoDestination as error:
        return Outcome(end=End.NOT_SENT, detail=str(error))
    posted = posting.post(place, headers=headers, body=body, environ=environ, clock=clock)
    return read(posted, receiver=way.sentence, now=clock())


def _proof(message: Message, body: bytes, *, to: posting.Destination, at: datetime) -> Sequence[tuple[str, str]]:
    return posting.signature(webhook.message_id(message.id), to=to, text=body.decode(), at=at)


def read(posted: posting.Posted, *, receiver: str, now: datetime) -> Outcome:
    """Return what an answer, or its absence, says of a message."""
    if posted.wire is posting.Wire.NOT_SENT:
        return Outcome(end=End.NOT_SENT, detail=posted.detail)
    if posted.status is None:
        return Outcome(end=End.MAY_HAVE_ARRIVED, detail=posted.detail)
    says = f"{receiver} answered {posted.status}" + (f": {posted.said}." if posted.said else ".")
    if 200 <= posted.status < 300:
        return Outcome(end=End.TAKEN, detail=says)
    if posted.status in _NOT_NOW:
        return Outcome(end=End.NOT_SENT, detail=says, wait=asked_to_wait(posted.retry_after, now=now))
    if 300 <= posted.status < 400:
        return Outcome(end=End.REFUSED, detail=f"{says} It leads elsewhere, which is not followed.")
    if 400 <= posted.status < 500:
        return Outcome(end=End.REFUSED, detail=says)
    return Outcome(end=End.MAY_HAVE_ARRIVED, detail=says)
