"""The program of docs/integrate/outbound-webhooks.md runs as it stands there, and what the page says of messages is so."""

import json
import re
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from escalation.models import OutboxDue, OutboxEvent
from escalation.models.outbox import KINDS, Over
from escalation.models.subscription import EventKind
from escalation.outbox.telling import by, tell
from operations.core.actions import Action
from operations.recording import calling
from tests.escalation.building import HOUR, T0, operation
from tests.escalation.outbox.made import KEY, NOW, OLD, Program, subscription, told

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
PAGE = Path(__file__).resolve().parents[3] / "docs" / "integrate" / "outbound-webhooks.md"


@pytest.fixture
def program(monkeypatch):
    """What the page's code defines, with its server running; it verifies with a new key and the old one."""
    monkeypatch.setenv("DESK_WEBHOOK_KEYS", f"{OLD} {KEY}")
    monkeypatch.setenv("PORT", "0")
    known: dict[str, Any] = {"__name__": "receiver"}
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    exec(compile(code, PAGE, "exec"), known)  # noqa: S102  # our own page
    known["Receiver"].log_message = lambda *_: None
    thread = threading.Thread(target=known["server"].serve_forever, daemon=True)
    thread.start()
    yield known
    known["server"].shutdown()
    known["server"].server_close()
    thread.join()


def sent() -> int:
    environ = {"UNRESOLVED_SUBSCRIPTION_KEY_BILLING": KEY, "UNRESOLVED_NETWORKS_OF_SUBSCRIPTIONS": "127.0.0.0/8"}
    return tell(
        clock=lambda: NOW,
        send=by(lambda: datetime.now(UTC), environ=environ),
        monotonic=lambda: 0.0,
        jitter=lambda: 1.0,
    )


def test_the_program_of_the_page_takes_each_event_once_and_keeps_the_newest(program):
    made = operation()
    made.timed_out(now=T0 + SECOND)
    subscription(EventKind.STANDING_CHANGED, address=f"http://127.0.0.1:{program['server'].server_port}/desk")
    made.recorded("pending", now=T0 + 2 * SECOND)
    made.recorded("issued", now=T0 + 3 * SECOND, ticket="T-1")
    assert sent() == 2
    first = OutboxEvent.objects.earliest("id")
    OutboxEvent.objects.filter(pk=first.pk).update(ended_at=None, ended_as="")
    OutboxDue.objects.create(
        event=first, subscription=first.subscription, operation_id=made.id, at=NOW, since=NOW, again=True
    )
    assert sent() == 1
    assert set(OutboxEvent.objects.values_list("ended_as", flat=True)) == {Over.TAKEN}
    assert len(program["seen"]) == 2
    assert program["newest"][str(made.id)]["standing"]["evidence"] == "applied"


def test_the_program_of_the_page_believes_nobody_else(program):
    headers = {"webhook-id": "event_1", "webhook-timestamp": str(int(NOW.timestamp())), "webhook-signature": "v1,AAAA"}
    assert program["take"](b"{}", headers) == 401
    assert program["seen"] == set()


def test_the_page_names_every_field_type_and_word():
    subscription()
    made = operation()
    made.timed_out(now=T0 + SECOND)
    calling.call(now=T0 + HOUR, most=10)
    program, text = Program(), PAGE.read_text()
    assert told(program) > 1
    for one in program.got:
        data = json.loads(one.body)["data"]
        names = [*data, *data["operation"], *data["standing"], *data["case"]]
        assert [name for name in names if name not in text] == []
    assert all(f"`{kind}`" in text for kind in KINDS)
    assert all(f"`{action.value}`" in text for action in Action)
