"""What it takes to let a call in, and what a whole call takes, both in this process without the wire."""

import json
import sys
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from tests.benchmarks.ingesting.desk import Desk
from tests.benchmarks.ingesting.items import items
from tests.benchmarks.measure import cost

CALLS = 200


def let_in(desk: Desk) -> float:
    """Seconds to find who holds the key, to compare its secret and to count its pace."""
    from operations import keys
    from operations.api import pace

    def work() -> None:
        now = datetime.now(UTC)
        caller = keys.caller_of(desk.key, now=now)
        assert caller is not None
        assert not pace.wait_of(caller.id, now=now.timestamp())

    return cost(work, items=1)


def inside(desk: Desk) -> float:
    """Seconds of a registration from WSGI to WSGI."""
    from escalation.wsgi import application

    waiting = [json.dumps(one).encode() for one in items(CALLS)]
    statuses: list[str] = []

    def started(status: str, _headers: object, _info: object = None, /) -> Any:
        statuses.append(status)

    def work() -> None:
        for body in waiting:
            response = application(_environ(desk, body), started)
            b"".join(response)
            response.close()

    from tests.benchmarks.ingest import timed

    seconds = timed(work) / CALLS
    if not all(status.startswith("201") for status in statuses):
        raise RuntimeError(f"refused: {statuses[:3]}")
    return seconds


def _environ(desk: Desk, body: bytes) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/v1/operations",
        "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": str(desk.port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_AUTHORIZATION": f"Bearer {desk.key}",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
