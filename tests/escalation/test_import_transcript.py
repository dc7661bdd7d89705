"""The two commands over agents' records: what they print, and how they end."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.operations.imports.records import DATA, GOLD

STATE = str(DATA / "runstate" / "02b_mixed_missing_tool_resumed__sdk0.22.1.json")
LOG = str(DATA / "model_inputs" / "02b_mixed_missing_tool_resumed__sdk0.22.1.json")
BEFORE = str(DATA / "runstate" / "02_mixed_missing_tool_pending__sdk0.22.1.json")
FIXED = str(DATA / "model_inputs" / "02b_mixed_missing_tool_resumed.json")


def printed(*words: str, **options: Any) -> str:
    out = StringIO()
    call_command(*words, stdout=out, **options)
    return out.getvalue()


def test_a_file_that_is_not_there_ends_with_its_name():
    with pytest.raises(CommandError, match=r"nowhere\.json: No such file"):
        printed("import_transcript", "nowhere.json")


def test_a_file_that_is_no_record_ends_with_the_place_and_the_rule(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'{"messages": [}')
    with pytest.raises(CommandError, match=r"line 1 column 15 .*\(syntax\)"):
        printed("import_transcript", str(broken))


def test_the_facts_are_printed_as_json_with_the_log_of_requests():
    found = json.loads(printed("import_transcript", STATE, request_log=LOG, json=True))
    assert found == GOLD["runstate/02b_mixed_missing_tool_resumed__sdk0.22.1 (with its request log)"]


def test_pointers_come_when_asked_for():
    [first, _] = json.loads(printed("import_transcript", STATE, json=True, pointers=True))
    assert first["pointers"]["started"] == ["/context/tool_invocations/call_Tk31"]


def test_people_read_a_line_a_call_and_why_it_is_open():
    lines = printed("import_transcript", STATE).splitlines()
    assert lines[0] == "run_state: 2 calls, 2 of them unresolved"
    assert lines[1] == "call_Tk31  issue_ticket  delivery_inferred_only"


HOSTILE = "issue\x1b[2K\r\n\u202ec9  refund  nothing is open"
SEEN = r"issue\u001b[2K\r\n\u202ec9  refund  nothing is open"


def test_nothing_of_a_record_moves_the_cursor_or_begins_a_line(tmp_path):
    calls = [{"id": HOSTILE, "function": {"name": HOSTILE, "arguments": "{}"}}]
    answer = {"role": "tool", "tool_call_id": HOSTILE, "content": '{"say": "' + HOSTILE + '"}'}
    record = tmp_path / "hostile.json"
    record.write_text(json.dumps({"messages": [{"role": "assistant", "tool_calls": calls}, answer], HOSTILE: 1}))
    out = printed("import_transcript", str(record))
    assert out.isprintable() is False
    assert all(line.isprintable() for line in out.split("\n"))
    assert f"{SEEN}  {SEEN}  delivery_unknown" in out.split("\n")
    assert f'    output claims_result: {{"say": "{SEEN}"}}' in out.split("\n")


def test_nothing_of_a_state_moves_the_cursor_in_a_fault(tmp_path):
    state = tmp_path / "state.json"
    asked = {"type": "function_call", "call_id": HOSTILE, "name": "issue", "arguments": "{}"}
    state.write_text(json.dumps({"$schemaVersion": "1.15", "model_responses": [{"output": [asked]}]}))
    request = tmp_path / "request.json"
    request.write_text("[]")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("check_next_input", str(state), str(request), stdout=out)
    assert out.getvalue() == f"{SEEN} (issue) is owed an output, and no request carries one.\n"


def test_a_resume_without_an_output_ends_with_status_1(capsys):
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("check_next_input", BEFORE, LOG, stdout=out)
    assert ended.value.code == 1
    assert out.getvalue() == "call_Sm32 (send_sms_notice) is owed an output, and no request carries one.\n"


def test_a_resume_with_every_output_passes():
    assert printed("check_next_input", BEFORE, FIXED) == "Every call that is owed an output has exactly one.\n"


def test_what_can_not_be_checked_ends_with_status_2():
    with pytest.raises(CommandError) as refused:
        printed("check_next_input", LOG, LOG)
    assert refused.value.returncode == 2
