"""A corrected contract reaches open operations: their observations are read anew, and the older readings stay."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar
from uuid import uuid4

import pytest
from django.db import connection

from operations import models, reading, versions
from operations.contracts.loading import library_text
from operations.core.standing import Evidence, Finality, Situation
from operations.recording import Intent, NotPermitted, begin, writing
from operations.recording.asked import Asked, Recording
from operations.recording.held import load
from operations.recording.publishing import publish
from operations.recording.rereading import WORDS_CHANNEL
from operations.reporting import report_with
from operations.rereading import reread
from tests.escalation.building import HOUR, T0, Made, operation

pytestmark = pytest.mark.django_db
TEXT = library_text("collection-desk")
MINUTE = timedelta(minutes=1)
LATER = T0 + HOUR
T = TypeVar("T")


def rewritten(*changes: tuple[str, str]) -> str:
    """The collection desk's contract with these texts in place of others."""
    text = TEXT
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


NO_CLOSING = rewritten(("    says: closed\n", "    says: indeterminate\n"))
AN_HOUR = rewritten(("guaranteed_for: {is: 86400,", "guaranteed_for: {is: 3600,"))
TWO_DAYS = rewritten(("guaranteed_for: {is: 86400,", "guaranteed_for: {is: 172800,"))


def published(text: str = TEXT) -> models.Contract:
    return publish("collection-desk", name="Collection desk", text=text, now=T0)


def closed() -> Made:
    """An operation that the desk's record shows as closed."""
    made = operation(contract=published())
    made.recorded("closed", now=T0 + MINUTE)
    return made


def under_way(identity: str = "order-1001") -> Made:
    """An operation whose reply was lost and that the record shows as under way."""
    made = operation(identity, contract=published(), parcel=identity)
    made.timed_out(now=T0 + MINUTE)
    made.recorded("processing", now=T0 + 2 * MINUTE)
    return made


def test_the_contract_of_the_first_attempt_never_changes():
    made = under_way()
    first = made.row.contract
    second = published(AN_HOUR)
    reread(now=LATER)
    assert (made.row.contract, made.row.judged_by) == (first, second)


def test_both_readings_of_an_observation_stay_and_the_newer_one_speaks():
    made = under_way()
    second = published(AN_HOUR)
    before = {row.pk: bytes(row.digest) for row in models.Reading.objects.filter(operation=made.id)}
    assert reread(now=LATER).read == 1
    rows = models.Reading.objects.filter(operation=made.id)
    assert {row.pk: bytes(row.digest) for row in rows if row.pk in before} == before
    assert rows.count() == 2 * len(before)
    assert {row.contract for row in reading.operation(made.id).rows if isinstance(row, models.Reading)} == {second}


def test_what_was_misread_is_inferred_anew():
    made = operation(contract=published(NO_CLOSING))
    made.recorded("closed", now=T0 + MINUTE)
    assert made.row.evidence == Evidence.UNKNOWN
    published(TEXT)
    reread(now=LATER)
    row = made.row
    assert (row.evidence, row.finality) == (Evidence.NOT_APPLIED, Finality.EXCLUDED)


def test_a_shorter_promise_ends_the_protection_of_what_was_sent_under_the_longer():
    made = under_way()
    assert made.row.protection == "active"
    published(AN_HOUR)
    reread(now=LATER)
    assert (made.row.protection, made.row.protection_reason) == ("unestablished", "lapsed")


def test_a_longer_promise_does_not_lengthen_the_protection_of_what_was_sent_under_the_shorter():
    made = under_way()
    until = made.row.protection_until
    published(TWO_DAYS)
    reread(now=LATER)
    assert made.row.protection_until == until == T0 + 24 * HOUR - MINUTE


def test_a_decision_stands_on_no_reading_that_was_corrected_meanwhile():
    made = under_way()
    published(AN_HOUR)
    again = Intent(attempt="a2", sends="one", scope="desk-east", begun_at=LATER)  # type: ignore[arg-type]
    with pytest.raises(NotPermitted):
        begin(made.id, again, now=LATER, by="key")
    assert models.Attempt.objects.filter(operation=made.id).count() == 1


def test_what_comes_later_is_read_by_the_version_in_force():
    made = under_way()
    second = published(AN_HOUR)
    made.learns("wire", now=LATER, attempt="a1", fact="timeout")
    assert models.Reading.objects.latest("position").contract == second


def test_no_answer_of_before_can_be_said_to_stand_unchanged_for_a_version_that_may_ask_otherwise():
    made = under_way()
    marks = {"at": 1.0, "etag": '"v1"', "fresh_until": 2.0, "not_before": 3.0}
    models.Due.objects.filter(operation=made.id).update(asked={"record": marks})
    published(AN_HOUR)
    reread(now=LATER)
    assert models.Due.objects.get(operation=made.id).asked == {"record": {"at": 1.0, "not_before": 3.0}}


def test_a_settled_operation_is_left_alone_until_something_is_written_to_it():
    made = operation(contract=published())
    made.issued("T-1", now=T0 + MINUTE)
    second = published(AN_HOUR)
    assert reread(now=LATER).read == 0
    assert reading.operation(made.id).standing(now=LATER).situation is Situation.APPLIED
    made.failed(now=LATER)
    assert made.row.judged_by == second
    assert models.Reading.objects.filter(operation=made.id).count() == 3


def test_an_operation_of_which_nothing_is_known_is_judged_by_the_newer_promise_too():
    made = operation(contract=published())
    published(AN_HOUR)
    assert reread(now=LATER).read == 1
    assert made.row.protection == "unestablished"


def test_words_are_read_by_no_contract_old_or_new():
    made = under_way()
    made.learns(WORDS_CHANNEL, now=T0 + 3 * MINUTE, words="It failed.", by="agent")
    published(AN_HOUR)
    reread(now=LATER)
    assert models.Reading.objects.filter(observation__channel=WORDS_CHANNEL).count() == 1


def test_a_second_run_finds_nothing_left():
    for name in ("one", "two", "three"):
        under_way(name)
    published(AN_HOUR)
    assert reread(now=LATER).read == 3
    revisions = list(models.Operation.objects.values_list("revision", flat=True))
    assert reread(now=LATER).read == 0
    assert list(models.Operation.objects.values_list("revision", flat=True)) == revisions


def test_a_run_that_ended_early_is_taken_up_where_it_ended():
    for name in ("one", "two", "three"):
        under_way(name)
    second = published(AN_HOUR)
    assert reread(now=LATER, most=2).read == 2
    assert versions.behind_count(second.recipient_id) == 1
    assert reread(now=LATER).read == 1
    assert versions.behind_count(second.recipient_id) == 0


def test_what_can_not_be_read_anew_is_left_as_it_is_and_keeps_nothing_waiting(caplog):
    first, second = under_way("one"), under_way("two")
    published(AN_HOUR)
    with writing(first.id, now=LATER):
        pass
    third = published(TWO_DAYS)
    # A link that is not where it should be: nothing can be appended behind it.
    models.Operation.objects.filter(id=first.id).update(links=first.row.links - 1)
    found = reread(now=LATER)
    assert (found.read, found.failed) == (1, (first.id,))
    assert "could not be read anew" in caplog.text
    assert second.row.judged_by == third
    assert versions.behind_count(first.row.recipient_id) == 1


def test_the_chain_of_an_operation_goes_on_through_its_new_readings():
    made = under_way()
    published(AN_HOUR)
    reread(now=LATER)
    last = models.Reading.objects.filter(operation=made.id).latest("position")
    row = made.row
    assert (bytes(row.head), row.links) == (bytes(last.digest), last.position + 1)


def test_publishing_writes_one_row_and_touches_no_operation(django_assert_max_num_queries):
    for name in ("one", "two", "three"):
        under_way(name)
    revisions = list(models.Operation.objects.order_by("id").values_list("revision", flat=True))
    with django_assert_max_num_queries(8):
        published(AN_HOUR)
    assert list(models.Operation.objects.order_by("id").values_list("revision", flat=True)) == revisions
    assert connection.in_atomic_block


@pytest.mark.django_db(transaction=True)
def test_what_is_being_written_to_is_read_anew_as_soon_as_it_is_released():
    """A batch of answers that holds operations when a version is published keeps the worker waiting, and no longer."""
    made = under_way()
    lease, now = uuid4(), T0 + 30 * MINUTE
    failed = Asked(
        operation_id=made.id, recipient_id=made.row.recipient_id, channel="record", at=now, ended_at=now, failure="No."
    )
    batch = Recording([failed], lease=lease, before=load([made.id]), now=now)
    batch.lock()
    with ThreadPoolExecutor(1) as thread:
        second = thread.submit(apart, lambda: published(AN_HOUR)).result()
        worker = thread.submit(apart, lambda: reread(now=LATER).read)
        while not waits_for_a_lock():
            assert not worker.done()
        for _ in batch.judge(lambda pen, report: report_with(pen, report, source="the desk")):
            pass
        batch.save()
        assert worker.result() == 1
    assert made.row.judged_by == second


def apart(do: Callable[[], T]) -> T:
    """Do something on a thread's own connection, which is closed after it."""
    try:
        return do()
    finally:
        connection.close()


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])
