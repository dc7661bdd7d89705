"""A key says which program speaks, for which recipients, and what it may report; none of them decides anything.

design.md, rule 3a. A key is `unr_<id>.<secret>`: the id is 16 hexadecimal digits, the secret 256 random bits. Because
the secret is random, its SHA-256 is as good as a slow hash and costs nothing.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from operations.recording.keys import SCOPES, USED_EVERY, add_key, key_named, mark_used

__all__ = ["SCOPES", "Caller", "caller_of", "create_key"]

_KEY: Final = re.compile(r"unr_([0-9a-f]{16})\.([A-Za-z0-9_-]{43})")
# What a wrong id is compared with, so that it takes as long as a wrong secret.
_NOBODYS: Final = hashlib.sha256(secrets.token_bytes(32)).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: the key's id and name, what it may do, and the recipients (key to row id) that it is for."""

    id: str
    name: str
    scopes: frozenset[str]
    recipients: Mapping[str, int]

    @property
    def source(self) -> str:
        """How what this caller reports is signed in the record."""
        return f"key unr_{self.id}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def caller_of(key: str, *, now: datetime) -> Caller | None:
    """Return who holds this key at `now`; None where it is no key, or is wrong, expired or ended, and never which.

    Its use is written down at most once a minute.
    """
    told = _KEY.fullmatch(key)
    if told is None:
        return None
    row, recipients = key_named(told[1]) or (None, {})
    right = hmac.compare_digest(_digest(told[2]), _NOBODYS if row is None else row.secret_digest)
    if row is None or not right or row.ended_at is not None or row.expires_at <= now:
        return None
    if row.last_used_at is None or row.last_used_at <= now - USED_EVERY:
        mark_used(row.id, now=now)
    return Caller(
        id=row.id,
        name=row.name,
        scopes=frozenset(row.scopes),
        recipients=recipients,
    )


def create_key(name: str, *, scopes: Iterable[str], recipients: Iterable[str], now: datetime, lasts: timedelta) -> str:
    """Make a key and return it, the only time that it can be read; raises `recording.keys.NoSuchRecipient`."""
    key_id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    add_key(
        key_id,
        name=name,
        secret_digest=_digest(secret),
        scopes=scopes,
        recipients=recipients,
        now=now,
        expires_at=now + lasts,
    )
    return f"unr_{key_id}.{secret}"
