"""Identifiers that sort by the time they were made, made from a time that is passed in."""

import secrets
from datetime import datetime
from uuid import UUID


def uuid7(now: datetime) -> UUID:
    """Return a UUID of version 7 (RFC 9562, section 5.7): the milliseconds of `now`, then 74 random bits.

    Our own, because every library for it reads the clock, which only tasks, views and API endpoints may do.
    """
    milliseconds = int(now.timestamp() * 1000) & (1 << 48) - 1
    random = secrets.randbits(74)
    high, low = random >> 62, random & (1 << 62) - 1
    return UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)
