"""A batch of asks leaves the rows that one after the other would have left, and one bad answer spoils no other."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from operations import models
from operations.models.chain import NOTHING_BEFORE, link
from operations.recording import Report, begin, seal, writing
from operations.recording.asked import Asked, event_of, record
from operations.recording.claiming import claim
from operations.recording.held import load
from operations.recording.pen import bound_row, row_of
from operations.reporting import report_with
from tests.operations.granted import granted
from tests.operations.polling.waiting import recipient, waiting
from tests.operations.rows import BY, intent, later
from tests.recipients.counting import record as record_of

pytestmark = pytest.mark.django_db

STORE = partial(report_with, source="the desk")
JSON = (("content-type", "application/json"),)
# What a recipient may say, ask by ask; the same answer twice, a kept one, nonsense and an empty body among it.
SAID: Sequence[dict[str, Any]] = (
    {"status": 200, "payload": b'{"key": "order-0"'},
    {"status": 404, "payload": b""},
    {"status": 503, "payload": None},
    {"status": 200, "payload": b"[]"},
)
LEFT_OUT = {"id", "operation_id", "observation_id", "digest", "head", "number", "lease", "leased_until", "at"}


@pytest.fixture
def contract():
    return recipient("http://127.0.0.1:9")


def asked(operation_id: UUID, number: int, *, lease: UUID, round_: int, contract: models.Contract) -> Asked:
    at = later(60 * (round_ + 1) + number % 3)
    states = ("issued", "pending", "received", "failed")
    said: dict[str, Any] = (
        SAID[number // 4 % 4]
        if number % 5 == 4
        else {"status": 200, "payload": said_at(number, states[number % 4], at)}
    )
    report = Report(
        event=event_of(lease),
        channel="record",
        received_at=at,
        asked_at=at - timedelta(seconds=0.5),
        authentic=True,
        headers=JSON,
        **said,
    )
    failed = number % 7 == 6
    return Asked(
        operation_id=operation_id,
        recipient_id=contract.recipient_id,
        channel="record",
        at=at - timedelta(seconds=0.5),
        ended_at=at,
        report=None if failed else report,
        failure="The recipient gave no answer." if failed else "",
        status=said["status"],
    )


def said_at(number: int, state: str, at: datetime) -> bytes:
    """The record as the recipient dates it at that time."""
    raw = record_of(f"order-{number}", state=state).decode()
    stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    now = raw.split('"as_of": "')[1].split('"')[0]
    return raw.replace(now, stamp).encode()


def written(operations: Sequence[UUID], model: Any) -> list[Any]:
    """The rows of a table, operation by operation, without what differs by chance."""
    place = {one: number for number, one in enumerate(operations)}
    key = "id" if model is models.Operation else "operation_id"
    found = sorted(
        model.objects.filter(**{f"{key}__in": operations}).values(),
        key=lambda row: (place[row[key]], row.get("position", 0)),
    )
    return [(place[row[key]], {name: value for name, value in row.items() if name not in LEFT_OUT}) for row in found]


def alike(operations: Sequence[UUID], model: Any) -> list[Any]:
    """The same, without whose operations they are."""
    of_one = {"recipient_id", "contract_id"}
    return [
        (place, {name: value for name, value in row.items() if name not in of_one})
        for place, row in written(operations, model)
    ]


def whole(operation_id: UUID) -> bool:
    """Whether the operation's chain is what its rows say."""
    row = models.Operation.objects.get(id=operation_id)
    head = link(NOTHING_BEFORE, bound_row(row))
    learnt = (models.Attempt, models.Seal, models.Observation, models.Reading)
    tables = (*learnt, models.Decision, models.Grant, models.GrantUse)
    links = [one for table in tables for one in table.objects.filter(operation_id=operation_id)]
    for one in sorted(links, key=lambda one: one.position):
        head = link(head, row_of(one))
        if head != bytes(one.digest):
            return False
    return head == bytes(row.head) and len(links) + 1 == row.links


@pytest.fixture
def two(contract) -> tuple[list[UUID], list[UUID]]:
    """The same operations at two recipients: some sealed, some with a second attempt."""
    sides = []
    for under in (contract, recipient("http://127.0.0.1:9", key="desk-2")):
        ids = waiting(under, range(24), begun_at=later(0))
        for one in [*ids[::3], *ids[1::3]]:
            seal(one, now=later(1), by=BY)
        for one in ids[1::3]:
            begin(one, intent("a2", at=10), now=later(10), by=BY, grant=granted(one, now=later(9)))
        sides.append(ids)
    return sides[0], sides[1]


def test_a_batch_leaves_what_one_after_the_other_leaves(two, contract):
    together, alone = two
    other = models.Contract.objects.get(recipient__key="desk-2")
    for round_ in range(3):
        lease, now = uuid4(), later(60 * (round_ + 1) + 5)
        batch = [asked(one, n, lease=lease, round_=round_, contract=contract) for n, one in enumerate(together)]
        record(batch, lease=lease, report_with=STORE, before=load(together), now=now)
        for n, one in enumerate(alone):
            single = asked(one, n, lease=lease, round_=round_, contract=other)
            record([single], lease=lease, report_with=STORE, now=now)
    for model in (models.Operation, models.Observation, models.Reading, models.Due):
        assert alike(together, model) == alike(alone, model)
    assert all(whole(one) for one in (*together, *alone))


def test_a_batch_reads_what_a_report_alone_is_read_as(two, contract):
    together, alone = two
    other = models.Contract.objects.get(recipient__key="desk-2")
    for round_ in range(3):
        lease, now = uuid4(), later(60 * (round_ + 1) + 5)
        batch = [asked(one, n, lease=lease, round_=round_, contract=contract) for n, one in enumerate(together)]
        record(batch, lease=lease, report_with=STORE, now=now)
        for n, one in enumerate(alone):
            told = asked(one, n, lease=lease, round_=round_, contract=other).report
            if told is not None:
                with writing(one, now=now) as pen:
                    report_with(pen, told, source="the desk")
    for model in (models.Operation, models.Observation, models.Reading):
        assert alike(together, model) == alike(alone, model)
    assert models.Reading.objects.filter(operation_id__in=together).count() > 40


def test_an_answer_that_can_not_be_stored_is_a_failed_ask_and_stops_no_other(contract):
    ids = waiting(contract, range(3), begun_at=later(0))
    lease = uuid4()
    batch = [asked(one, n, lease=lease, round_=0, contract=contract) for n, one in enumerate(ids)]
    poisoned = Report(
        **{**{name: getattr(batch[1].report, name) for name in Report.__slots__}, "headers": (("x", "\0"),)}
    )
    batch[1] = Asked(**{**{name: getattr(batch[1], name) for name in Asked.__slots__}, "report": poisoned})
    record(batch, lease=lease, report_with=STORE, now=later(70))
    assert set(models.Observation.objects.values_list("operation_id", flat=True)) == {ids[0], ids[2]}
    assert models.Due.objects.get(operation_id=ids[1]).failure.startswith("The answer could not be stored: ")


def test_an_answer_after_its_lease_lapsed_is_stored_once_and_leaves_the_other_lease(contract):
    ids = waiting(contract, range(2), begun_at=later(0))
    late = claim(uuid4(), now=later(60), within=20, leased_for=60)
    before = load(ids)
    again = claim(uuid4(), now=later(200), within=20, leased_for=60)
    batch = [asked(one, n, lease=late.lease, round_=0, contract=contract) for n, one in enumerate(ids)]
    for _ in range(2):
        record(batch, lease=late.lease, report_with=STORE, before=before, now=later(201))
    assert models.Observation.objects.count() == 2
    assert set(models.Due.objects.values_list("lease", flat=True)) == {again.lease}


def test_what_was_learnt_between_question_and_answer_is_judged_with_it(contract):
    (one,) = waiting(contract, [0], begun_at=later(0))
    claimed = claim(uuid4(), now=later(60), within=20, leased_for=60)
    before = load([one])
    seal(one, now=later(61), by=BY)
    answer = asked(one, 0, lease=claimed.lease, round_=0, contract=contract)
    record([answer], lease=claimed.lease, report_with=STORE, before=before, now=later(70))
    row = models.Operation.objects.get(id=one)
    assert (row.sealed, row.evidence, row.further_effect) == (True, "applied", "excluded")
    assert whole(one)


def test_an_answer_is_read_by_the_contract_that_is_in_force_when_it_comes(contract):
    (one,) = waiting(contract, [0], begun_at=later(0))
    claimed = claim(uuid4(), now=later(60), within=20, leased_for=60)
    before = load([one])
    newer = models.Contract.objects.create(
        recipient=contract.recipient,
        version=2,
        document=contract.document + "\n# Corrected.\n",
        digest="1" * 64,
        created_at=later(65),
        published_at=later(65),
    )
    answer = asked(one, 0, lease=claimed.lease, round_=0, contract=contract)
    record([answer], lease=claimed.lease, report_with=STORE, before=before, now=later(70))
    assert models.Reading.objects.get().contract_id == newer.id
    assert models.Operation.objects.get(id=one).judged_by_id == newer.id
