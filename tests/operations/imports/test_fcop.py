"""Records of FCoP and CodeFlowMu show what was asked, decided, told and evidenced; never that anything failed or happened."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from operations.imports import Call, ImportRefused, imported, imported_folder
from operations.imports.fcop import wanted
from tests.operations.imports.records import encoded

ROOT = Path(__file__).parents[2] / "data" / "fcop"
FILES = {
    name: path.read_bytes()
    for path in sorted(ROOT.rglob("*"))
    if path.is_file() and wanted(name := path.relative_to(ROOT).as_posix())
}
TASK = "fcop/_lifecycle/inbox/TASK-20261130-002-PM-to-DEV.md"


@pytest.fixture(scope="module")
def calls() -> dict[str, Call]:
    return {call.call_id: call for call in imported_folder(FILES).calls}


def approval(number: int) -> str:
    return f"APPROVAL-20261130-{number:012x}"


def task(number: int) -> str:
    return f"TASK-20261130-{number:03}-PM-to-DEV"


def facts(call: Call) -> tuple[Any, ...]:
    shown = call.shown()
    return shown["gate"], shown["started"], [kind for kind, _ in shown.get("outputs", [])], shown.get("reasons", [])


@pytest.mark.parametrize("files", [{}, {"fcop/fcop.json": b"{}"}, {"fcop/x.json": b"{"}])
def test_a_folder_without_a_record_is_refused(files):
    with pytest.raises(ImportRefused, match="no folder of FCoP or CodeFlowMu"):
        imported_folder(files)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"# no head\n", "format"),
        (b"---\na: 1\na: 2\n---\n", "duplicate_key"),
        (b"---\na: &x 1\nb: *x\n---\n", "anchor"),
        (b"---\n- a\n---\n", "format"),
        (b"---\na: \xff\n---\n", "utf_8"),
    ],
)
def test_a_file_that_can_not_be_read_is_told_with_its_rule_and_leaves_the_others(content, rule):
    found = imported_folder({**FILES, "fcop/_lifecycle/inbox/TASK-20261130-009-PM-to-DEV.md": content})
    assert len(found.calls) == 17
    assert any("TASK-20261130-009" in one and f"({rule})" in one for one in found.left_out)


def test_a_log_of_actions_with_a_foreign_line_is_refused():
    row = next(content for name, content in FILES.items() if name.endswith(".jsonl"))
    with pytest.raises(ImportRefused, match="must be a line"):
        imported(row + b'{"level": "info"}\n')


@pytest.mark.parametrize(
    ("number", "gate", "started", "outputs", "first"),
    [
        (1, "waiting", "no", [], "awaiting_decision"),
        (2, "rejected", "no", [], "decided_not_executed"),
        (3, "approved", "no", [], "decided_not_executed"),
        (4, "none", "unknown", [], "no_output"),
        (5, "none", "yes", ["claims_result"], "same_arguments_again_after:" + approval(4)),
        (6, "none", "yes", ["inconclusive"], "output_inconclusive"),
        (7, "none", "yes", [], "no_output"),
        (8, "none", "no", [], "no_output"),
    ],
)
def test_an_approval_shows_its_gate_and_what_was_evidenced(calls, number, gate, started, outputs, first):
    assert facts(calls[approval(number)])[:3] == (gate, started, outputs)
    assert facts(calls[approval(number)])[3][0] == first


@pytest.mark.parametrize(
    ("number", "decided"),
    [
        (1, (None, None, None)),
        (3, ("approved", "no", "no")),
        (4, ("approved", "yes", "yes")),
        (2, ("rejected", "yes", "no")),
    ],
)
def test_a_decision_is_made_told_and_used_apart_from_the_output(calls, number, decided):
    call = calls[approval(number)]
    assert (call.decision, call.decision_delivered, call.decision_consumed) == decided


def test_that_a_decision_was_told_says_nothing_of_the_outputs_delivery(calls):
    assert [calls[approval(number)].shown().get("delivered") for number in (4, 5)] == [None, "unknown"]


def test_every_fact_of_an_approval_says_where_it_stands(calls):
    where = f".codeflowmu/operation-approvals/records/{approval(5)}.json:"
    assert calls[approval(5)].pointers["output"] == [f"{where} /execution/evidence/0"]
    assert calls[approval(5)].pointers["decision_delivered"] == [f"{where} /decision_delivery"]


@pytest.mark.parametrize(
    ("call_id", "kind"),
    [("tool-1", "claims_result"), ("tool-2", "inconclusive"), ("act-20261130-000003", "claims_result")],
)
def test_a_row_of_evidence_is_an_output_and_a_failed_one_settles_nothing(calls, call_id, kind):
    call = calls[call_id]
    assert (call.started.value, [one.kind.value for one in call.outputs], call.delivered) == ("yes", [kind], "unknown")


@pytest.mark.parametrize(
    ("number", "started", "outputs", "reasons"),
    [
        (1, "yes", ["claims_result"], []),
        (2, "no", [], ["task_open"]),
        (3, "yes", [], ["task_open"]),
        (4, "yes", ["inconclusive"], ["output_inconclusive", "delivery_unknown"]),
        (5, "yes", ["inconclusive"], ["output_inconclusive", "delivery_unknown"]),
        (6, "unknown", [], ["no_output"]),
    ],
)
def test_a_task_is_where_its_path_says_and_has_what_reports_say(calls, number, started, outputs, reasons):
    assert facts(calls[task(number)]) == ("task", started, outputs, reasons)


def test_a_report_that_was_approved_was_read(calls):
    assert [calls[task(number)].consumed for number in (1, 4)] == ["yes", "unknown"]


def test_a_timeout_leaves_open_what_happened_and_a_retry_is_the_same_task_again(calls):
    call = calls[task(5)]
    assert (call.shown()["outputs"], call.rounds) == ([["inconclusive", "failure TIMEOUT"]], 2)


def test_the_path_outweighs_the_trace_of_transitions():
    moved = {TASK.replace("inbox", "active"): FILES[TASK]}
    assert [call.started.value for call in imported_folder(moved).calls] == ["yes"]


def test_no_record_says_that_anything_failed_or_happened(calls):
    words = {"failed", "applied", "not_applied", "succeeded"}
    assert all(words.isdisjoint([one.kind.value for one in call.outputs]) for call in calls.values())


def test_an_approval_is_known_by_its_content():
    [content] = [content for name, content in FILES.items() if approval(5) in name]
    assert (imported(content).format, imported(content).calls[0].call_id) == ("codeflowmu_approval", approval(5))


def test_a_log_of_actions_is_known_by_its_content_even_of_one_line():
    row = next(content for name, content in FILES.items() if name.endswith(".jsonl"))
    assert [imported(lines).format for lines in (row, row.splitlines()[0])] == ["codeflowmu_actions"] * 2


@pytest.mark.parametrize("put", [None, 1, "text", [], {}, [None]], ids=repr)
def test_no_member_of_another_kind_breaks_the_reading_of_an_approval(put):
    [content] = [content for name, content in FILES.items() if approval(5) in name]
    value = json.loads(content)
    for name in value:
        with suppress(ImportRefused):
            assert imported(encoded({**value, name: put})).format == "codeflowmu_approval"
