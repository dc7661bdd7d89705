"""The code of docs/integrate runs as it stands there, page by page, at a real desk and a real recipient."""

import asyncio
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from operations import models
from tests.client import doors
from tests.client.parcels import tickets
from tests.client.scripted import outputs
from tests.client.settled import settled
from tests.recipients.fixtures import CollectionDesk
from unresolved.words import MEANS, Next

DOCS = Path(__file__).resolve().parents[2] / "docs" / "integrate"


def run(page: str, *, meanwhile: Callable[[int, dict[str, Any]], None] = lambda *_: None) -> dict[str, Any]:
    """Run the blocks of a page, one after the other, and close what they opened; lines are those of the page.

    `meanwhile` is what others do before a block, by its number from 0 and the names that the page has by then. Returns
    what the blocks named; what was closed opens itself again where it is used.
    """
    known: dict[str, Any] = {"__name__": page}
    text = (DOCS / page).read_text()
    for number, block in enumerate(re.finditer(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)):
        meanwhile(number, known)
        before = "\n" * text.count("\n", 0, block.start(1))
        exec(compile(before + block[1], DOCS / page, "exec"), known)  # noqa: S102  # our own pages
    for value in [*known.values()]:
        closes = None if isinstance(value, (type, ModuleType)) else getattr(value, "close", None)
        if closes is not None and not inspect.iscoroutinefunction(closes):
            closes()
    return known


@pytest.fixture
def at_the_desk(live_server: Any, desk: CollectionDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the pages take for granted."""
    doors.awake(live_server.url)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESK_URL", live_server.url)
    monkeypatch.setenv("DESK_KEY", doors.key())
    monkeypatch.setenv("TICKETS_URL", desk.url)
    monkeypatch.setenv("TICKETS_TOKEN", "credential-of-one")


@pytest.mark.django_db(transaction=True)
def test_ten_minutes_to_a_guarded_tool(at_the_desk, desk, capsys):
    desk.control.tell(key="order-1002", reply="lost")
    run("client.md")
    assert '"next": "applied"' in capsys.readouterr().out
    assert (tickets(desk, "order-1001"), tickets(desk, "order-1002")) == (1, 1)
    assert len(desk.control.truth("order-1002")["passages"]) == 1


@pytest.mark.django_db(transaction=True)
def test_under_httpx_and_requests(at_the_desk, desk, capsys):
    run("transports.md")
    assert capsys.readouterr().out.count('"next": "applied"') == 2
    assert [len(desk.control.truth(order)["passages"]) for order in ("order-2001", "order-2002")] == [1, 1]


@pytest.mark.django_db(transaction=True)
def test_with_openai_agents(at_the_desk, desk):
    desk.control.tell(key="order-1003", reply="lost")
    known = run("openai-agents.md")
    [waiting] = asyncio.run(known["goes_on"]())
    assert waiting.call_id == "call_3"
    settled(str(models.Operation.objects.get().id))
    found = asyncio.run(known["goes_on"]())
    known["recorder"].journal.close()
    assert found.final_output == "Whether the ticket is issued is not known yet."
    told = outputs(known["model"].calls[-1])
    assert [told[call][0]["next"] for call in ("call_1", "call_2", "call_3")] == ["applied"] * 3
    assert len(desk.control.truth("order-1003")["passages"]) == 1


def test_every_word_that_an_agent_may_read_is_explained():
    for page in ("client.md", "model.md"):
        text = (DOCS / page).read_text()
        assert all(f"`{word}`" in text for word in Next), page
    assert set(MEANS) == set(Next)
