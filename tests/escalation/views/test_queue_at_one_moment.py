"""The queue is read at one moment: headings, menu, rows and word of revision agree, whatever is committed in between."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import reverse

from escalation.policy import Role
from escalation.screens.moment import one_moment
from operations import models
from tests.escalation.building import HOUR, operation
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def screen() -> Client:
    client = Client()
    client.force_login(with_role("mira", Role.REVIEWER))
    return client


class Meanwhile:
    """Behind every statement about what waits, another connection commits one more that waits, or settles one."""

    def __init__(self) -> None:
        self.made = [_lost("first")]

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # Django's
        found = execute(sql, params, many, context)
        if 'FROM "escalation_waiting"' in sql:
            other = Thread(target=self._commit)
            other.start()
            other.join(30)
        return found

    def _commit(self) -> None:
        try:
            if len(self.made) % 2:
                self.made[-1].issued("T-1", now=now())
            self.made.append(_lost(f"parcel-{len(self.made)}"))
        finally:
            connection.close()


def _lost(name: str) -> Any:
    made = operation(name, parcel=name, now=now() - 2 * HOUR)
    made.timed_out(now=now() - 2 * HOUR + MINUTE)
    return made


def told(page: str) -> Iterator[tuple[int, int]]:
    """What each heading says, and how many rows stand below it."""
    parts = re.split(r'scope="colgroup">([^<]*)</th>', page)[1:]
    for heading, rows in zip(parts[::2], parts[1::2], strict=True):
        assert "of them here" not in heading
        yield int(heading.rpartition(" · ")[2]), len(re.findall(r'id="row-\d+"', rows))


@pytest.mark.parametrize("address", ["queue", "queue_rows"])
def test_headings_and_rows_agree_while_others_commit(screen, address):
    meanwhile = Meanwhile()
    with connection.execute_wrapper(meanwhile):
        page = screen.get(reverse(address)).text
    assert len(meanwhile.made) > 2, "nothing was committed in between"
    assert list(told(page)) == [(1, 1)]
    assert f'id="row-{meanwhile.made[0].number}"' in page


def test_the_menu_counts_the_rows_that_stand_there(screen):
    with connection.execute_wrapper(Meanwhile()):
        shown = screen.get(reverse("queue")).context
    rows = sum(len(section.rows) for section in shown["sections"])
    assert rows == 1 == shown["total"]
    for facet in shown["menu"]:
        if facet.question in ("Did it happen?", "When", "Recipient"):
            assert sum(entry.count for entry in facet.entries) == rows


def test_what_was_seen_is_what_the_page_shows_so_that_the_next_question_brings_the_rest(screen):
    meanwhile = Meanwhile()
    with connection.execute_wrapper(meanwhile):
        token = screen.get(reverse("queue")).context["token"]
    assert token.startswith("1.")
    assert screen.get(reverse("queue_revision"), {"seen": token}).status_code == 200


def test_nothing_can_be_written_at_that_moment_and_the_connection_is_as_before():
    made = operation("first", parcel="Cedar", now=now() - HOUR)
    with pytest.raises(DatabaseError, match="read-only"), one_moment():
        models.Operation.objects.filter(id=made.id).update(revision=99)
    made.timed_out(now=now())
    assert made.row.revision > 1
