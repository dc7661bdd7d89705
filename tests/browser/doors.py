"""`python -m tests.browser.doors OUT`: take a picture of every door, open and shut, wide and narrow, and list them.

A desk of its own on a data folder of its own; the pictures are OUT/NAME-WIDTH-SCHEME.png, the list is OUT/list.md: name,
address, state, and the sentence by which it is open or shut. Nothing of it is a test: people look at what it takes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from django.test import Client
    from playwright.sync_api import Browser, Page

    from tests.browser.door_states import Walked

SIZES: Final = ((1440, "light"), (390, "dark"))
QUICK: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# Where a page says why it is shut, then what it does where it is open.
SAYS: Final = (
    "section.card:has(> h2:text-is('Locked')) p",
    "section.card:has(> h2:text-is('Yours')) p",
    "section.card:has(> h2:text-is('Take it back')) p",
    ".banner.stop",
    "main p.why",
    "main .origin + .card p",
    "main .origin",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One picture of one door."""

    name: str
    path: str
    state: str
    says: str
    files: tuple[str, ...]


def main() -> int:
    """Open a desk, walk its doors, write pictures and list; exit status 2 without a folder to write to."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m tests.browser.doors OUT\n")
        return 2
    into = Path(sys.argv[1])
    into.mkdir(parents=True, exist_ok=True)
    from tests.benchmarks.asking.servers import open_servers

    with open_servers(options=QUICK):
        taken = list(_walk(into))
    (into / "list.md").write_text(_listed(taken), encoding="utf-8")
    sys.stdout.write(f"{len(taken)} doors, {sum(len(one.files) for one in taken)} pictures, {into / 'list.md'}\n")
    return 0


def _walk(into: Path) -> Iterator[Taken]:
    """Yield every door as it was seen; all rows are made before the browser starts, whose loop runs in this thread."""
    from tests.browser.door_states import walked

    with ExitStack() as held:
        doors = walked(held)
        address = held.enter_context(_served())
        keys = {id(door.client): _cookie(door.client) for door in doors}
        browser = held.enter_context(_browser())
        for door in doors:
            yield _taken(browser, address, door, keys[id(door.client)], into=into)


@contextmanager
def _served() -> Iterator[str]:
    """Serve the desk from a thread on a port of this machine."""
    from django.conf import settings
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.test.testcases import LiveServerThread

    settings.ALLOWED_HOSTS = ["localhost"]
    served = LiveServerThread("localhost", StaticFilesHandler)
    served.daemon = True
    served.start()
    served.is_ready.wait()
    if served.error:
        raise served.error
    try:
        yield f"http://localhost:{served.port}"
    finally:
        served.terminate()


def _cookie(client: Client) -> tuple[str, str]:
    from django.conf import settings

    name = settings.SESSION_COOKIE_NAME
    return name, client.cookies[name].value


@contextmanager
def _browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM, QUIET

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


def _taken(browser: Browser, address: str, door: Walked, cookie: tuple[str, str], *, into: Path) -> Taken:
    files, says = [], ""
    for width, scheme in SIZES:
        size: Any = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        seat = browser.new_context(**size)
        seat.add_cookies([{"name": cookie[0], "value": cookie[1], "url": address}])
        page = seat.new_page()
        answer = page.goto(address + door.path)
        if answer is None or answer.status != door.status:
            raise SystemExit(f"{door.name}: {door.path} answered {answer and answer.status}")
        files.append(f"{door.name}-{width}-{scheme}.png")
        page.screenshot(path=str(into / files[-1]), full_page=True)
        says = says or _said(page, door)
        seat.close()
    return Taken(name=door.name, path=door.path, state=door.state, says=says, files=tuple(files))


def _said(page: Page, door: Walked) -> str:
    places = [place for place in SAYS if page.locator(place).count()]
    if not places:
        raise SystemExit(f"{door.name}: the page says nothing of what it does or why it is shut")
    found = page.locator(places[0] if door.state == "shut" else places[-1]).first
    return " ".join(found.inner_text().split())


def _listed(taken: list[Taken]) -> str:
    heads = ["| door | state | what it says | pictures |", "|---|---|---|---|"]
    rows = [f"| {one.name} | {one.state} | {one.says} | {', '.join(one.files)} |" for one in taken]
    return "\n".join([*heads, *rows]) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
