"""What is due is told to programs: claimed, sent once each, and what came of it written down.

With the broker, a worker or a program away nothing is lost: what is due stands in PostgreSQL, and the next sweep finds
it. Messages go out from threads, which touch no row; a slow program holds up no other.
"""

import os
import random
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime
from typing import Final

from escalation.outbox.claiming import Claimed, claim
from escalation.outbox.finishing import finish, give_up, read
from operations import posting
from operations.posting import Posted

Clock = Callable[[], datetime]
Send = Callable[[Claimed], Posted]
# How long one sweep begins to send, in seconds: what it began then still ends well before Celery ends the task.
BEGINS_WITHIN: Final = 20.0
AT_ONCE: Final = 12


def tell(
    *,
    clock: Clock,
    send: Send | None = None,
    monotonic: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = lambda: random.uniform(0.8, 1.2),  # noqa: S311  # no secret hangs on it
) -> int:
    """Tell what is due; return how many messages were sent. A hint that is lost, or comes twice, changes nothing."""
    give_up(now=clock())
    began, sent = monotonic(), 0
    under_way: dict[Future[Posted], Claimed] = {}
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        while True:
            while len(under_way) < AT_ONCE and monotonic() - began < BEGINS_WITHIN:
                claimed = claim(now=clock(), most=AT_ONCE - len(under_way))
                under_way |= {pool.submit(send or by(clock), one): one for one in claimed}
                if not claimed:
                    break
            if not under_way:
                return sent
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                finish(under_way.pop(future), read(future.result(), now=clock()), now=clock(), jitter=jitter)
                sent += 1


def by(clock: Clock, *, environ: Mapping[str, str] = os.environ) -> Send:
    """Return what sends one message through the guard; nothing that a program or a setting does raises."""

    def send(claimed: Claimed) -> Posted:
        try:
            place = posting.program(claimed.address, keys=claimed.keys, environ=environ)
            lines = posting.signature(claimed.id, to=place, text=claimed.body, at=clock())
        except posting.NoDestination as error:
            return Posted(wire=posting.Wire.NOT_SENT, detail=str(error))
        return posting.post(place, headers=lines, body=claimed.body.encode(), environ=environ, clock=clock)

    return send
