"""Replies are read by the contract, facts of the wire speak for the client's side, and words settle nothing."""

import json
from hashlib import sha256

import pytest

from operations import models
from operations.reporting import WORDS_CHANNEL
from tests.operations.api.calls import changed, in_base64, issued, reply, rows
from tests.operations.rows import later

pytestmark = pytest.mark.django_db

FACT = {"event": "e1", "attempt": "a1", "fact": "not_sent"}
WORDS = {"event": "e1", "words": "The ticket was issued, I am sure: T-1.", "attempt": "a1"}
WRONG = [
    ("replies", "/event", "", "string_too_short"),
    ("replies", "/event", "x" * 101, "string_too_long"),
    ("replies", "/attempt", ..., "missing"),
    ("replies", "/status", 99, "greater_than_equal"),
    ("replies", "/status", 600, "less_than_equal"),
    ("replies", "/status", "201", "int_type"),
    ("replies", "/status", 201.0, "int_type"),
    ("replies", "/status", True, "int_type"),
    ("replies", "/headers/0/1", "x" * 8193, "string_too_long"),
    ("replies", "/body", "%%", "base64"),
    ("replies", "/truncated", "no", "bool_type"),
    ("replies", "/received_at", "now", "rfc_3339"),
    ("replies", "/channel", "record", "channel"),
    ("replies", "/channel", "counter", "channel"),
    ("replies", "/channel", "nowhere", "channel"),
    ("replies", "/says", "applied", "extra_forbidden"),
    ("replies", "/authentic", True, "extra_forbidden"),
    ("facts", "/fact", "sent", "literal_error"),
    ("facts", "/attempt", "?", "reserved"),
    ("facts", "/channel", "record", "extra_forbidden"),
    ("words", "/words", "", "string_too_short"),
    ("words", "/words", "x" * 10_001, "string_too_long"),
    ("words", "/words", "nul\x00", "no_nul"),
    ("words", "/channel", "reply", "extra_forbidden"),
]
BODIES = {"replies": reply(), "facts": FACT, "words": WORDS}


@pytest.mark.parametrize(("kind", "pointer", "value", "rule"), WRONG, ids=lambda value: str(value)[:30])
def test_a_wrong_field_is_named_and_nothing_is_written(wire, agent, operation, kind, pointer, value, rule):
    before = rows()
    caller = agent if kind == "words" else wire
    found = caller.post(f"/operations/{operation}/{kind}", changed(BODIES[kind], pointer, value))
    assert (found.status, found.wrong) == (422, [(pointer, rule)])
    assert rows() == before


@pytest.mark.parametrize("kind", ["replies", "facts"])
def test_of_what_this_desk_sends_no_key_reports_what_came_of_it(wire, operation, kind):
    attempt = models.Attempt.objects.get()
    models.Dispatch.objects.create(
        attempt=attempt, operation_id=operation, address="https://desk.example", credential="DESK", send_by=later(60)
    )
    before = rows()
    found = wire.post(f"/operations/{operation}/{kind}", BODIES[kind])
    assert (found.status, found.rule, rows()) == (409, "sent_by_this_desk", before)


def test_a_reply_is_read_by_the_contract_and_settles_it(wire, operation, clock):
    clock.shift(2)
    found = wire.post(f"/operations/{operation}/replies", reply())
    assert found.status == 201
    assert found.body["standing"]["evidence"] == "applied"
    kept, claim = models.Observation.objects.get(), models.Reading.objects.get()
    assert (kept.channel, kept.attempt, kept.status, kept.authentic) == ("reply", "a1", 201, True)
    assert (bytes(kept.payload or b""), kept.headers) == (issued(), [["Content-Type", "application/json"]])
    assert kept.source == f"key {wire.key[:20]}"
    assert (claim.says, claim.counts, claim.effect_refs, claim.correlation) == ("applied", True, ["T-1"], "operation")


def test_a_reply_about_another_operation_settles_nothing(wire, operation, clock):
    clock.shift(2)
    found = wire.post(f"/operations/{operation}/replies", reply(body=issued("order-9")))
    assert found.status == 201
    assert found.body["standing"]["evidence"] == "unknown"
    assert models.Reading.objects.get().correlation == "mismatch"


@pytest.mark.parametrize(
    "body", [b"<html>Bad gateway</html>", b"", b'{"key": "order-1", "key": "order-2"}', b"\xff\x00"]
)
def test_a_reply_that_nothing_can_be_read_from_is_kept(wire, operation, body):
    found = wire.post(f"/operations/{operation}/replies", reply(status=502, body=body))
    assert found.status == 201
    assert (models.Reading.objects.get().says, found.body["standing"]["evidence"]) == ("indeterminate", "unknown")
    assert bytes(models.Observation.objects.get().payload or b"") == body


def test_a_reply_that_was_cut_off_reads_as_nothing(wire, operation):
    found = wire.post(f"/operations/{operation}/replies", reply(truncated=True))
    assert found.body["standing"]["evidence"] == "unknown"


def test_the_same_event_again_changes_nothing(wire, operation, clock):
    first = wire.post(f"/operations/{operation}/replies", reply())
    before = rows()
    again = wire.post(f"/operations/{operation}/replies", reply())
    assert (first.status, again.status, again.body["created"]) == (201, 200, False)
    assert again.body["observation"] == first.body["observation"]
    assert rows() == before


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("/body", in_base64(issued(number="T-2"))), ("/status", 500), ("/headers", []), ("/attempt", "a2")],
)
def test_an_event_that_is_told_again_otherwise_is_refused_not_dropped(wire, operation, pointer, value):
    first = wire.post(f"/operations/{operation}/replies", reply())
    before = rows()
    found = wire.post(f"/operations/{operation}/replies", changed(reply(), pointer, value))
    assert (found.status, found.rule) == (409, "event_differs")
    assert found.body["observation"] == first.body["observation"]
    assert rows() == before


def test_late_truth_is_stored_after_it_is_settled(wire, operation, clock):
    clock.shift(2)
    wire.post(f"/operations/{operation}/replies", reply())
    found = wire.post(f"/operations/{operation}/replies", reply("e2", body=issued(number="T-2")))
    assert found.status == 201
    assert found.body["standing"]["duplicate_effect"]


def test_a_reply_to_an_attempt_that_is_not_on_record_is_stored_and_the_record_has_a_gap(wire, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(2)
    found = wire.post(f"/operations/{operation}/replies", reply(attempt="a9"))
    assert (found.body["standing"]["evidence"], found.body["standing"]["further_effect"]) == ("applied", "possible")


def test_nothing_written_rules_it_out_once_the_record_is_sealed(wire, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(1)
    found = wire.post(f"/operations/{operation}/facts", FACT)
    assert found.status == 201
    standing = found.body["standing"]
    assert (standing["evidence"], standing["finality"]) == ("not_applied", "excluded")
    assert set(standing["permitted"]) >= {"record", "propose_new"}


def test_nothing_written_says_nothing_of_an_attempt_that_may_be_sent_many_times(agent, wire, clock):
    from tests.operations.api.calls import registration

    body = changed(registration(), "/attempt/sends", "many")
    operation = agent.post("/operations", body).body["operation"]
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(1)
    found = wire.post(f"/operations/{operation}/facts", FACT)
    assert found.body["standing"]["evidence"] == "unknown"
    assert len(found.body["standing"]["not_counted"]) == 1


def test_words_are_never_evidence(agent, operation, clock):
    clock.shift(2)
    claim = json.dumps({"status": 201, "says": "applied", "ticket": "T-1"})
    found = agent.post(f"/operations/{operation}/words", {**WORDS, "words": claim})
    assert found.status == 201
    standing = found.body["standing"]
    assert standing["evidence"] == "unknown"
    assert standing["not_counted"][0]["observation"] == found.body["observation"]
    kept, read_as = models.Observation.objects.get(), models.Reading.objects.get()
    assert (kept.words, kept.channel, kept.authentic, kept.payload) == (claim, WORDS_CHANNEL, False, None)
    assert (read_as.says, read_as.counts, read_as.attempt) == ("indeterminate", False, None)


def test_no_contract_can_list_the_channel_of_words():
    from pydantic import TypeAdapter, ValidationError

    from operations.contracts.channel import Name

    with pytest.raises(ValidationError):
        TypeAdapter(Name).validate_python(WORDS_CHANNEL)


def test_an_agents_event_takes_no_id_away_from_the_wire(agent, wire, operation, clock):
    """Else words that came first would keep the reply out."""
    clock.shift(2)
    for event in ("e1", "reply:e1"):
        assert agent.post(f"/operations/{operation}/words", {**WORDS, "event": event}).status == 201
    found = wire.post(f"/operations/{operation}/replies", reply("e1"))
    assert (found.status, found.body["standing"]["evidence"]) == (201, "applied")


def test_a_payload_is_shown_by_its_digest(wire, operation, reader):
    wire.post(f"/operations/{operation}/replies", reply())
    (shown,) = reader.get(f"/operations/{operation}").body["observations"]
    assert (shown["payload_bytes"], shown["payload_sha256"]) == (len(issued()), sha256(issued()).hexdigest())
    assert "payload" not in shown


def test_a_line_that_hands_a_secret_out_is_not_kept(wire, operation):
    lines = [["Set-Cookie", "sid=hush"], ["Content-Type", "application/json"]]
    assert wire.post(f"/operations/{operation}/replies", {**reply(), "headers": lines}).status == 201
    assert models.Observation.objects.get(payload__isnull=False).headers == [lines[1]]
