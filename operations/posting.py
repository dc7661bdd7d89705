"""One message goes to one webhook once, through the guard; nothing is followed, kept or tried again by the client.

The address is a secret (who has it may post), so it comes from the environment by reference, as credentials do. For the
name `OPS_ROOM` there are

    UNRESOLVED_NOTICE_OPS_ROOM                  the address, or ..._FILE, the file that holds it
    UNRESOLVED_NOTICE_OPS_ROOM_SECRET           what messages are signed with, where they are; likewise with _FILE
    UNRESOLVED_NOTICE_OPS_ROOM_SECRET_PREVIOUS  signs as well while the secret changes; likewise

Neither is ever in a row, a log line or a sentence. A program that is told of events (docs/integrate/outbound-webhooks.md)
is at an address that administrators see and set; what its messages are signed with is a setting all the same: for the key
`BILLING` it is UNRESOLVED_SUBSCRIPTION_KEY_BILLING, or ..._FILE.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from operations.channels.base import Clock, Network, Reach
from operations.channels.credentials import Environ, NetworksUnreadable, NoCredential, network_of, secret_text
from operations.channels.guard import Refused, below, place
from operations.channels.reading import Ended
from operations.channels.sending import Limits, Sent, send
from operations.channels.webhook import Secret, SecretUnusable, check_secret, sign_standard
from operations.channels.wire import Request, written

PREFIX: Final = "UNRESOLVED_NOTICE_"
NETWORKS: Final = "UNRESOLVED_NETWORKS_OF_NOTICES"
KEY_PREFIX: Final = "UNRESOLVED_SUBSCRIPTION_KEY_"
NETWORKS_OF_PROGRAMS: Final = "UNRESOLVED_NETWORKS_OF_SUBSCRIPTIONS"
TAKEN: Final = ("_FILE", "_SECRET", "_PREVIOUS")
LIMITS: Final = Limits(connect_within=5.0, write_within=5.0, answer_within=10.0, most_bytes=4_096)

_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_URL: Final = re.compile(r"(?P<origin>[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)(?P<target>.*)", re.DOTALL)
# What webhooks say of a refusal is a word or a short line; anything else is not quoted, lest it hold the address.
_SAID: Final = re.compile(r"[A-Za-z][A-Za-z _'.,-]{0,79}")


class NoDestination(LookupError):
    """The webhook can't be used as it is set up: the message is a sentence that names the setting, never the value."""


class Wire(StrEnum):
    """How far a message came. `not_sent`: no byte was written. `unanswered`: some may have been, and no answer came."""

    ANSWERED = "answered"
    NOT_SENT = "not_sent"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a message goes, and what it is signed with (empty: nothing); neither is shown, stored or logged.

    `called` is what a sentence calls it, `networks` the setting that lists the private networks for it.
    """

    called: str
    url: str = field(repr=False)
    secrets: tuple[Secret, ...] = field(default=(), repr=False)
    networks: str = NETWORKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What came of one message. `said` is the receiver's own short line, or empty; `retry_after` is as it wrote it.

    `body` is what it answered, as it came and no longer than the limits let it be.
    """

    wire: Wire
    detail: str = ""
    status: int | None = None
    said: str = ""
    retry_after: str = ""
    body: bytes = field(default=b"", repr=False)


def is_name(name: str) -> bool:
    """Return whether a webhook can be called that."""
    return bool(_NAME.fullmatch(name)) and not name.endswith(TAKEN)


def destination(name: str, *, signed: bool, environ: Environ) -> Destination:
    """Return the webhook of that name; where messages to it are `signed`, with its secrets. Raises NoDestination."""
    if not is_name(name):
        raise NoDestination(
            f"A webhook's name has capital letters, digits and _, and doesn't end in {', '.join(TAKEN)}."
        )
    try:
        url = secret_text(name, environ=environ, prefix=PREFIX)
        secrets = tuple(_secrets(name, environ)) if signed else ()
    except NoCredential as error:
        raise NoDestination(str(error)) from None
    return Destination(called=PREFIX + name, url=url, secrets=secrets)


def program(address: str, *, keys: Sequence[str], environ: Environ) -> Destination:
    """Return where a program is told and what it is signed with: each of these keys, by name. Raises NoDestination."""
    secrets = tuple([_key(name, environ) for name in keys])
    return Destination(called="The address", url=address, secrets=secrets, networks=NETWORKS_OF_PROGRAMS)


def _key(name: str, environ: Environ) -> Secret:
    if not is_name(name):
        raise NoDestination(f"A key's name has capital letters, digits and _, and doesn't end in {', '.join(TAKEN)}.")
    try:
        found = Secret(name=KEY_PREFIX + name, value=secret_text(name, environ=environ, prefix=KEY_PREFIX))
        check_secret(found, scheme="standard_webhooks")
    except (NoCredential, SecretUnusable) as error:
        raise NoDestination(str(error)) from None
    return found


def check_address(address: str) -> None:
    """Raise NoDestination with a sentence where nothing could be posted to this address, whatever the networks."""
    parts = _URL.fullmatch(address)
    if parts is None:
        raise NoDestination("The address isn't one that begins with https://.")
    try:
        below(place(parts["origin"]), target=parts["target"])
    except Refused as refused:
        raise NoDestination(str(refused)) from None


def _secrets(name: str, environ: Environ) -> list[Secret]:
    names = [f"{name}_SECRET"]
    previous = f"{name}_SECRET_PREVIOUS"
    if any(environ.get(f"{PREFIX}{previous}{end}") for end in ("", "_FILE")):
        names.append(previous)
    return [Secret(name=PREFIX + one, value=secret_text(one, environ=environ, prefix=PREFIX)) for one in names]


def networks(environ: Environ, *, setting: str = NETWORKS) -> tuple[Network, ...]:
    """The private networks that webhooks may be reached in; without the setting, none. Raises NoDestination."""
    try:
        return tuple([network_of(text, setting=setting, entry=text) for text in environ.get(setting, "").split()])
    except NetworksUnreadable as error:
        raise NoDestination(str(error)) from None


def signature(message: str, *, to: Destination, text: str, at: datetime) -> tuple[tuple[str, str], ...]:
    """The header lines that prove a message of ours (Standard Webhooks). Raises NoDestination."""
    try:
        return sign_standard(message, at=at, text=text, secrets=to.secrets)
    except SecretUnusable as error:
        raise NoDestination(str(error)) from None


def post(
    to: Destination,
    *,
    headers: Sequence[tuple[str, str]] = (),
    body: bytes,
    environ: Environ,
    clock: Clock,
    limits: Limits = LIMITS,
) -> Posted:
    """Post JSON once and return how far it came; nothing that a receiver, a name server or a setting does raises."""
    try:
        reach, request = _prepared(to, headers=headers, body=body, environ=environ)
        ready = written(request, reach=reach)
    except (Refused, NoDestination) as refused:
        return Posted(wire=Wire.NOT_SENT, detail=str(refused))
    return _told(send(ready, reach=reach, clock=clock, too_late=lambda: None, limits=limits))


def _prepared(
    to: Destination, *, headers: Sequence[tuple[str, str]], body: bytes, environ: Environ
) -> tuple[Reach, Request]:
    parts = _URL.fullmatch(to.url)
    if parts is None:
        raise NoDestination(f"{to.called} isn't an address that begins with https://.")
    lines = (("Content-Type", "application/json"), *headers)
    request = Request(method="POST", target=parts["target"], headers=lines, body=body)
    return Reach(address=parts["origin"], networks=networks(environ, setting=to.networks)), request


def _told(sent: Sent) -> Posted:
    if sent.ended is Ended.ANSWERED:
        found = dict(sent.headers)
        said = (sent.body or b"").decode("ascii", "replace").strip()
        return Posted(
            wire=Wire.ANSWERED,
            status=sent.status,
            said=said if _SAID.fullmatch(said) else "",
            retry_after=found.get("retry-after", "")[:40],
            body=sent.body or b"",
        )
    unsent = sent.ended is Ended.NOT_SENT
    return Posted(wire=Wire.NOT_SENT if unsent else Wire.UNANSWERED, detail=sent.detail)
