"""`manage.py assess`, run for real: one answer a line, in order, as it reads, and no database."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from escalation.env import ROOT

EXAMPLES = (ROOT / "tests" / "data" / "examples.jsonl").read_text(encoding="utf-8").splitlines()
GOOD = '{"events": [], "now": 9}'
BAD = '{"events": []}'
NAMED = json.dumps({"name": "réf", "scenario": {"events": [], "now": 9}})
# A process starts in less than a second; this is for a machine that is very busy.
PATIENCE = 60


def environment(**more: str) -> dict[str, str]:
    """The process' own environment but for servers, which would answer at no port, and for the output's buffer."""
    dead = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing", "REDIS_URL": "redis://127.0.0.1:1/0"}
    left_out = ("PYTHONUNBUFFERED", "PYTHONIOENCODING", *[name for name in os.environ if name.startswith("DATABASE_")])
    return {name: value for name, value in os.environ.items() if name not in left_out} | dead | more


def command(*words: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), "assess", *words]


def assess(*words: str, lines: list[str] | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    text = None if lines is None else "".join(f"{line}\n" for line in lines)
    return subprocess.run(
        command(*words),
        input=text,
        capture_output=True,
        encoding="utf-8",
        cwd="/",
        env=environment(**more),
        check=False,
        timeout=PATIENCE,
    )


def answers(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    path = tmp_path / "scenarios.jsonl"
    path.write_text("".join(f"{line}\n" for line in EXAMPLES), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "why"), [("nowhere.jsonl", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_one_sentence_and_status_2(tmp_path, name, why):
    done = assess(str(tmp_path / name))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() == f"{tmp_path / name} can't be read: {why}."


def test_two_ways_of_printing_at_once_are_refused():
    done = assess("--table", "--explain", lines=[GOOD])
    assert (done.returncode, done.stdout) == (2, "")
    assert "not allowed with argument" in done.stderr


def test_a_bad_line_is_answered_in_its_place_and_the_rest_goes_on():
    done = assess("-", lines=[GOOD, BAD, "", GOOD, "{"])
    assert (done.returncode, done.stderr) == (1, "")
    found = answers(done)
    assert [set(answer) == {"line", "error"} for answer in found] == [False, True, True, False, True]
    assert found[0] == found[3]
    assert found[1] == {"line": 2, "error": {"field": "now", "rule": "required", "message": "is required"}}
    assert [answer["line"] for answer in found if "error" in answer] == [2, 3, 5]


def test_bytes_that_are_no_text_are_a_bad_line(tmp_path):
    path = tmp_path / "scenarios.jsonl"
    path.write_bytes(b"\xff\xfe\n" + GOOD.encode())
    done = assess(str(path))
    assert done.returncode == 1
    assert [answer.get("error", {}).get("rule") for answer in answers(done)] == ["utf_8", None]


def test_good_lines_alone_are_status_0():
    done = assess("-", lines=[GOOD, GOOD])
    assert (done.returncode, done.stderr, len(answers(done))) == (0, "", 2)


def test_no_lines_have_no_answers():
    done = assess("-", lines=[])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_file_standard_input_and_no_name_are_read_alike(scenarios):
    from_file, dash, nothing = assess(str(scenarios)), assess("-", lines=EXAMPLES), assess(lines=EXAMPLES)
    assert from_file.returncode == dash.returncode == nothing.returncode == 0
    assert from_file.stdout == dash.stdout == nothing.stdout
    assert from_file.stdout.count("\n") == len(EXAMPLES)


def test_every_worked_case_is_answered_in_order(scenarios):
    for answer, line in zip(answers(assess(str(scenarios))), EXAMPLES, strict=True):
        expect = json.loads(line)["expect"]
        kinds = {action: refusal["kind"] for action, refusal in answer["refusals"].items()}
        assert {key: {**answer, "refusal_kinds": kinds}[key] for key in expect} == expect


def test_an_answer_comes_before_the_next_line_is_sent():
    process = subprocess.Popen(
        command("-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", env=environment()
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, key in [(GOOD, "evidence"), (BAD, "error"), (GOOD, "evidence")]:
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
            assert ready, "no answer while standard input is open"
            assert key in json.loads(process.stdout.readline())
    finally:
        out, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, errors) == (1, b"", b"")


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path):
    path = tmp_path / "scenarios.jsonl"
    path.write_text(f"{GOOD}\n" * 2000)
    with subprocess.Popen(
        command(str(path)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"evidence" in process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def into(path: str, *words: str, lines: list[str]) -> tuple[int, str]:
    """Write the answers into `path`; the exit status and what was said on the error output."""
    with Path(path).open("wb") as out:
        done = subprocess.run(
            command(*words),
            input="".join(f"{line}\n" for line in lines).encode(),
            stdout=out,
            stderr=subprocess.PIPE,
            cwd="/",
            env=environment(),
            check=False,
            timeout=PATIENCE,
        )
    return done.returncode, done.stderr.decode()


def test_a_reader_that_never_came_ends_it_quietly(tmp_path):
    path = tmp_path / "scenarios.jsonl"
    path.write_text(f"{GOOD}\n")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command(str(path)), stdout=writing, stderr=subprocess.PIPE, env=environment(), check=False, timeout=PATIENCE
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("words", [("-",), ("--table",), ("--explain",)])
def test_a_full_disk_is_not_taken_for_a_file_that_cannot_be_read(words):
    status, errors = into("/dev/full", *words, lines=[GOOD])
    assert status not in (0, 1)
    assert "can't be read" not in errors
    assert "Traceback" not in errors


def test_answers_are_utf_8_whatever_the_terminal_speaks():
    lines = ['{"events": [], "now": 9, "é": 1}', NAMED]
    for words in ((), ("--table",), ("--explain",)):
        done = assess(*words, lines=lines, PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stderr) == (1, "")
        assert "é" in done.stdout


def test_the_table_has_a_row_a_line_under_a_head():
    done = assess("--table", lines=[EXAMPLES[0], BAD, GOOD])
    assert done.returncode == 1
    head, first, bad, last = done.stdout.splitlines()
    assert head.split() == [
        "line",
        "did",
        "it",
        "happen?",
        "could",
        "it",
        "still",
        "happen?",
        "safe",
        "to",
        "send",
        "again?",
        "what",
        "you",
        "may",
        "do",
    ]
    assert first.split("  ")[0] == "1"
    for part in ("Yes", "Done", "Yes, until 86340 s", "record, observe", json.loads(EXAMPLES[0])["name"]):
        assert part in first
    assert bad.split() == ["2", "not", "a", "scenario:", "now", "is", "required", "(required)"]
    assert "We don't know" in last


def test_the_table_is_only_a_head_where_there_is_no_line():
    assert assess("--table", lines=[]).stdout.count("\n") == 1


def test_a_bad_line_as_a_whole_is_named_as_such():
    done = assess("--table", lines=["[]"])
    assert "not a scenario: the line must be an object (object)" in done.stdout


def test_a_scenario_is_told_as_prose_under_its_name_or_its_line():
    done = assess("--explain", lines=[GOOD, EXAMPLES[0], BAD])
    assert done.returncode == 1
    assert done.stdout.startswith("Line 1\n\nDid it happen? We don't know.\n")
    assert f"\n{json.loads(EXAMPLES[0])['name']}\n\nDid it happen? Yes.\n" in done.stdout
    assert "What could follow" in done.stdout
    assert done.stdout.rstrip().endswith("not a scenario: now is required (required)")


def test_ten_thousand_observations_of_a_thousand_attempts_are_one_line():
    events = [{"type": "attempt", "at": index, "id": f"a{index}"} for index in range(1000)]
    events += [{"type": "observation", "at": index, "channel": "x", "says": "pending"} for index in range(10_000)]
    done = assess(lines=[json.dumps({"events": events, "now": 10_000})])
    [answer] = answers(done)
    assert (done.returncode, answer["evidence"], len(answer["not_counted"])) == (0, "unknown", 10_000)
