"""The worker reads open operations anew until none is left."""

import pytest
from time_machine import travel

from operations.tasks import reread
from tests.operations.test_rereading import AN_HOUR, LATER, published, under_way

pytestmark = pytest.mark.django_db


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that are sent, instead of a broker."""
    sent: list[str] = []
    monkeypatch.setattr(reread, "delay", lambda: sent.append("reread"))
    return sent


def test_with_nothing_left_no_message_is_sent(messages):
    under_way()
    reread()
    assert messages == []


def test_whatever_was_read_may_not_have_been_all(messages):
    made = under_way()
    second = published(AN_HOUR)
    with travel(LATER, tick=False):
        reread()
    assert made.row.judged_by == second
    assert messages == ["reread"]
