"""A message is the recipient's only if it is signed with a secret that the recipient alone has; whatever else comes is refused.

Three ways of signing: Standard Webhooks (its specification, "Verifying webhook authenticity"; the library that
implements it makes the signature), Stripe's own ("Verify webhook signatures manually"), and HMAC-SHA256 of the body alone.
Headers are read more strictly than the vendors' libraries read them: what they let pass by leniency is refused here
(tests/channels/test_webhook_oracle.py says what). Signatures are compared in constant time, with every secret.
"""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from standardwebhooks import Webhook

Scheme: TypeAlias = Literal["standard_webhooks", "stripe", "hmac_sha256"]
LONGEST_HEADER: Final = 4096
MOST_SIGNATURES: Final = 16
# Standard Webhooks, "Signature scheme": a secret has 24 to 64 bytes.
SECRET_BYTES: Final = (24, 64)

_TIMESTAMP: Final = re.compile(r"[0-9]{1,12}")
_PART: Final = re.compile(r"([A-Za-z0-9_]{1,32})=([^,=\s]*)")
_VERSIONED: Final = re.compile(r"(v[0-9]+[a-z]?),([A-Za-z0-9+/=_-]+)")
_HEX: Final = re.compile(r"[0-9A-Fa-f]{64}")
_ID: Final = re.compile(r"[\x21-\x7e]{1,255}")


class NotProven(ValueError):
    """The message isn't proven to be the recipient's; the text is a sentence and quotes nothing of it."""


class SecretUnusable(ValueError):
    """The secret can't be one of this scheme; the text is a sentence and quotes nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One secret and the setting that holds it; the value is never shown, stored or logged."""

    name: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """A message as it came: header lines by name in lower case, the raw body, and when (seconds)."""

    headers: Mapping[str, str]
    body: bytes
    received_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a contract has messages signed: the scheme, the header that carries the signature, the window in seconds."""

    scheme: Scheme
    header: str
    tolerance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """A message that is the recipient's: `by` names the secret that proved it, `signed` are the header lines that are proven too."""

    by: str
    signed: tuple[tuple[str, str], ...] = ()


def verify(came: Came, *, way: Way, secrets: Sequence[Secret]) -> Proven:
    """Return what proves a message; raises NotProven with the reason, and SecretUnusable."""
    header = came.headers.get(way.header, "")
    if not header:
        raise NotProven(f"The header {way.header} is missing: the message isn't signed.")
    if len(header) > LONGEST_HEADER:
        raise NotProven(f"The header {way.header} is longer than {LONGEST_HEADER} characters.")
    return _SCHEMES[way.scheme](came, way, secrets)


def check_secret(secret: Secret, *, scheme: Scheme) -> None:
    """Raise SecretUnusable unless a secret can be one of this scheme."""
    if scheme == "standard_webhooks":
        _standard(secret)


def _standard(secret: Secret) -> Webhook:
    written = secret.value.removeprefix("whsec_")
    try:
        key = base64.b64decode(written + "=" * (-len(written) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise SecretUnusable(f"The secret in {secret.name} isn't whsec_ and base64.") from None
    least, most = SECRET_BYTES
    if not least <= len(key) <= most:
        raise SecretUnusable(f"The secret in {secret.name} isn't {least} to {most} bytes long.")
    return Webhook(key)


def sign_standard(message: str, *, at: datetime, text: str, secrets: Sequence[Secret]) -> tuple[tuple[str, str], ...]:
    """The header lines that prove a message of ours, signed with each secret so that a receiver may change theirs.

    `message` is its id, the same whenever it is sent again (Standard Webhooks, "Webhook headers"). Raises SecretUnusable.
    """
    sent_at = at.astimezone(UTC)
    signatures = [_standard(secret).sign(message, sent_at, text) for secret in secrets]
    return (
        ("webhook-id", message),
        ("webhook-timestamp", str(int(sent_at.timestamp()))),
        ("webhook-signature", " ".join(signatures)),
    )


def _standard_webhooks(came: Came, way: Way, secrets: Sequence[Secret]) -> Proven:
    names = _names(way.header)
    event, written = (came.headers.get(name, "") for name in names)
    if not _ID.fullmatch(event):
        raise NotProven(f"The header {names[0]} is missing, too long or holds a character that it may not.")
    sent_at = _sent_at(written, way=way, received_at=came.received_at, where=f"The header {names[1]}")
    offered = list(_signatures(came.headers[way.header], name=way.header))
    text = _text(came.body)

    def expected(secret: Secret) -> bytes:
        signed = _standard(secret).sign(event, datetime.fromtimestamp(sent_at, tz=UTC), text)
        return base64.b64decode(signed.partition(",")[2])

    proven = _matching(secrets, offered, expected)
    return Proven(by=proven.name, signed=((names[0], event), (names[1], written)))


def _names(header: str) -> tuple[str, str]:
    """Return the headers of id and time beside that of the signature: webhook-*, or a vendor's own (svix-*)."""
    prefix = header.removesuffix("-signature")
    return f"{prefix}-id", f"{prefix}-timestamp"


def _signatures(written: str, *, name: str) -> Iterator[bytes]:
    items = written.split(" ")
    if len(items) > MOST_SIGNATURES:
        raise NotProven(f"The header {name} holds more than {MOST_SIGNATURES} signatures.")
    for item in items:
        found = _VERSIONED.fullmatch(item)
        if found is None:
            raise NotProven(f"The header {name} isn't a list of signatures, each as v1,BASE64.")
        if found[1] == "v1":
            yield _from_base64(found[2], where=f"A signature in {name}")


def _from_base64(written: str, *, where: str) -> bytes:
    try:
        return base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        raise NotProven(f"{where} isn't base64.") from None


def _sent_at(written: str, *, way: Way, received_at: float, where: str) -> int:
    """Return when a message says that it was sent, if that lies within the window around its coming."""
    if not _TIMESTAMP.fullmatch(written):
        raise NotProven(f"{where} isn't a time in whole seconds since 1970.")
    sent_at = int(written)
    check_window(sent_at, tolerance=way.tolerance, received_at=received_at)
    return sent_at


def check_window(sent_at: float, *, tolerance: float, received_at: float, how: str = "signed") -> None:
    """Raise NotProven where a message was sent outside of the window around its coming (seconds)."""
    if sent_at < received_at - tolerance:
        raise NotProven(f"The message was {how} more than {tolerance:g} seconds ago: it may be a replay.")
    if sent_at > received_at + tolerance:
        raise NotProven(f"The message was {how} more than {tolerance:g} seconds in the future.")


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise NotProven("The body isn't UTF-8.") from None


def _matching(secrets: Sequence[Secret], offered: Sequence[bytes], expected: Callable[[Secret], bytes]) -> Secret:
    """Return the secret that made one of the signatures; how long that takes tells nothing of any."""
    proven = None
    for secret in secrets:
        wanted = expected(secret)
        matches = [hmac.compare_digest(wanted, one) for one in offered]
        proven = secret if proven is None and any(matches) else proven
    if proven is None:
        raise NotProven("No signature was made with the secret of this recipient.")
    return proven


def _stripe(came: Came, way: Way, secrets: Sequence[Secret]) -> Proven:
    parts = [_PART.fullmatch(part) for part in came.headers[way.header].split(",")]
    found = [(part[1], part[2]) for part in parts if part is not None]
    times = [value for name, value in found if name == "t"]
    if len(found) != len(parts) or len(times) != 1:
        raise NotProven(f"The header {way.header} isn't t=SECONDS and signatures, each as v1=HEX.")
    if len(found) > MOST_SIGNATURES:
        raise NotProven(f"The header {way.header} holds more than {MOST_SIGNATURES} parts.")
    sent_at = _sent_at(times[0], way=way, received_at=came.received_at, where=f"t in {way.header}")
    _text(came.body)
    signed = f"{sent_at}.".encode() + came.body
    # As text: Stripe writes lower case, and nothing else is its signature.
    offered = [value.encode() for name, value in found if name == "v1"]
    return Proven(by=_matching(secrets, offered, lambda one: _digest(one, signed).hex().encode()).name)


def _digest(secret: Secret, signed: bytes) -> bytes:
    return hmac.digest(secret.value.encode(), signed, hashlib.sha256)


def _hmac_sha256(came: Came, way: Way, secrets: Sequence[Secret]) -> Proven:
    """No time and no id is signed: only what the body says of itself keeps a replay out, which is the caller's to check
    against the window (`check_window`)."""
    written = came.headers[way.header].removeprefix("sha256=")
    where = f"The header {way.header}"
    offered = bytes.fromhex(written) if _HEX.fullmatch(written) else _from_base64(written, where=where)
    if len(offered) != hashlib.sha256().digest_size:
        raise NotProven(f"{where} isn't an HMAC-SHA256 in hexadecimal or base64.")
    return Proven(by=_matching(secrets, [offered], lambda one: _digest(one, came.body)).name)


_SCHEMES: Final[Mapping[str, Callable[[Came, Way, Sequence[Secret]], Proven]]] = {
    "standard_webhooks": _standard_webhooks,
    "stripe": _stripe,
    "hmac_sha256": _hmac_sha256,
}
