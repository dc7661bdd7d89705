"""A long record is read by what decides, and by no less: as many readings as the law names, and the same conclusions."""

from dataclasses import replace

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from operations import models, reading
from operations.core.consequences import consequences
from operations.core.facts import Claim, Correlation, Facts, Observation
from operations.core.permitted import permitted
from operations.core.standing import infer
from operations.reading import restated
from operations.reading.restated import DECIDING, Wanted
from tests.core.restated import deciding
from tests.core.strategies import NOW, long_records
from tests.operations.learnt import learnt
from tests.operations.rows import contract, later, registered, request

pytestmark = pytest.mark.django_db
law = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _every_record_is_long(monkeypatch):
    monkeypatch.setattr(restated, "FEW", -1)


@pytest.fixture
def two():
    """Two operations of which nothing was learnt."""
    made = [registered(request(parcel, parcel=parcel)).operation_id for parcel in ("Cedar", "Birch")]
    return [models.Operation.objects.select_related("contract").get(id=one) for one in made]


@pytest.fixture
def newer():
    first = contract()
    values = {"document": first.document, "digest": "1" * 64, "created_at": later(0), "published_at": later(0)}
    return models.Contract.objects.create(recipient=first.recipient, version=2, **values)


def ids_by_the_law(operation):
    whole = reading.operation(operation.id)
    rows = [whole.rows[index] for index in deciding(whole.facts)]
    return {row.id for row in rows if isinstance(row, models.Reading)}


def ids_by_the_database(*operations):
    with connection.cursor() as cursor:
        cursor.execute(DECIDING, {"operations": [one.id for one in operations], "few": restated.FEW})
        return {found for (found,) in cursor.fetchall()}


def concluded(found, now):
    facts, at = found.facts, reading.seconds(now)
    standing = infer(facts, now=at)
    grounds = [(ground.terms, [found.rows[index].id for index in ground.observations]) for ground in standing.grounds]
    return grounds, permitted(standing), consequences(facts, at), reading.gaps(standing)


@law
@given(long_records(), long_records(), st.booleans())
def test_the_database_picks_what_the_law_names(two, newer, first, second, anew):
    with transaction.atomic():
        for operation, facts in zip(two, (first, second), strict=True):
            learnt(operation, facts, read_anew_by=newer if anew else None)
        expected = [ids_by_the_law(one) for one in two]
        event(f"decide: {sum(map(len, expected)) // 10 * 10} of {models.Reading.objects.count() // 10 * 10}")
        assert [ids_by_the_database(one) for one in two] == expected
        assert ids_by_the_database(*two) == expected[0] | expected[1]
        transaction.set_rollback(True)


@law
@given(long_records(), st.sampled_from([0, 3]), st.sampled_from([None, 1, 7]), st.sampled_from([0, 2]))
def test_what_is_concluded_is_the_same_whatever_is_wanted_besides(two, found, last, before, ends):
    with transaction.atomic():
        learnt(two[0], found)
        whole = reading.operation(two[0].id)
        part = reading.operation_shown(two[0].id, wanted=Wanted(last=last, before=before, ends=ends))
        assert concluded(part, later(NOW + 5)) == concluded(whole, later(NOW + 5))
        assert len(part.facts.observations) + part.left_out == len(whole.facts.observations)
        transaction.set_rollback(True)


def pending(operation, *moments, **came):
    """Answers of these moments that all say the same, put on record in this order."""
    same = Observation(at=0, channel="ledger", says=Claim.PENDING, authentic=True, correlation=Correlation.OPERATION)
    learnt(operation, Facts(events=tuple([replace(same, at=at) for at in moments])), **came)


def shown(operation, **wanted):
    """The numbers of the observations that are read."""
    found = reading.operation_shown(operation.id, wanted=Wanted(**wanted))
    assert len(found.numbers) == len(found.facts.observations)
    return sorted(found.numbers.values())


def test_a_record_without_observations_is_read(two):
    found = reading.operation_shown(two[0].id, wanted=Wanted(last=50, ends=9))
    assert (found.numbers, found.left_out, len(found.facts.attempts)) == ({}, 0, 1)


def test_what_is_wanted_is_read_besides_by_the_number_that_it_has_among_all(two):
    pending(two[0], *range(1, 21))
    assert shown(two[0], last=0, ends=0) == [1, 20]
    assert shown(two[0], last=3, ends=0) == [1, 18, 19, 20]
    assert shown(two[0], last=3, before=10, ends=0) == [1, 7, 8, 9, 20]


def test_those_received_first_and_last_are_read_whatever_their_place_on_record(two):
    pending(two[0], *range(30, 20, -1), *range(1, 11))
    assert shown(two[0], last=0, ends=2) == [1, 2, 11, 12, 20]


@pytest.mark.parametrize("came", [{"words": "He said so."}, {"status": None}])
def test_words_and_what_is_no_answer_to_a_request_are_never_left_out(two, came):
    pending(two[0], *range(1, 11))
    pending(two[0], 5, 6, 7, **came)
    assert shown(two[0], last=0, ends=0) == [1, 10, 11, 12, 13]


def test_a_record_of_which_little_was_learnt_is_read_whole(two, monkeypatch):
    monkeypatch.setattr(restated, "FEW", 200)
    pending(two[0], *range(1, 21))
    found = reading.operation_shown(two[0].id, wanted=Wanted(last=1, ends=0))
    assert (len(found.facts.observations), found.left_out) == (20, 0)
