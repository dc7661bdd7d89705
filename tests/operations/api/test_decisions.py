"""An agent that asks is told what people decided, in words that it can act on."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from operations import recording
from operations.core.actions import Action
from operations.core.missing import Fact
from tests.operations.api.calls import reply
from tests.operations.rows import NOW, observed

pytestmark = pytest.mark.django_db


def leave(operation: str, *, until: float, door: str = "leave_unresolved") -> None:
    """A person leaves the outcome unresolved, as the desk's door writes it."""
    with recording.writing(UUID(operation), now=NOW) as pen:
        recording.decide(
            pen,
            Action.LEAVE_UNRESOLVED,
            door=door,
            once=uuid4(),
            revision=pen.operation.revision,
            content={
                "fact": Fact.WHETHER_IT_HAPPENED.value,
                "told": "Ada",
                "look_again_at": (NOW + timedelta(seconds=until)).isoformat(),
                "remark": "",
            },
            by="mira",
        )
        pen.finish()


def test_a_door_without_a_word_promises_nothing(reader, operation):
    leave(operation, until=3600, door="a_door_to_come")
    assert [one["says"] for one in reader.get(f"/operations/{operation}").body["decisions"]] == ["decided"]


def test_where_nobody_decided_the_list_is_empty(reader, operation):
    assert reader.get(f"/operations/{operation}").body["decisions"] == []
    assert reader.get(f"/operations/{operation}/standing").body["decisions"] == []


def test_left_unresolved_says_do_not_resend(reader, operation):
    leave(operation, until=3600)
    for address in (f"/operations/{operation}", f"/operations/{operation}/standing"):
        assert reader.get(address).body["decisions"] == [
            {
                "door": "leave_unresolved",
                "at": NOW.timestamp(),
                "at_iso": "2026-05-04T09:00:00Z",
                "says": "left_unresolved",
                "agent": "do_not_resend",
                "stands": True,
                "look_again_at": NOW.timestamp() + 3600,
                "look_again_at_iso": "2026-05-04T10:00:00Z",
                "superseded_by": None,
                "closed_by": None,
            }
        ]


def test_a_report_is_answered_with_it(wire, operation):
    leave(operation, until=3600)
    told = wire.post(f"/operations/{operation}/replies", reply()).body["standing"]["decisions"]
    assert [(one["says"], one["agent"]) for one in told] == [("left_unresolved", "do_not_resend")]


def test_it_is_never_told_as_an_outcome(reader, operation):
    before = reader.get(f"/operations/{operation}/standing").body
    leave(operation, until=3600)
    after = reader.get(f"/operations/{operation}/standing").body
    for name in ("evidence", "finality", "protection", "permitted", "refusals", "missing"):
        assert after[name] == before[name]


def test_it_stands_no_longer_when_the_time_to_look_again_has_come(reader, operation, clock):
    leave(operation, until=60)
    clock.shift(60)
    assert [one["stands"] for one in reader.get(f"/operations/{operation}").body["decisions"]] == [False]


def test_it_stands_no_longer_when_what_is_known_moved(reader, operation, clock):
    leave(operation, until=3600)
    clock.shift(30)
    observed(operation, "applied", at=20)
    assert [one["stands"] for one in reader.get(f"/operations/{operation}").body["decisions"]] == [False]


def test_only_the_newest_stands_and_all_are_told_in_order(reader, operation):
    leave(operation, until=3600)
    leave(operation, until=60)
    told = reader.get(f"/operations/{operation}").body["decisions"]
    assert [(one["stands"], one["look_again_at"] - NOW.timestamp()) for one in told] == [(False, 3600), (True, 60)]


def test_nobodys_name_and_words_are_told_to_the_agent(reader, operation):
    leave(operation, until=3600)
    text = str(reader.get(f"/operations/{operation}").body["decisions"])
    assert "mira" not in text
    assert "Ada" not in text
