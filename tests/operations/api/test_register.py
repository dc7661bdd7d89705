"""An operation is registered with its first attempt before anything is sent, or nothing is written and it may not be."""

from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, connections

from operations import models
from operations.models.identifiers import uuid7
from tests.operations.api.calls import NOTHING, changed, in_base64, program, registration, rows
from tests.operations.rows import NOW, contract, later, observed

pytestmark = pytest.mark.django_db

REQUIRED = ("recipient", "identity", "request", "attempt")
WRONG = [
    # where, what, the rule that names it
    ("/recipient", 7, "string_type"),
    ("/recipient", "", "string_too_short"),
    ("/recipient", "a b", "string_pattern_mismatch"),
    ("/identity", "", "string_too_short"),
    ("/identity", "x" * 256, "string_too_long"),
    ("/identity", "one\ntwo", "no_control"),
    ("/identity", "nul\x00", "no_control"),
    ("/identity", ["order-1"], "string_type"),
    ("/request", "POST /", "model_type"),
    ("/request/method", "P OST", "no_space"),
    ("/request/target", "/desks/\n/tickets", "no_space"),
    ("/request/target", "/" + "x" * 2048, "string_too_long"),
    ("/request/headers", {"a": "b"}, "list_type"),
    ("/request/headers/0", ["Idempotency-Key"], "too_short"),
    ("/request/headers/0", ["Idempotency-Key", "order-1", "x"], "too_long"),
    ("/request/headers/1/1", 5, "string_type"),
    ("/request/headers/1/1", "a\nb", "no_control"),
    ("/request/headers/1/0", "Content Type", "token"),
    ("/request/headers", [["x", "y"]] * 101, "too_long"),
    ("/request/body", {"parcel": "Cedar"}, "base64"),
    ("/request/body", "not base64!", "base64"),
    ("/request/body", "QQ", "base64"),
    ("/request/body", in_base64(b"x" * 1_048_577), "too_long"),
    ("/request/arguments", in_base64(b'{"a": 1, "a": 2}'), "duplicate_name"),
    ("/request/arguments", in_base64(b'{"a": NaN}'), "not_a_number"),
    ("/request/scope", "a\x00b", "no_control"),
    ("/request/curl", "-v", "extra_forbidden"),
    ("/attempt/id", "", "string_too_short"),
    ("/attempt/id", "?", "reserved"),
    ("/attempt/id", "x" * 129, "string_too_long"),
    ("/attempt/sends", "once", "literal_error"),
    ("/attempt/sends", True, "literal_error"),
    ("/attempt/begun_at", 1_777_885_200, "rfc_3339"),
    ("/attempt/begun_at", "2026-05-04T09:00:00", "rfc_3339"),
    ("/attempt/begun_at", "2026-05-04", "rfc_3339"),
    ("/attempt/begun_at", "2026-13-04T09:00:00Z", "rfc_3339"),
    ("/attempt/begun_at", "1999-05-04T09:00:00Z", "rfc_3339"),
    ("/attempt/begun_at", "9999-12-31T23:59:59-10:00", "rfc_3339"),
    ("/origin", {"agent": "x" * 201}, "string_too_long"),
    ("/origin", {"model": "m"}, "extra_forbidden"),
    ("/authorised_by", None, "string_type"),
    ("/deadline", "soon", "rfc_3339"),
    ("/evidence", "applied", "extra_forbidden"),
    ("/independent", True, "extra_forbidden"),
    ("/identity_known", True, "extra_forbidden"),
    ("/" + "k" * 5_000, 1, "extra_forbidden"),
]


@pytest.mark.parametrize(("pointer", "value", "rule"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_field_is_named_and_nothing_is_written(wire, pointer, value, rule):
    found = wire.post("/operations", changed(registration(), pointer, value))
    assert found.status == 422
    assert found.headers["Content-Type"] == "application/problem+json"
    field, named = found.wrong[0]
    assert named == rule
    assert (field + "/").startswith(pointer[:200]) or pointer.startswith(field[:200])
    assert rows() == NOTHING


@pytest.mark.parametrize("name", REQUIRED)
def test_what_is_required_is_asked_for(wire, name):
    found = wire.post("/operations", changed(registration(), name, ...))
    assert (found.status, found.wrong) == (422, [(f"/{name}", "missing")])
    assert found.body["detail"] == f"/{name}: is required"
    assert rows() == NOTHING


NOT_OF_THE_CONTRACT = [
    ("/request/method", "DELETE", "contract_method"),
    ("/request/target", "/refunds", "contract_target"),
    ("/request/headers/0/1", "another-key", "identity_not_carried"),
]


@pytest.mark.parametrize(("pointer", "value", "rule"), NOT_OF_THE_CONTRACT)
def test_a_request_that_the_contract_is_not_about_is_refused(wire, pointer, value, rule):
    found = wire.post("/operations", changed(registration(), pointer, value))
    assert (found.status, found.wrong[0][1]) == (422, rule)
    assert rows() == NOTHING


def test_without_a_published_contract_nothing_is_registered(wire):
    models.Recipient.objects.create(key="new", name="new", created_at=NOW)
    found = program("transport", recipients=("desk",)).post("/operations", registration(recipient="new"))
    assert (found.status, found.rule) == (403, "missing_recipient")
    recipient = models.Recipient.objects.get(key="new")
    models.Contract.objects.create(
        recipient=recipient, version=1, document=contract().document, digest="0" * 64, created_at=NOW
    )
    row = models.ApiKey.objects.get(id=wire.key[4:20])
    row.recipients.add(recipient)
    found = wire.post("/operations", registration(recipient="new"))
    assert (found.status, found.rule) == (409, "no_contract")
    assert rows() == NOTHING


def test_another_representation_under_the_identity_is_a_new_proposal_with_its_differences(wire, operation):
    before = rows()
    found = wire.post("/operations", registration(place="West", attempt="a2"))
    assert (found.status, found.rule, found.body["operation"]) == (409, "new_proposal", operation)
    assert found.body["total"] == 1
    assert found.body["differences"] == [
        {
            "pointer": "/target",
            "before": '"/desks/East/tickets"',
            "after": '"/desks/West/tickets"',
            "why": "another target is a new proposal, by any contract",
        }
    ]
    assert rows() == before


def test_a_fresh_identity_about_the_same_parcel_confronts_the_open_operation(wire, operation):
    before = rows()
    found = wire.post("/operations", registration("order-2", place="West"))
    assert (found.status, found.rule, found.body["operation"]) == (409, "confronts_open_operation", operation)
    assert "do not send" in found.body["detail"]
    assert rows() == before


def test_a_settled_operation_confronts_nobody(wire, operation):
    observed(operation, "applied", effect_refs=("T-1",), at=-1)
    assert wire.post("/operations", registration("order-2")).status == 201


def test_an_agent_may_not_say_that_it_sends_once(agent):
    found = agent.post("/operations", registration())
    assert (found.status, found.rule, found.body["scope"]) == (403, "missing_scope", "transport")
    assert rows() == NOTHING


def test_an_agent_registers_what_may_be_sent_many_times(agent):
    found = agent.post("/operations", changed(registration(), "/attempt/sends", "many"))
    assert found.status == 201
    assert models.Attempt.objects.get().sends == "many"


def test_the_same_attempt_told_otherwise_is_refused(wire, operation):
    before = rows()
    found = wire.post("/operations", changed(registration(), "/attempt/sends", "many"))
    assert (found.status, found.rule, found.body["sends"]) == (409, "attempt_differs", "one")
    assert rows() == before


def test_a_registration_is_on_record_with_its_attempt(wire):
    found = wire.post(
        "/operations",
        registration(
            origin={"agent": "desk-agent", "run": "r1", "call": "call_1", "tool": "issue_ticket"},
            authorised_by="Ada",
            deadline="2026-05-04T12:00:00+02:00",
        ),
    )
    assert found.status == 201
    assert found.body["created"]
    assert found.body["attempt"] == {"id": "a1", "recorded": True}
    kept = models.Operation.objects.get(id=found.body["operation"])
    assert kept.effect == "Issue one collection ticket for parcel Cedar at desk East"
    assert (kept.agent, kept.run, kept.call, kept.tool) == ("desk-agent", "r1", "call_1", "issue_ticket")
    assert (kept.authorised_by, kept.deadline) == ("Ada", later(3600))
    assert bytes(kept.body or b"") == b'{"parcel": "Cedar"}'
    assert (kept.identity_known, kept.created_at) == (True, NOW)
    attempt = kept.attempts.get()
    assert (attempt.attempt, attempt.sends, attempt.scope, attempt.begun_at) == ("a1", "one", "desk/main", NOW)
    assert attempt.recorded_by == f"key {wire.key[:20]}"


def test_a_tool_that_sends_no_key_is_recorded_and_told_that_nothing_protects_it(wire):
    body = registration()
    body["request"]["headers"] = []
    found = wire.post("/operations", body)
    again = wire.post("/operations", body)
    assert (found.status, again.status, again.body["operation"]) == (201, 200, found.body["operation"])
    standing = wire.get(f"/operations/{found.body['operation']}").body
    kept = models.Operation.objects.get()
    assert (kept.identity_known, kept.protection, kept.protection_reason) == (
        False,
        "unestablished",
        "identity_unknown",
    )
    assert standing["identity_known"] is False


def test_the_same_call_again_changes_nothing(wire, operation, clock):
    before = rows()
    clock.shift(60)
    again = wire.post("/operations", registration())
    assert (again.status, again.body["operation"], again.body["created"]) == (200, operation, False)
    assert again.body["attempt"] == {"id": "a1", "recorded": True}
    assert rows() == before


def test_another_attempt_at_an_operation_on_record_is_not_recorded_by_registering(wire, operation):
    """Whoever comes second must begin a further attempt, which is judged."""
    again = wire.post("/operations", registration(attempt="a2"))
    assert (again.status, again.body["attempt"]) == (200, {"id": "a2", "recorded": False})
    assert models.Attempt.objects.count() == 1


def test_a_replay_is_no_confrontation_though_a_person_let_another_in(wire, operation):
    """Two open operations about one parcel, because somebody said that both are meant."""
    from operations.recording import register
    from tests.operations.rows import BY, binding, intent, request

    register(binding(request("order-2")), intent=intent(), now=later(1), by=BY, independent=True)
    again = wire.post("/operations", registration())
    assert (again.status, again.body["operation"]) == (200, operation)


CLOCKS = [
    # begun_at, the caller's clock, what is recorded in seconds from NOW
    (None, None, 0),
    ("2026-05-04T08:59:50Z", None, -10),
    ("2026-05-04T09:00:10Z", None, 0),  # never later than the desk's now
    ("2026-05-04T07:59:50Z", "2026-05-04T08:00:00Z", -10),  # an hour slow
    ("2026-05-04T09:59:50Z", "2026-05-04T10:00:00Z", -10),  # an hour fast
    ("2026-05-04T10:00:10Z", "2026-05-04T10:00:00Z", 0),
]


@pytest.mark.parametrize(("begun_at", "shown", "seconds"), CLOCKS)
def test_times_are_on_the_desks_clock(wire, begun_at, shown, seconds):
    body = registration(clock=shown)
    assert wire.post("/operations", changed(body, "/attempt/begun_at", begun_at)).status == 201
    assert models.Attempt.objects.get().begun_at == later(seconds)


@pytest.mark.django_db(transaction=True)
def test_of_two_programs_at_once_one_registers_and_the_other_is_told_the_same_operation():
    programs = [program("transport") for _ in range(2)]
    start, ended = Barrier(2), []

    def run(number) -> Any:
        start.wait(timeout=10)
        try:
            ended.append(programs[number].post("/operations", registration()))
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(one.status for one in ended) == [200, 201]
    assert len({one.body["operation"] for one in ended}) == 1
    assert rows() == (1, 1, 0, 0, 0)
    connection.close()


def test_a_uuid_of_this_desk_sorts_by_time():
    """What lists rest on."""
    assert uuid7(NOW) < uuid7(later(1))
