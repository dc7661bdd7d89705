"""What the benchmarks of the queue are measured over is as the product would have written it, in tables as they were."""

import re
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client

from escalation.models import Case, User, Waiting
from escalation.queue import end_windows, placing
from operations import models
from operations.recording import watching
from tests.benchmarks.queueing import data, templates

pytestmark = [pytest.mark.django_db, pytest.mark.owner]
OPERATIONS = 2_000
SCHEMA = (
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint",
    "SELECT indrelid::regclass::text, pg_get_indexdef(indexrelid), indisvalid, indisunique FROM pg_index",
    "SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT tgrelid::regclass::text, tgfoid::regproc::text, tgtype, tgenabled FROM pg_trigger WHERE tgisinternal",
)


def schema():
    with connection.cursor() as cursor:
        found = []
        for asked in SCHEMA:
            cursor.execute(asked)
            found.append(sorted([tuple([plain(word) for word in row]) for row in cursor.fetchall()], key=repr))
    return found


def plain(word):
    """PostgreSQL writes a condition that it read from its own words with the casts in other places."""
    return re.sub(r"::(character varying|text)(\[\])?|[()]", "", word) if isinstance(word, str) else word


@pytest.fixture
def written():
    before = schema()
    made = list(templates.make(now=datetime.now(UTC), recipients=2))
    connection.ensure_connection()
    data.write(connection.connection, OPERATIONS, made=made)
    return before


def test_the_tables_are_as_they_were_and_the_rows_as_the_product_writes_them(written):
    for before, after in zip(written, schema(), strict=True):
        assert [row for row in after if row not in before] == [row for row in before if row not in after] == []
    assert Waiting.objects.filter(operation__identity__startswith="order-").count() == OPERATIONS // data.WAITS
    assert Case.objects.filter(owner=None).exists()
    assert Case.objects.filter(owner__isnull=False).exists()
    copies = models.Operation.objects.filter(identity__startswith="order-", number__gt=OPERATIONS // 2)
    some = [*copies.filter(waiting__isnull=False)[:100], *copies.filter(waiting=None)[:100]]
    kept = list(Waiting.objects.order_by("number").values())
    now = datetime.now(UTC)
    due = {one.operation_id: one for one in models.Due.objects.all()}
    placing.place([watching.changed(one, due.get(one.id), now=now) for one in some], now)
    end_windows(now=now, most=1_000)  # what ended before they were copied was swept already
    assert list(Waiting.objects.order_by("number").values()) == kept


def test_the_queue_finds_the_rare_ones_and_an_operation_opens(written):
    client = Client()
    client.force_login(User.objects.create_superuser("reader"))
    page = client.get("/", {"text": data.RARE}).content.decode()
    assert page.count("data-row-of=") == OPERATIONS // data.OF
    for kind in range(1, data.OF, 111):
        number = models.Operation.objects.get(identity=f"order-{kind}").number
        assert client.get(f"/operations/{number}").status_code == 200
