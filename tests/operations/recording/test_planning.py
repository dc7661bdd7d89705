"""Whoever changes what is known of an operation plans its next ask with it; a plan changes no verdict."""

from datetime import timedelta

import pytest

from operations import models
from operations.core.schedule import Reason, Timing
from operations.recording import begin, planning, register_many, seal
from operations.recording.planning import key_of
from tests.operations.granted import granted
from tests.operations.rows import BY, NOW, binding, intent, later, observed, registered, request

pytestmark = pytest.mark.django_db


def due() -> models.Due | None:
    return models.Due.objects.first()


def test_a_new_operation_is_planned_with_its_first_attempt():
    operation_id = registered().operation_id
    found = due()
    assert found is not None
    assert (found.operation_id, found.channel, found.why, found.asks_made) == (operation_id, "record", "backoff", 0)
    assert found.at is not None
    assert NOW < found.at <= later(5)
    assert (found.person_at, found.person_because) == (later(60), Reason.UNKNOWN_TOO_LONG)


def test_a_batch_is_planned_as_each_alone_would_be():
    registered(request("order-1", parcel="Elm"))
    register_many([(binding(request("order-2", parcel="Oak")), intent())], now=NOW, by=BY)
    of_one = {"operation_id", "at"}  # asks are spread by the operation's id
    rows = models.Due.objects.order_by("operation__number").values()
    one, other = ({name: value for name, value in row.items() if name not in of_one} for row in rows)
    assert one == other


def test_an_identity_that_is_taken_plans_nothing_more():
    registered()
    registered()
    assert models.Due.objects.count() == 1


def test_what_is_settled_has_no_plan():
    operation_id = registered().operation_id
    seal(operation_id, now=later(1), by=BY)
    observed(operation_id, "applied", effect_refs=("T-1",))
    assert models.Operation.objects.get().further_effect == "excluded"
    assert due() is None


def test_what_happened_and_could_happen_again_is_watched_and_needs_nobody():
    observed(registered().operation_id, "applied", effect_refs=("T-1",))
    found = due()
    assert found is not None
    assert (found.why, found.person_at) == (Timing.WATCH, None)


def test_a_contradiction_calls_a_person_at_once_and_comes_back_after_a_plan_had_ended():
    operation_id = registered().operation_id
    seal(operation_id, now=later(1), by=BY)
    observed(operation_id, "applied", event="e1", effect_refs=("T-1",))
    assert due() is None
    observed(operation_id, "absent", event="e2", at=120)
    found = due()
    assert found is not None
    assert (found.person_because, found.person_at) == (Reason.CONFLICT, later(120))


def test_a_further_attempt_opens_the_question_anew():
    operation_id = registered().operation_id
    models.Due.objects.update(asks_made=7)
    seal(operation_id, now=later(1), by=BY)
    models.Due.objects.update(asks_made=7)
    grant = granted(operation_id, now=later(399))
    begin(operation_id, intent("a2", at=400), now=later(400), by=BY, grant=grant)
    found = due()
    assert found is not None
    assert (found.asks_made, found.since) == (0, later(400))


def test_an_attempt_that_is_told_to_begin_in_the_future_puts_nothing_off():
    registered_at = NOW + timedelta(days=365)
    register_many([(binding(), intent(at=365 * 86_400))], now=NOW, by=BY)
    found = due()
    assert found is not None
    assert found.at is not None
    assert found.at < registered_at
    assert found.since == NOW


def test_a_person_who_asked_puts_the_next_ask_off():
    operation_id = registered().operation_id
    observed(operation_id, "absent", at=60)  # an answer to a question that was asked then
    after = due()
    assert after is not None
    assert after.asks_made == 0
    assert after.asked["record"]["at"] == later(60).timestamp()
    assert after.at is not None
    assert after.at > later(60)


def test_the_app_may_not_move_a_plan_to_another_operation():
    from django.db import ProgrammingError, transaction

    registered()
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        models.Due.objects.update(operation_id=models.Operation.objects.get().id)


@pytest.mark.parametrize(
    ("named", "ahead"), [({}, 240), ({"elsewhere": 900.0}, 240), ({"desk": 900.0}, 900), ({"desk": 30.0}, 30)]
)
def test_a_person_is_called_as_long_before_an_end_as_the_settings_say_for_the_recipient(settings, named, ahead):
    settings.CALL_AHEAD_FOR = named
    key_of.cache_clear()
    operation_id = registered().operation_id
    seal(operation_id, now=later(1), by=BY)
    row = models.Operation.objects.get()
    found = planning.learnt(row, due(), row.attempts.all(), now=later(2))
    assert found is not None
    assert row.protection_until is not None
    ends = next(need.at for need in found.needs if need.reason is Reason.PROTECTION_ENDS)
    assert ends == row.protection_until.timestamp() - ahead
