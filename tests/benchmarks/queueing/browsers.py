"""`python -m tests.benchmarks.queueing.browsers COUNT BASE`: so many browsers that look at one page of the queue, until stopped.

The session is in UNRESOLVED_SESSION. Each asks whether anything changed, as often as static/desk.js does, and fetches the rows where something did. Says
"looking" when all of them have begun, and at the end how many questions were asked and answered, and how long nine in ten of them took.
"""

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import sys
import time
from typing import Final

import aiohttp

# Seconds, as static/desk.js has them.
POLL: Final = 4.0
JITTER: Final = 2.0
_NEXT: Final = re.compile(r'id="live"[^>]* hx-get="([^"]+)"')
_ROWS: Final = re.compile(r'id="rows" hx-get="([^"]+)"')


def _address(found: "re.Match[str] | None") -> str:
    if found is None:
        raise RuntimeError("the page says no address to ask at")
    return found.group(1).replace("&amp;", "&")


async def _look(desk: aiohttp.ClientSession, asks: str, rows: str, took: list[float]) -> None:
    await asyncio.sleep(random.random() * (POLL + JITTER))  # noqa: S311  # when they came is chance
    while True:
        started = time.perf_counter()
        async with desk.get(asks, headers={"HX-Request": "true"}) as answer:
            text = await answer.text()
            if answer.status not in (200, 204):
                raise RuntimeError(f"{asks}: {answer.status}")
        took.append(time.perf_counter() - started)
        if answer.status == 200:
            asks = _address(_NEXT.search(text))
            async with desk.get(rows, headers={"HX-Request": "true"}) as answer:
                await answer.read()
        await asyncio.sleep(POLL + random.random() * JITTER)  # noqa: S311  # likewise


async def look(count: int, base: str, session: str) -> None:
    """Look until somebody says that it is enough."""
    took: list[float] = []
    enough = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, enough.set)
    connections = aiohttp.TCPConnector(limit=count)
    async with aiohttp.ClientSession(base, cookies={"sessionid": session}, connector=connections) as desk:
        async with desk.get("/") as answer:
            page = await answer.text()
        asks, rows = _address(_NEXT.search(page)), _address(_ROWS.search(page))
        looking = [asyncio.create_task(_look(desk, asks, rows, took)) for _ in range(count)]
        await asyncio.sleep(POLL + JITTER)
        print("looking", flush=True)
        began, before = time.perf_counter(), len(took)
        await asyncio.wait([*looking, asyncio.create_task(enough.wait())], return_when=asyncio.FIRST_COMPLETED)
        failed = [str(one.exception()) for one in looking if one.done()]
        for one in looking:
            one.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*looking, return_exceptions=True)
    asked, ninth = took[before:], sorted(took)[len(took) * 9 // 10]
    print(
        json.dumps({"a_second": len(asked) / (time.perf_counter() - began), "p90": ninth, "failed": failed}), flush=True
    )


if __name__ == "__main__":
    asyncio.run(look(int(sys.argv[1]), sys.argv[2], os.environ["UNRESOLVED_SESSION"]))
