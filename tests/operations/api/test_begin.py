"""A further attempt begins only where the core permits a repeat; the refusal is the core's own."""

from uuid import UUID, uuid4

import pytest

from operations import models
from tests.operations.api.calls import changed, program, registration, rows
from tests.operations.granted import granted
from tests.operations.rows import NOW, later, observed

pytestmark = pytest.mark.django_db

BEGIN = {"id": "a2", "sends": "one"}


def test_an_operation_that_is_not_there_begins_nothing(wire):
    assert wire.post(f"/operations/{uuid4()}/attempts", BEGIN).status == 404


def test_an_id_that_is_none_is_named(wire):
    found = wire.post("/operations/7/attempts", BEGIN)
    assert (found.status, found.wrong) == (422, [("operation_id", "uuid_parsing")])


@pytest.mark.parametrize(
    ("pointer", "value", "rule"),
    [("/id", ..., "missing"), ("/sends", "many times", "literal_error"), ("/digest", "abc", "string_pattern_mismatch"),
     ("/force", True, "extra_forbidden"), ("/scope", 1, "string_type")],
)  # fmt: skip
def test_a_wrong_field_is_named(wire, operation, pointer, value, rule):
    before = rows()
    found = wire.post(f"/operations/{operation}/attempts", changed(BEGIN, pointer, value))
    assert (found.status, found.wrong) == (422, [(pointer, rule)])
    assert rows() == before


def test_what_is_not_permitted_is_refused_with_a_history_of_harm(wire, operation):
    before = rows()
    found = wire.post(f"/operations/{operation}/attempts", BEGIN)
    assert (found.status, found.rule, found.body["action"]) == (409, "not_permitted", "repeat")
    refusal = found.body["refusal"]
    assert (refusal["kind"], refusal["rule"]) == ("harm", "anything else: repeat: unprotected")
    assert refusal["reason"] in found.body["detail"]
    assert {fate["attempt"] for fate in refusal["history"]} == {"a1", "?"}
    assert rows() == before


def test_too_soon_is_refused_until_then(wire, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(3)
    refusal = wire.post(f"/operations/{operation}/attempts", BEGIN).body["refusal"]
    assert (refusal["kind"], refusal["until"], refusal["history"]) == ("manners", later(5).timestamp(), None)
    assert refusal["until_iso"] == "2026-05-04T09:00:05Z"


def test_another_scope_is_refused(wire, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(60)
    found = wire.post(f"/operations/{operation}/attempts", {**BEGIN, "scope": "desk/other"})
    assert (found.status, found.body["refusal"]["kind"]) == (409, "harm")


def test_other_bytes_are_a_new_proposal(wire, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(60)
    found = wire.post(f"/operations/{operation}/attempts", {**BEGIN, "digest": "0" * 64})
    assert (found.status, found.rule) == (409, "new_proposal")
    assert found.body["digest"] == models.Operation.objects.get().digest
    assert models.Attempt.objects.count() == 1


def test_what_happened_is_not_repeated(wire, operation, clock):
    observed(operation, "applied", effect_refs=("T-1",), at=-1)
    clock.shift(60)
    assert wire.post(f"/operations/{operation}/attempts", BEGIN).body["refusal"]["kind"] == "settled"


def test_an_agent_may_not_say_that_it_sends_once(wire, agent, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(60)
    found = agent.post(f"/operations/{operation}/attempts", BEGIN)
    assert (found.status, found.rule) == (403, "missing_scope")
    assert models.Attempt.objects.count() == 1


@pytest.fixture
def sealed(wire, operation, clock):
    """An operation whose repeat is permitted."""
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(60)
    return operation


def test_a_sealed_record_takes_a_grant(wire, sealed):
    before = rows()
    found = wire.post(f"/operations/{sealed}/attempts", BEGIN)
    assert (found.status, found.rule) == (409, "grant_needed")
    assert "do not send" in found.body["detail"]
    assert rows() == before


def test_a_grant_takes_the_digest_of_what_is_sent(wire, sealed):
    grant = str(granted(UUID(sealed), now=later(60)))
    found = wire.post(f"/operations/{sealed}/attempts", {**BEGIN, "grant": grant})
    assert (found.status, found.wrong) == (422, [("/digest", "missing")])


def test_what_a_model_can_reach_uses_no_grant(agent, sealed):
    digest = models.Operation.objects.get().digest
    grant = str(granted(UUID(sealed), now=later(60)))
    asked = {"id": "a2", "sends": "many", "grant": grant, "digest": digest}
    assert agent.post(f"/operations/{sealed}/attempts", asked).rule == "missing_scope"
    assert agent.get(f"/operations/{sealed}/grant").rule == "missing_scope"
    assert models.Attempt.objects.count() == 1


@pytest.mark.parametrize(
    ("lasts", "wait", "rule"), [(10, 20, "grant_ended"), (600, 0, "grant_used"), (600, 1, "grant_superseded")]
)
def test_a_grant_that_will_not_do_says_why(wire, sealed, clock, lasts, wait, rule):
    body = {**BEGIN, "digest": models.Operation.objects.get().digest}
    body["grant"] = str(granted(UUID(sealed), now=later(60), lasts=lasts))
    clock.shift(wait)
    if rule == "grant_used":
        assert wire.post(f"/operations/{sealed}/attempts", body).status == 201
        clock.shift(30)
    if rule == "grant_superseded":
        granted(UUID(sealed), now=later(61))
    found = wire.post(f"/operations/{sealed}/attempts", {**body, "id": "a3"})
    assert (found.status, found.rule) == (409, rule)
    assert wire.get(f"/operations/{sealed}/grant").status == (200 if rule == "grant_superseded" else 404)


def test_no_grant_waits_where_nobody_gave_one(wire, sealed):
    found = wire.get(f"/operations/{sealed}/grant")
    assert (found.status, found.rule) == (404, "no_grant")


def test_who_fetches_results_finds_the_grant_and_begins_with_it(sealed):
    fetcher = program("collect")
    grant = granted(UUID(sealed), now=later(60))
    found = fetcher.get(f"/operations/{sealed}/grant")
    digest = models.Operation.objects.get().digest
    assert (found.status, found.body["grant"], found.body["digest"]) == (200, str(grant), digest)
    assert (found.body["action"], found.body["ends_at"]) == ("repeat", later(660).timestamp())
    asked = {"id": "a2", "sends": "many", "grant": found.body["grant"], "digest": digest}
    assert fetcher.post(f"/operations/{sealed}/attempts", asked).status == 201
    assert fetcher.get(f"/operations/{sealed}/grant").status == 404


def test_who_fetches_results_begins_nothing_without_a_grant(sealed):
    found = program("collect").post(f"/operations/{sealed}/attempts", {"id": "a2", "sends": "many"})
    assert (found.status, found.rule) == (409, "grant_needed")


def test_a_protected_repeat_begins_and_again_is_the_same(wire, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(60)
    digest = models.Operation.objects.get().digest
    grant = str(granted(UUID(operation), now=later(60)))
    found = wire.post(f"/operations/{operation}/attempts", {**BEGIN, "digest": digest, "grant": grant})
    assert (found.status, found.body["number"], found.body["attempt"]) == (201, 2, {"id": "a2", "recorded": True})
    kept = models.Attempt.objects.get(number=2)
    assert (kept.scope, kept.begun_at, kept.recorded_at) == ("desk/main", later(60), later(60))
    clock.shift(1)
    again = wire.post(f"/operations/{operation}/attempts", BEGIN)
    assert (again.status, again.body) == (200, {**found.body, "created": False})
    assert models.Attempt.objects.count() == 2


def test_the_same_attempt_told_otherwise_is_refused(wire, operation):
    found = wire.post(f"/operations/{operation}/attempts", {"id": "a1", "sends": "many"})
    assert (found.status, found.rule) == (409, "attempt_differs")


def test_a_sealed_record_stays_sealed(wire, operation, clock):
    first = wire.post(f"/operations/{operation}/seal", {})
    again = wire.post(f"/operations/{operation}/seal", {})
    assert (first.status, again.status) == (200, 200)
    assert first.body == again.body
    assert first.body["standing"]["sealed"]
    assert (first.body["standing"]["protection"], rows()[-1]) == ("active", 1)
    assert models.Seal.objects.get().sealed_at == NOW


def test_a_seal_says_nothing_else(wire, operation):
    found = wire.post(f"/operations/{operation}/seal", {"complete": True})
    assert (found.status, found.wrong) == (422, [("/complete", "extra_forbidden")])
    assert rows()[-1] == 0


def test_an_operation_is_found_again_by_registering_again(wire, operation):
    assert wire.post("/operations", registration()).body["operation"] == operation
