"""A standing told as prose uses the words of the screen and says what each of them rests on."""

from typing import Any

import pytest

from operations.core.advice import Because
from operations.core.conflicts import ConflictKind
from operations.core.facts import ClosureCovers, Event, Guarantee, Mechanism, Sends
from operations.core.missing import Fact
from operations.core.permitted import Bar
from operations.core.prose import can_still_happen, explain, happened, safe_to_send_again
from operations.core.protection import ProtectionReason
from operations.core.sifting import WhyNot
from tests.core.building import (
    absent,
    accepted,
    applied,
    attempt,
    closed,
    kept,
    not_sent,
    pending,
    refused,
    said,
    standing,
)

A1 = attempt(10)
TWO_ENDS: list[Event] = [A1, applied(50), closed(60)]


def told(*events: Event, name: str | None = None, **more: Any) -> list[str]:
    return explain(standing(*events, **more), name=name).splitlines()


def below(lines: list[str], head: str) -> list[str]:
    """The lines under a heading, up to the next blank one."""
    rest = lines[lines.index(head) + 1 :]
    return rest[: rest.index("")] if "" in rest else rest


def answered(lines: list[str], question: str) -> tuple[str, list[str]]:
    """The answer to one of the three questions, and what is said under it."""
    start = next(index for index, line in enumerate(lines) if line.startswith(question))
    end = next(index for index in range(start + 1, len(lines)) if not lines[index].startswith("    "))
    return lines[start].removeprefix(f"{question} "), [line.strip() for line in lines[start + 1 : end]]


@pytest.mark.parametrize(
    ("events", "terms", "words"),
    [
        (TWO_ENDS, {}, "Contradiction"),
        ([A1], {}, "We don't know"),
        ([A1, accepted(50)], {}, "We don't know"),
        ([A1, absent(50)], {}, "Not there when last read"),
        ([A1, pending(50)], {}, "Under way"),
        ([A1, closed(50)], {}, "No, ruled out"),
        ([A1, not_sent(50)], {}, "No, ruled out"),
        ([A1, applied(50)], {}, "Yes"),
    ],
)
def test_did_it_happen(events, terms, words):
    assert happened(standing(*events, **terms)) == words


@pytest.mark.parametrize(
    ("events", "terms", "words"),
    [
        (TWO_ENDS, {}, "It may"),
        ([A1], {}, "It may"),
        ([A1, absent(50)], {}, "It may"),
        ([A1, accepted(50)], {}, "Yes"),
        ([A1, pending(40), absent(50)], {}, "Yes"),
        ([A1, refused(50)], {}, "No"),
        ([A1, applied(50)], {}, "Done"),
        ([A1, applied(50)], {"sealed": False}, "Done, may happen again"),
    ],
)
def test_could_it_still_happen(events, terms, words):
    assert can_still_happen(standing(*events, **terms)) == words


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"mechanism": Mechanism.NONE}, "No"),
        ({"mechanism": Mechanism.UNDOCUMENTED}, "We don't know"),
        ({"guaranteed_for": 5}, "We don't know"),
        ({"guaranteed_for": Guarantee.UNLIMITED}, "Yes"),
        ({}, "Yes, until 1000 s"),
        ({"margin": 0.5}, "Yes, until 1009.5 s"),
    ],
)
def test_is_it_safe_to_send_again(terms, words):
    assert safe_to_send_again(standing(A1, **terms)) == words


def test_a_name_heads_the_prose_and_none_leaves_no_gap():
    assert told(A1, name="row 1")[:3] == ["row 1", "", "Did it happen? We don't know."]
    assert told(A1)[0] == "Did it happen? We don't know."


def test_each_answer_says_what_it_rests_on():
    lines = told(A1, accepted(40, channel="webhook"), absent(50, as_of=45))
    assert answered(lines, "Did it happen?") == (
        "Not there when last read.",
        ["rests on event 2: ledger says absent at 50 s"],
    )
    assert answered(lines, "Could it still happen?") == (
        "Yes.",
        ["rests on event 1: webhook says accepted at 40 s"],
    )
    assert answered(lines, "Safe to send again?") == (
        "Yes, until 1000 s.",
        ["rests on protection.guaranteed_for, protection.margin"],
    )


def test_a_contradiction_is_told_with_both_statements():
    assert answered(told(*TWO_ENDS), "Did it happen?") == (
        "Contradiction.",
        [
            ConflictKind.APPLIED_AND_CLOSED.sentence,
            "rests on event 1: ledger says applied at 50 s",
            "rests on event 2: ledger says closed at 60 s",
            "rests on closure.covers",
        ],
    )


def test_two_effects_are_told_by_name():
    _, said_of_it = answered(told(A1, applied(50, effect_ref="T-1"), applied(60, effect_ref="T-2")), "Did it happen?")
    assert said_of_it[-1] == "The recipient names 2 effects: T-1, T-2."


def test_why_a_repeat_is_not_safe_is_told():
    assert answered(told(A1, mechanism=Mechanism.NONE), "Safe to send again?") == (
        "No.",
        [
            ProtectionReason.CONTRACT_HAS_NONE.sentence,
            "rests on protection.mechanism",
        ],
    )


def test_what_went_out_unprotected_is_told_where_a_repeat_is_safe_for_a_time():
    _, said_of_it = answered(told(A1, kept(50, until=900), guaranteed_for=5), "Safe to send again?")
    assert any("a1" in line and "unprotected" in line for line in said_of_it)


def test_what_settles_nothing_is_told_with_the_reason():
    lines = told(A1, applied(50, channel="gateway"), said("guessed", 60))
    assert below(lines, "Settles nothing") == [
        f"  event 1: gateway says applied at 50 s. {WhyNot.NO_AUTHORITY.sentence}",
        f"  event 2: ledger says guessed at 60 s. {WhyNot.UNKNOWN_CLAIM.sentence}",
    ]
    assert "Settles nothing" not in told(A1)


def test_what_is_missing_is_told_with_who_could_supply_it():
    assert below(told(A1, applied(50), sealed=False), "What is missing") == [
        f"  {Fact.WHETHER_IT_ACTED_AGAIN.sentence} (ledger, list, search, webhook)",
        f"  {Fact.WHAT_ELSE_WAS_SENT.sentence} (no channel)",
    ]
    assert "What is missing" not in told(A1, applied(50))


def test_every_action_is_told_open_or_locked():
    doors = below(told(A1, mechanism=Mechanism.NONE), "What you may do")
    assert [line for line in doors if line.startswith(("  open    ", "  locked  "))] == [
        f"  locked  Repair our record. {Bar.NOT_ESTABLISHED.sentence}",
        "  open    Ask the recipient. Asks, changes nothing.",
        f"  locked  Repeat the same request. {Bar.UNPROTECTED.sentence} {ProtectionReason.CONTRACT_HAS_NONE.sentence}",
        f"  locked  New request. {Bar.MAY_ACT.sentence}",
        "  open    Accept a risk. Sends nothing; changes no fact.",
        "  open    Stop here, outcome unknown. Sends nothing.",
    ]


def test_an_open_repeat_says_that_it_sends():
    doors = below(told(A1), "What you may do")
    assert "  open    Repeat the same request. Sends the same bytes again." in doors
    doors = below(told(A1, closed(50)), "What you may do")
    assert "  open    New request. Creates a second operation." in doors


def test_a_lock_that_time_opens_says_when():
    doors = below(told(A1, min_interval=500), "What you may do")
    assert f"{Bar.TOO_SOON.sentence} Look again after 510 s." in " ".join(doors)


@pytest.mark.parametrize(
    ("events", "terms", "history"),
    [
        ([A1], {}, "attempt a1 acted at 10 s"),
        ([A1, absent(100)], {}, "attempt a1 may still act"),
        ([], {"sealed": False}, "a submission not on record acted at 100 s"),
    ],
)
def test_a_lock_against_harm_tells_the_history_in_which_it_would_act_twice(events, terms, history):
    doors = below(told(*events, **terms), "What you may do")
    assert f"          It would act twice if {history}." in doors


def test_what_never_acts_in_that_history_is_told_too():
    doors = " ".join(below(told(A1, attempt(20, "a2")), "What you may do"))
    assert "and nothing else ever acts" in doors


def test_the_first_sensible_step_is_told_and_no_other():
    last = below(told(A1), "What you may do")[-1]
    assert last == f"  First: Ask the recipient. {Because.CAN_LEARN.sentence}"
    doors = below(told(A1, applied(50)), "What you may do")
    assert [line for line in doors if line.startswith("  First: ")] == [
        f"  First: Repair our record. {Because.CAN_BE_FINISHED.sentence}"
    ]


def consequences(*events: Event, **more: Any) -> dict[str, list[str]]:
    head, *rows = below(told(*events, **more), "What could follow: the most effects that could then exist")
    assert head.split(maxsplit=4)[:4] == ["stop", "repeat", "later", "new"]
    return {row.split(maxsplit=4)[4]: row.split(maxsplit=4)[:4] for row in rows}


def test_what_could_follow_is_counted_for_each_history():
    assert consequences(A1) == {
        "The request was lost on its way, or came to nothing: no effect, and none to come.": ["0", "1", "1", "1"],
        "What was sent is still under way: no effect yet, and it may still act.": ["1", "1", "?", "2+"],
        "It happened, and only the answer was lost.": ["1", "1", "?", "2+"],
    }


def test_a_submission_not_on_record_has_not_acted_where_a_read_of_this_moment_shows_nothing():
    found = " ".join(consequences(absent(100), sealed=False))
    assert "not on record may still act" in found
    assert "not on record acted" not in found


def test_what_cannot_happen_later_is_a_dash():
    cells = consequences(A1, guaranteed_for=Guarantee.UNLIMITED).values()
    assert {row[2] for row in cells} == {"-"}


def test_what_could_follow_a_contradiction_is_told_from_both_sides():
    found = consequences(*TWO_ENDS, closure=ClosureCovers.IDENTITY)
    assert sum("happened is right" in sentence for sentence in found) == 1
    assert sum("ended without effect is right" in sentence for sentence in found) == 1


def test_an_effect_that_may_come_again_counts_as_two_or_more():
    found = consequences(attempt(10, sends=Sends.MANY), applied(50), mechanism=Mechanism.NONE)
    assert found["It happened twice."][0] == "2+"


def test_the_prose_ends_with_a_line_end():
    text = explain(standing(A1))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_a_person_is_named_a_few_and_told_how_many_more():
    many = "\n".join(told(A1, *[said("applied", 20 + number) for number in range(9)]))
    assert many.count("rests on event") == 10  # five for evidence, five for finality
    assert "and on 4 more" in many


def test_seconds_lose_no_digit():
    assert "1234567890123456 s" in "".join(told(attempt(0), said("applied", 1234567890123456), now=1234567890123457))
