"""No key may call more often than a minute's allowance; a broker that doesn't answer lets everybody through.

The count lives in the broker because it may be lost there: it protects the desk, not a fact.
"""

import time
from functools import lru_cache
from typing import Final

import redis
from django.conf import settings

WINDOW: Final = 60  # seconds
_PATIENCE: Final = 0.2  # seconds
_LEAVE_ALONE: Final = 5.0  # seconds


class Pace:
    """Counts calls by key and minute at one broker, and leaves a broker alone for a while that doesn't answer."""

    def __init__(self, url: str) -> None:
        self._broker = redis.Redis.from_url(url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE)
        self._left_alone_until = 0.0

    def wait_of(self, key_id: str, *, now: float, most: int) -> int:
        """Count one call at `now` (seconds) and return how many seconds to wait; 0 where it may go on."""
        window = int(now // WINDOW)
        if not most or self._counted(f"unresolved:api:{key_id}:{window}") <= most:
            return 0
        return max(1, int((window + 1) * WINDOW - now) + 1)

    def _counted(self, name: str) -> int:
        """Return how many calls there were with this one; 0 where that can't be known."""
        if time.monotonic() < self._left_alone_until:
            return 0
        try:
            with self._broker.pipeline(transaction=False) as pipeline:
                pipeline.incr(name)
                pipeline.expire(name, 2 * WINDOW)
                return int(pipeline.execute()[0])
        except redis.RedisError:
            self._left_alone_until = time.monotonic() + _LEAVE_ALONE
            return 0


@lru_cache(maxsize=4)
def _pace(url: str) -> Pace:
    return Pace(url)


def wait_of(key_id: str, *, now: float) -> int:
    """Count one call at the desk's broker, against the desk's allowance; see `Pace.wait_of`."""
    return _pace(settings.REDIS_URL).wait_of(key_id, now=now, most=settings.API_CALLS_A_MINUTE)
