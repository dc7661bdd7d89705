"""What has to be broken off is read off the code: what is new there is missing until an act passes it."""

import ast

import pytest

from tests.faults import ways
from tests.faults.process import Outcome, Ran


def everything() -> Ran:
    """A process that has passed whatever there is."""
    wanted = ways.required()

    def named(kind: str) -> set[str]:
        return {name.partition(" ")[2] for name in wanted if name.startswith(f"{kind} ")}

    return Ran(
        Outcome(status=200), [f"step {name}" for name in named("step")], named("function"), named("door"), named("task")
    )


def through(*addresses: str) -> list[Ran]:
    """Processes that came in by these."""
    return [Ran(Outcome(status=200, way=address)) for address in addresses]


def all_ways_in() -> list[Ran]:
    wanted = ways.required()
    views = [name.removeprefix("view ") for name in wanted if name.startswith("view ")]
    calls = [f"api_v1:{name.removeprefix('api ')}" for name in wanted if name.startswith("api ")]
    return through(*views, *calls)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("door", "door protected_repeat"),
        ("view", "view protected_repeat"),
        ("api", "api begin"),
        ("task", "task operations.tasks.send"),
        ("step", "step written"),
        ("function", "function operations.recording.dispatching.claim"),
    ],
)
def test_what_no_act_passes_is_missing(kind, named):
    assert named in ways.required()
    assert f"{named} has no fault point" in ways.missing([])


def test_nothing_is_missing_where_everything_is_passed():
    assert ways.missing([everything(), *all_ways_in()]) == []


def test_an_excuse_for_what_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(ways, "NO_STEPS", {**ways.NO_STEPS, "operations.recording.gone": "it went"})
    found = ways.missing([everything(), *all_ways_in()])
    assert found == ["function operations.recording.gone is excused and is not there"]


@pytest.mark.parametrize(
    ("call", "writes"),
    [
        ("rows.filter(id=1).update(live=False)", True),
        ("pen.append(row)", True),
        ("cursor.execute(statement)", True),
        ("wire.send(left)", True),
        ("found.append(row)", False),
        ("digest.update(raw)", False),
        ("rows.first()", False),
    ],
)
def test_what_writes_is_told_by_its_call(call, writes):
    assert ways._writes(ast.parse(call, mode="eval").body) is writes
