"""What is kept of an answer: bounded in size, without secrets, and readable by whoever stores text."""

import base64
import binascii
import re
import zlib
from collections.abc import AsyncIterable, Iterable
from functools import lru_cache
from typing import Final

from operations.channels.base import Credential

MOST_HEADER_BYTES: Final = 64 * 1024
SHORTEST_SECRET: Final = 8

# They hand a secret out or back, and say nothing about an effect.
DROPPED: Final = frozenset(
    (
        b"authentication-info",
        b"authorization",
        b"cookie",
        b"proxy-authentication-info",
        b"proxy-authorization",
        b"set-cookie",
        b"set-cookie2",
    )
)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_ANY_ZLIB: Final = zlib.MAX_WBITS + 32  # gzip or zlib, by its own header

Headers = tuple[tuple[str, str], ...]


class Malformed(ValueError):
    """The answer isn't one that can be read; the message is a sentence and quotes nothing of it."""


def headers_kept(raw: Iterable[tuple[bytes, bytes]], *, credential: Credential | None) -> Headers:
    """The answer's headers, names in lower case, bytes outside of ASCII one character each (RFC 9110, 5.5).

    Those that carry secrets are dropped, the credential's own and its echoes masked. Raises Malformed.
    """
    lines = [(name.lower(), value) for name, value in raw]
    if sum(len(name) + len(value) for name, value in lines) > MOST_HEADER_BYTES:
        raise Malformed(f"The answer's headers are longer than {MOST_HEADER_BYTES} bytes.")
    if any(_CONTROL.search(value) for _, value in lines):
        raise Malformed("A header of the answer holds a control character.")
    dropped = DROPPED | ({credential.header.lower().encode()} if credential else set())
    secrets = secrets_of(credential)
    return tuple(
        (name.decode("latin-1"), masked(value, secrets=secrets).decode("latin-1"))
        for name, value in lines
        if name not in dropped
    )


class Body:
    """What is kept of one body as it comes: decoded, masked, cut at `most_bytes`. Raises Malformed.

    What is read and what comes out of decompression are both bounded, so a small answer can't become a large one.
    """

    def __init__(self, *, coding: str, most_bytes: int, credential: Credential | None) -> None:
        self._secrets = secrets_of(credential)
        self._most = most_bytes
        # A secret that straddles the cut is seen whole, or its first half would be kept.
        self._room = most_bytes + max(map(len, self._secrets), default=0)
        self._decode = _decoder(coding, room=self._room + 1)
        self._body, self._wire = bytearray(), 0
        self._cut = False

    def feed(self, chunk: bytes) -> bool:
        """Take one more piece and say whether another is wanted."""
        self._wire += len(chunk)
        self._body += self._decode.feed(chunk)
        # Nothing honest is longer packed than that.
        self._cut = len(self._body) > self._room or self._wire > 2 * self._room + 1024
        return not self._cut

    def kept(self) -> tuple[bytes, bool]:
        """Return the body, and whether it was cut."""
        if not self._cut:
            self._decode.finish()
        kept = masked(bytes(self._body), secrets=self._secrets)[: self._most]
        return kept, self._cut or len(self._body) > self._most


async def body_kept(
    chunks: AsyncIterable[bytes], *, coding: str, most_bytes: int, credential: Credential | None
) -> tuple[bytes, bool]:
    """The body, decoded, masked and cut at `most_bytes`, and whether it was cut. Raises Malformed."""
    body = Body(coding=coding, most_bytes=most_bytes, credential=credential)
    async for chunk in chunks:
        if not body.feed(chunk):
            break
    return body.kept()


class _Plain:
    """Passes on what it is fed, unless it comes in an encoding that can't be read.

    That is judged when there is something to read: after HEAD, 204 and 304 an encoding is in nobody's way.
    """

    def __init__(self, *, readable: bool) -> None:
        self._readable = readable

    def feed(self, chunk: bytes) -> bytes:
        if not self._readable:
            raise Malformed("The answer's body is encoded in a way that wasn't asked for.")
        return chunk

    def finish(self) -> None:
        return None


class _Inflate:
    """Decompresses up to `room` bytes in all, and no more whatever it is fed."""

    def __init__(self, *, room: int) -> None:
        self._stream = zlib.decompressobj(_ANY_ZLIB)
        self._room = room
        self._fed = False

    def feed(self, chunk: bytes) -> bytes:
        self._fed = True
        if self._room <= 0:
            return b""
        try:
            out = self._stream.decompress(self._stream.unconsumed_tail + chunk, self._room)
        except zlib.error:
            raise Malformed("The answer's body isn't compressed as it says.") from None
        if self._stream.unused_data:
            raise Malformed("Something follows the answer's compressed body.")
        self._room -= len(out)
        return out

    def finish(self) -> None:
        if self._fed and not self._stream.eof and self._room > 0:
            raise Malformed("The answer's compressed body ends before it is whole.")


def _decoder(coding: str, *, room: int) -> _Plain | _Inflate:
    """Only identity is asked for; gzip and deflate come all the same from some, and are read."""
    name = coding.strip().lower()
    if name in ("gzip", "x-gzip", "deflate"):
        return _Inflate(room=room)
    return _Plain(readable=name in ("", "identity"))


@lru_cache(maxsize=256)
def secrets_of(credential: Credential | None) -> tuple[bytes, ...]:
    """What must not be kept: the header's value, what follows its scheme, a basic one's password; longest first.

    A basic one's user name is left, unless it has no password: recipients name accounts by it in what they answer.
    Parts shorter than 8 characters are left, too: they'd be found everywhere, and a secret as short is refused anyway.
    """
    if credential is None:
        return ()
    scheme, _, token = credential.value.partition(" ")
    parts = {credential.value.encode(), token.encode()}
    if scheme.lower() == "basic":
        parts |= _basic(token)
    return tuple(sorted((part for part in parts if len(part) >= SHORTEST_SECRET), key=len, reverse=True))


def _basic(token: str) -> set[bytes]:
    try:
        pair = base64.b64decode(token, validate=True)
    except (binascii.Error, ValueError):
        return set()
    user, _, password = pair.partition(b":")
    return {pair, password or user}


def masked(text: bytes, *, secrets: Iterable[bytes]) -> bytes:
    """The text with each secret replaced by as many asterisks, so that what is around it stays in place."""
    for secret in secrets:
        text = text.replace(secret, b"*" * len(secret))
    return text
