"""A contradiction is named with the two statements, and what only looks like one is not."""

from typing import Any

import pytest

from operations.core.conflicts import CONFLICTS, ConflictKind, conflict_in
from operations.core.facts import ClosureCovers, Event
from operations.core.weighed import Ground
from tests.core.building import (
    absent,
    accepted,
    applied,
    attempt,
    closed,
    not_sent,
    pending,
    refused,
    said,
    weighed,
)

A1, A2, A3 = attempt(10), attempt(20, "a2"), attempt(30, "a3")
IDENTITY, EARLIER = ClosureCovers.IDENTITY, ClosureCovers.EARLIER_ATTEMPTS
CLOSURE, RECORD = ("closure.covers",), ("operation.attempts_complete",)


def conflict(*events: Event, **more: Any) -> tuple[ConflictKind, Ground] | None:
    return conflict_in(weighed(*events, **more))


def kind(*events: Event, **more: Any) -> ConflictKind | None:
    found = conflict(*events, **more)
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("closure", "events"),
    [
        # one without the other
        (IDENTITY, [A1, applied(50)]),
        (IDENTITY, [A1, closed(50)]),
        # closure covers earlier attempts only, and one sent after it explains the effect
        (EARLIER, [A1, closed(15), A2, applied(20)]),
        (EARLIER, [A1, closed(15), A2, applied(50), applied(20)]),
        (EARLIER, [A1, closed(5), closed(9), applied(10)]),
    ],
)
def test_an_effect_and_a_closure_do_not_contradict_each_other_if_a_later_attempt_explains_it(closure, events):
    assert conflict(*events, closure=closure) is None


@pytest.mark.parametrize(
    ("closure", "events", "statements"),
    [
        # closed for good, whichever came first and whatever was sent since
        (IDENTITY, [A1, closed(15), applied(12)], (2, 1)),
        (IDENTITY, [A1, closed(15), applied(50)], (2, 1)),
        (IDENTITY, [A1, closed(15), A2, applied(50)], (3, 1)),
        # no attempt was sent between the two
        (EARLIER, [A1, closed(15), applied(12)], (2, 1)),
        (EARLIER, [A1, closed(15), applied(15)], (2, 1)),
        (EARLIER, [A1, closed(10), applied(50)], (2, 1)),
        (EARLIER, [A1, closed(15), A3, applied(29)], (3, 1)),
        (EARLIER, [A1, closed(20), A2, applied(50)], (3, 1)),
        # the later attempt was refused, or never sent
        (EARLIER, [A1, closed(15), A2, refused(40, "a2"), applied(30)], (4, 1)),
        (EARLIER, [A1, closed(15), A2, not_sent(40, "a2"), applied(50)], (4, 1)),
        # one effect explained is not all of them
        (EARLIER, [A1, closed(15), A2, applied(50), applied(12)], (4, 1)),
        # of several closures the latest
        (EARLIER, [A1, closed(15), A2, closed(25), applied(50)], (4, 3)),
        (EARLIER, [A1, closed(25), A2, closed(15), applied(50)], (4, 1)),
    ],
)
def test_an_effect_and_a_closure_contradict_each_other(closure, events, statements):
    assert conflict(*events, closure=closure) == (ConflictKind.APPLIED_AND_CLOSED, Ground(statements, CLOSURE))


@pytest.mark.parametrize(
    ("events", "statements"),
    [
        ([A1, applied(50), absent(50)], (1, 2)),
        ([A1, applied(50), absent(51)], (1, 2)),
        ([A1, absent(60), absent(55), applied(70), applied(50), absent(52)], (4, 1)),
        ([A1, applied(50), absent(40), absent(60)], (1, 3)),
    ],
)
def test_a_record_that_does_not_hold_what_happened_contradicts_it(events, statements):
    assert conflict(*events) == (ConflictKind.APPLIED_THEN_ABSENT, Ground(statements))


@pytest.mark.parametrize(
    "events",
    [
        # not there yet
        [A1, absent(49), applied(50)],
        # gone is not never; a lagging read may lag
        [A1, applied(50), absent(60, channel="list")],
        [A1, applied(50), absent(60, channel="webhook")],
        # one without the other
        [A1, applied(50)],
        [A1, absent(60)],
    ],
)
def test_a_read_before_the_effect_contradicts_nothing(events):
    assert conflict(*events) is None


@pytest.mark.parametrize("make", [pending, accepted])
@pytest.mark.parametrize(
    ("closure", "events", "at", "against"),
    [
        # closed for good
        (IDENTITY, [A1, closed(50)], 51, 1),
        (IDENTITY, [A1, closed(15), A2], 50, 1),
        # no attempt was sent between the two
        (EARLIER, [A1, closed(10)], 50, 1),
        (EARLIER, [A1, closed(15), A3], 29, 1),
        # the later attempt was refused by then
        (EARLIER, [A1, closed(15), A2, refused(40, "a2")], 41, 1),
        # the closure next before the report, of several
        (EARLIER, [A1, closed(15), A2, closed(20)], 50, 3),
        (EARLIER, [A1, closed(25), A2, closed(15), closed(90)], 50, 1),
    ],
)
def test_activity_after_a_closure_contradicts_it(make, closure, events, at, against):
    found = conflict(*events, make(at), closure=closure)
    assert found == (ConflictKind.ACTIVE_AFTER_CLOSED, Ground((len(events), against), CLOSURE))


@pytest.mark.parametrize("make", [pending, accepted])
@pytest.mark.parametrize(
    ("closure", "events", "at"),
    [
        # by the closure's date it may have been under way
        (IDENTITY, [A1, closed(50)], 50),
        (IDENTITY, [A1, closed(50)], 49),
        # an attempt sent after the closure explains it
        (EARLIER, [A1, closed(15), A2], 20),
        (EARLIER, [A1, closed(15), A2], 50),
        (EARLIER, [A1, closed(15), A2, refused(40, "a2")], 40),
        (EARLIER, [A1, closed(15), A2, closed(60)], 50),
    ],
)
def test_activity_that_a_closure_leaves_room_for_contradicts_nothing(make, closure, events, at):
    assert conflict(*events, make(at), closure=closure) is None


def test_each_report_of_activity_is_held_against_the_closures():
    found = conflict(A1, closed(15), A2, pending(50), pending(16), pending(17))
    assert found == (ConflictKind.ACTIVE_AFTER_CLOSED, Ground((4, 1), CLOSURE))
    assert conflict(A1, closed(15), pending(12), A2, pending(50)) is None
    found = conflict(A1, closed(15), pending(12), pending(16))
    assert found == (ConflictKind.ACTIVE_AFTER_CLOSED, Ground((3, 1), CLOSURE))


@pytest.mark.parametrize("make", [pending, accepted])
def test_a_late_report_on_an_unordered_channel_contradicts_nothing(make):
    assert conflict(A1, closed(15), make(50, channel="webhook"), closure=IDENTITY) is None
    assert conflict(A1, refused(15), make(50, channel="webhook")) is None


@pytest.mark.parametrize("make", [pending, accepted])
def test_activity_that_no_attempt_explains_contradicts_the_refusals(make):
    found = conflict(A1, refused(15), make(16))
    assert found == (ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED, Ground((2, 1), RECORD))


def test_an_effect_that_no_attempt_explains_contradicts_the_refusals():
    found = conflict(A1, A2, refused(30), refused(25, "a2"), applied(28))
    assert found == (ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED, Ground((4, 2, 3), RECORD))


@pytest.mark.parametrize(
    "events",
    [
        # by the date of the refusal it may have been under way
        [A1, refused(15), pending(15)],
        [A1, refused(15, covers_copies=False), pending(50)],
        # another attempt explains it
        [A1, refused(15), A2, pending(50)],
        [A1, refused(15), A2, applied(50)],
        # the client's word falls before the recipient's
        [A1, refused(15), A2, not_sent(30, "a2"), applied(50)],
        [A1, not_sent(15), applied(50)],
    ],
)
def test_a_report_that_an_attempt_explains_contradicts_nothing(events):
    assert conflict(*events) is None


@pytest.mark.parametrize("report", [pending(50), applied(50)])
def test_what_is_not_on_record_may_explain_any_report(report):
    assert conflict(A1, refused(15), report, sealed=False) is None
    assert conflict(A1, refused(15), report, said("indeterminate", 60, attempt="a9")) is None
    assert kind(A1, refused(15), report) is not None


def test_a_refused_effect_among_explained_activity_is_found():
    events = (A1, refused(40), attempt(60, "a2"), pending(70), pending(30), applied(50))
    assert conflict(*events) == (ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED, Ground((5, 1), RECORD))


@pytest.mark.parametrize(
    ("events", "first"),
    [
        ([A1, closed(15), applied(20), absent(30), pending(40)], ConflictKind.APPLIED_AND_CLOSED),
        ([A1, refused(12), applied(20), absent(30), pending(40)], ConflictKind.APPLIED_THEN_ABSENT),
        ([A1, refused(12), closed(15), pending(40)], ConflictKind.ACTIVE_AFTER_CLOSED),
        ([A1, refused(12), applied(20), pending(40)], ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED),
        ([A1, refused(12), applied(20), pending(12)], ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED),
    ],
)
def test_the_first_that_holds_is_named(events, first):
    assert kind(*events) is first


def test_each_kind_has_its_row_in_the_order_of_the_document():
    assert [row.kind for row in CONFLICTS] == list(ConflictKind)


@pytest.mark.parametrize(
    "settled",
    [
        # a corrected reading: it belongs to something else, or isn't proven
        said("closed", 50, authentic=False),
        said("closed", 50, channel="note"),
    ],
)
def test_a_conflict_ends_when_an_observation_is_found_not_to_count(settled):
    assert kind(A1, applied(40), closed(50)) is ConflictKind.APPLIED_AND_CLOSED
    assert kind(A1, applied(40), settled) is None


def test_no_time_ends_a_conflict():
    events = (A1, applied(40), closed(50), pending(60), applied(70), closed(80))
    assert kind(*events, now=10**9) is ConflictKind.APPLIED_AND_CLOSED


@pytest.mark.parametrize("found", ConflictKind)
def test_every_kind_is_a_sentence(found):
    assert found.sentence.startswith("The recipient sa")
    assert found.sentence.endswith(".")
