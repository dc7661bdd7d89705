"""A record is kept once, without its secrets, and what it shows is read with the other records of its run."""

import json
import zlib
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from operations import models, runs
from operations.imports import ImportRefused
from operations.imports.document import LARGEST, read
from operations.reading import runs as reading
from operations.recording import runs as recording
from operations.runs import bringing as module
from tests.operations.imports.records import DATA, encoded, named
from tests.operations.runs.bringing import BY, brought, chat, later

pytestmark = pytest.mark.django_db
SECRETS = {
    "$schemaVersion": "1.17",
    "model_responses": [
        {
            "response_id": "r1",
            "output": [
                {
                    "type": "function_call",
                    "call_id": "call_1",
                    "name": "issue_ticket",
                    "arguments": '{"parcel": "Cedar", "api_key": "quokka-1"}',
                }
            ],
        }
    ],
    "context": {"context": {"customer": "quokka-2"}, "tool_invocations": {}},
    "trace": {"tracing_api_key": "quokka-3"},
    "original_input": "Use Bearer quokka-4.quokka-4",
    "extra": {"headers": [["Authorization", "quokka-5"]]},
}


def facts(run: models.Run) -> dict[str, dict[str, Any]]:
    return {call.call_id: call.shown() for call in runs.calls_of(run)}


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "empty"),
        (b"{", "syntax"),
        (b'{"messages": [], "messages": []}', "duplicate_name"),
        (b'{"messages": [NaN]}', "not_a_number"),
        (b'{"messages": ' + b"[" * 5000 + b"]" * 5000 + b"}", "too_deep"),
        (b'{"hello": 1}', "format"),
        (b"\xff\xfe", "utf_8"),
        (b" " * (LARGEST + 1), "too_large"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_rule_and_nothing_is_stored(content, rule):
    with pytest.raises(ImportRefused) as refused:
        runs.bring(content, name="x", by=BY, now=later(0))
    assert refused.value.rule == rule
    assert not models.Upload.objects.exists()


def test_a_record_of_more_calls_than_anyone_reads_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_CALLS", 1)
    with pytest.raises(ImportRefused, match="must not hold more than 1 calls"):
        runs.bring(chat(("a", "{}", None), ("b", "{}", None)), name="x", by=BY, now=later(0))


def test_what_somebody_else_brought_is_not_kept():
    seen = runs.bring(chat(("a", "{}", None)), name="x", by="another", now=later(0))
    with pytest.raises(recording.NoSuchUpload):
        runs.keep(seen.upload.id, run=None, name="r", recipient_id=None, by=BY, now=later(0))
    assert not models.Run.objects.exists()


def test_what_is_not_there_is_not_kept():
    with pytest.raises(recording.NoSuchUpload):
        runs.preview(uuid4(), by=BY)


def test_a_run_that_is_full_takes_no_more(monkeypatch):
    monkeypatch.setattr(module, "MOST_RECORDS", 1)
    run = brought(chat(("a", "{}", None))).transcript.run
    with pytest.raises(runs.TooManyRecords):
        brought(chat(("b", "{}", None)), run=run)
    assert len(facts(run)) == 1


def test_no_secret_is_stored_and_what_is_dropped_is_said():
    kept = brought(encoded(SECRETS)).transcript
    row = models.Transcript.objects.get()
    stored = [zlib.decompress(bytes(row.content)).decode()]
    stored += [json.dumps(one) for one in models.Showing.objects.values_list("facts", flat=True)]
    stored += [json.dumps(call.shown()) for call in runs.calls_of(kept.run)]
    assert "quokka" not in "".join(stored)
    assert row.dropped == [
        ["/model_responses/0/output/0/arguments", "secret_text"],
        ["/context/context", "context"],
        ["/trace/tracing_api_key", "secret_name"],
        ["/original_input", "secret_text"],
        ["/extra/headers/0/1", "secret_name"],
    ]
    assert row.left_out == ["the member 'extra' is not read"]


def test_the_same_bytes_again_change_nothing():
    first = brought(chat(("a", "{}", None)))
    again = brought(chat(("a", "{}", None)), run=first.transcript.run, at=60)
    assert (first.created, again.created) == (True, False)
    assert again.transcript.pk == first.transcript.pk
    assert (models.Transcript.objects.count(), models.Showing.objects.count(), models.Upload.objects.count()) == (
        1,
        1,
        0,
    )


def test_a_later_record_adds_and_never_erases():
    run = brought(chat(("a", '{"x": 1}', None), ("b", "{}", "done"))).transcript.run
    brought(chat(("a", '{"x": 1}', "T-1")), run=run, at=60)
    found = facts(run)
    assert list(found) == ["a", "b"]
    assert found["a"]["outputs"] == [["claims_result", "T-1"]]
    assert found["b"]["outputs"] == [["claims_result", "done"]]


def test_an_older_record_that_comes_later_erases_nothing_either():
    run = brought(chat(("a", '{"x": 1}', "T-1"))).transcript.run
    before = facts(run)
    brought(chat(("a", '{"x": 1}', None)), run=run, at=60)
    assert facts(run) == before


def test_two_outputs_of_one_call_are_a_conflict_between_records():
    run = brought(chat(("a", "{}", "T-1"))).transcript.run
    brought(chat(("a", "{}", "T-2")), run=run)
    assert "conflicting_outputs" in facts(run)["a"]["reasons"]


@pytest.mark.parametrize("first", ["runstate", "model_inputs"])
def test_a_state_and_the_log_of_its_requests_are_read_together_in_either_order(first):
    name = "02b_mixed_missing_tool_resumed__sdk0.22.1"
    second = "model_inputs" if first == "runstate" else "runstate"
    run = brought(named(f"{first}/{name}")).transcript.run
    brought(named(f"{second}/{name}"), run=run, at=60)
    assert facts(run)["call_Sm32"]["delivered"] == "not_sent"
    assert models.Transcript.objects.get(read_with__isnull=False).received_at == later(60)


def test_a_second_source_fills_the_names_that_the_first_lost():
    name = "17c_resumed_conversation"
    run = brought(named(f"runstate/{name}")).transcript.run
    assert "identity_only" in facts(run)["call_500"]["reasons"]
    brought(named(f"model_inputs/{name}"), run=run, at=60)
    assert facts(run)["call_500"]["name"] == "launch_instance"


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*_*.json*")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_kept_of_a_real_record_reads_as_the_record_does(path: Path):
    if path.parent.name in {"runstate", "chat", "langgraph"}:
        run = brought(path.read_bytes()).transcript.run
        assert list(facts(run).values()) == [call.shown() for call in module._imported(read(path.read_bytes())).calls]


def test_what_no_database_holds_is_kept_visibly():
    run = brought(chat(("a\0b", "{}", "x\0y"))).transcript.run
    assert list(facts(run)) == ["a\u2400b"]


def test_what_was_looked_at_is_forgotten_within_a_day():
    runs.bring(chat(("a", "{}", None)), name="x", by=BY, now=later(0))
    runs.bring(chat(("b", "{}", None)), name="x", by="another", now=later(86_401))
    assert models.Upload.objects.count() == 1


def test_somebody_has_few_uploads_to_look_at():
    for number in range(recording.MOST_UPLOADS + 2):
        runs.bring(chat((str(number), "{}", None)), name="x", by=BY, now=later(number))
    assert models.Upload.objects.count() == recording.MOST_UPLOADS


def test_a_call_is_placed_and_judged_by_all_records():
    run = brought(chat(("a", "{}", None))).transcript.run
    brought(chat(("a", "{}", None), ("b", "{}", "done"), ("c", "{}", None)), run=run, at=60)
    rows = [
        (row.call_id, row.open, row.tool, row.reasons)
        for row in reading.calls(run, unresolved=False, after=None, limit=9)
    ]
    assert rows == [
        ("a", True, "issue_ticket", ["no_output"]),
        ("b", True, "issue_ticket", ["same_arguments_again_after:a"]),
        ("c", True, "issue_ticket", ["no_output", "same_arguments_again_after:a"]),
    ]


def test_a_request_whose_reply_was_lost_is_known_as_sent_and_nothing_more():
    name = "12_output_sent_reply_lost"
    run = brought(named(f"runstate/{name}")).transcript.run
    brought(named(f"model_inputs/{name}"), run=run, at=60)
    [call] = [one for one in facts(run).values() if one.get("delivered") == "sent_no_reply"]
    assert (call["consumed"], call["reasons"]) == ("unknown", ["delivery_unknown"])
    assert not models.Operation.objects.exists()
