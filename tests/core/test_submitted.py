"""What can still act follows from what was submitted and what the recipient said of it, never from silence."""

from typing import Any

import pytest

from operations.core.facts import ClosureCovers, Event, Sends, SuccessorState
from operations.core.sifting import Dated, sift
from operations.core.submitted import (
    Explanations,
    Submitted,
    excluding_closure,
    open_successors,
    repeat_scopes,
    submitted,
)
from tests.core.building import (
    NOW,
    absent,
    accepted,
    applied,
    attempt,
    closed,
    facts,
    lost,
    not_sent,
    pending,
    refused,
    said,
    successor,
)

A1, A2, A3 = attempt(10), attempt(20, "a2"), attempt(30, "a3")


def explanations(*events: Event) -> Explanations:
    return went(*events).explanations


def went(*events: Event, now: float = NOW, **more: Any) -> Submitted:
    found = facts(*events, **more)
    return submitted(found, sift(found, now=now), now=now)


def unsent(*events: Event) -> set[str]:
    return set(went(*events).unsent)


def live(*events: Event) -> list[str]:
    return [each.id for each in went(*events).live]


@pytest.mark.parametrize(
    ("events", "at", "is_applied", "explained"),
    [
        # nothing was sent, or not yet
        ([], 50, False, False),
        ([A1], 9, False, False),
        ([A1], 9, True, False),
        ([A2, A3], 19, True, False),
        # sent by then
        ([A1], 10, False, True),
        ([A1], 10, True, True),
        ([A1], 99, True, True),
        ([A3, A2], 20, True, True),
        # refused with copies covered: nothing after the refusal, and never an effect
        ([A1, refused(40)], 41, False, False),
        ([A1, refused(40)], 40, False, True),
        ([A1, refused(40)], 10, False, True),
        ([A1, refused(40)], 9, False, False),
        ([A1, refused(40)], 40, True, False),
        ([A1, refused(40)], 10, True, False),
        # the first refusal is the one that matters
        ([A1, refused(40), refused(60)], 50, False, False),
        ([A1, refused(60), refused(40)], 50, False, False),
        # a refusal that covers no copies refuses nothing
        ([A1, refused(40, covers_copies=False)], 41, True, True),
        # another attempt explains it
        ([A1, refused(40), A2], 41, True, True),
        ([A1, refused(40), A2], 15, True, False),
        ([A1, refused(40), A2], 15, False, True),
        # refused before it and refused after it
        ([A1, refused(15), A2, refused(40, "a2")], 40, False, True),
        ([A1, refused(15), A2, refused(40, "a2")], 41, False, False),
        ([A1, refused(15), A2, refused(40, "a2")], 18, False, False),
        ([A1, refused(50), A2, refused(40, "a2")], 45, False, True),
        ([A1, refused(50), A2, refused(40, "a2"), A3, refused(35, "a3")], 50, False, True),
        # an unsent attempt explains nothing
        ([A1, not_sent(15)], 50, False, False),
    ],
)
def test_an_attempt_explains_a_report_if_it_was_sent_by_then_and_not_refused(events, at, is_applied, explained):
    assert explanations(*events).explains(at, applied=is_applied) is explained


@pytest.mark.parametrize(
    ("events", "after", "at", "is_applied", "explained"),
    [
        # sent at or before that date does not do
        ([], 0, 50, False, False),
        ([A1], 10, 50, False, False),
        ([A1], 10, 50, True, False),
        ([A1], 20, 50, False, False),
        ([A1, A2], 20, 50, True, False),
        # nor sent after the report
        ([A1], 5, 9, False, False),
        ([A1, A3], 15, 29, True, False),
        # between the two does
        ([A1], 9, 10, True, True),
        ([A1], 9, 10, False, True),
        ([A1, A2], 15, 20, True, True),
        ([A1, A2, A3], 15, 25, True, True),
        # refused: by the report's date not yet, and never an effect
        ([A1, A2, refused(40, "a2")], 15, 40, False, True),
        ([A1, A2, refused(40, "a2")], 15, 20, False, True),
        ([A1, A2, refused(40, "a2")], 15, 41, False, False),
        ([A1, A2, refused(40, "a2")], 15, 40, True, False),
        ([A1, refused(40)], 10, 40, False, False),
        ([A1, A2, refused(40, "a2")], 20, 40, False, False),
        ([A1, A2, refused(40, "a2")], 15, 19, False, False),
        ([A1, refused(40), A2, refused(30, "a2"), A3, refused(35, "a3")], 15, 36, False, False),
        ([A1, refused(40), A2, refused(30, "a2"), A3, refused(36, "a3")], 15, 36, False, True),
        ([A1, refused(40), A2, refused(36, "a2"), A3, refused(35, "a3")], 15, 36, False, True),
    ],
)
def test_an_attempt_sent_later_explains_a_report_after_a_closure(events, after, at, is_applied, explained):
    assert explanations(*events).explains_after(at, after=after, applied=is_applied) is explained


@pytest.mark.parametrize(
    ("events", "names"),
    [
        # the client's word stands ...
        ([A1, not_sent(15)], {"a1"}),
        ([A1, A2, not_sent(25), not_sent(25, "a2")], {"a1", "a2"}),
        # ... against answers that settle nothing of it
        ([A1, not_sent(15), closed(50)], {"a1"}),
        ([A1, not_sent(15), absent(50)], {"a1"}),
        ([A1, not_sent(15), lost(50)], {"a1"}),
        ([A1, not_sent(15), said("indeterminate", 50)], {"a1"}),
        # ... and against one that another attempt explains
        ([A1, not_sent(15), A2, applied(50)], {"a1"}),
        ([A1, not_sent(15), A2, refused(40, "a2"), pending(40)], {"a1"}),
        ([A1, not_sent(15), A2, refused(40, "a2"), accepted(40)], {"a1"}),
        # ... and against one of before it was sent
        ([A2, not_sent(25, "a2"), pending(19)], {"a2"}),
        # ... and against what doesn't count
        ([A1, not_sent(15), applied(50, authentic=False)], {"a1"}),
        ([A1, not_sent(15), applied(50, channel="gateway", attempt="a1")], {"a1"}),
        # the recipient names the attempt
        ([A1, not_sent(15), said("indeterminate", 12, attempt="a1")], set()),
        ([A1, not_sent(15), refused(15)], set()),
        ([A1, not_sent(15), said("indeterminate", 50, attempt="a1"), A2, not_sent(25, "a2")], {"a2"}),
        # a report that nothing else explains
        ([A1, not_sent(15), applied(10)], set()),
        ([A1, not_sent(15), pending(50)], set()),
        ([A1, not_sent(15), accepted(50, channel="webhook")], set()),
        ([A1, not_sent(15), A2, refused(40, "a2"), pending(41)], set()),
        ([A1, not_sent(15), A2, refused(40, "a2"), applied(40)], set()),
        ([A1, not_sent(15), A3, applied(29)], set()),
        # it drops all that were sent by then, and only those
        ([A1, not_sent(15), A2, not_sent(25, "a2"), pending(20)], set()),
        ([A1, not_sent(15), A2, not_sent(25, "a2"), pending(19)], {"a2"}),
        # of several such reports each is judged
        ([A1, not_sent(15), A2, not_sent(25, "a2"), pending(12), pending(50)], set()),
        ([A1, not_sent(15), A2, not_sent(25, "a2"), pending(50), pending(12)], set()),
        # an attempt that is named explains it for the others
        ([A1, not_sent(15), A2, not_sent(25, "a2"), applied(50, attempt="a2")], {"a1"}),
    ],
)
def test_the_recipient_s_word_beats_the_client_s(events, names):
    assert unsent(*events) == names


def test_a_not_sent_that_is_beaten_is_named_by_its_place():
    found = went(A1, A2, not_sent(15), not_sent(25, "a2"), applied(50, attempt="a2"))
    assert (found.unsent, found.overruled) == ({"a1": Dated(15, 2)}, (3,))
    assert went(A1, not_sent(15)).overruled == ()


@pytest.mark.parametrize(
    ("events", "stranger"),
    [
        # nothing is amiss
        ([], None),
        ([A1], None),
        ([A1, applied(10)], None),
        ([A1, applied(50, attempt="a1")], None),
        ([A2, A1, pending(10)], None),
        ([A1, closed(5)], None),
        ([closed(5)], None),
        # a report dated before any attempt on record, the earliest of them
        ([applied(50)], 0),
        ([A1, applied(9)], 1),
        ([A2, A1, accepted(9)], 2),
        ([A1, pending(50), pending(9), pending(8)], 3),
        ([A1, pending(50, as_of=9)], 1),
        ([A1, not_sent(15), applied(9)], 2),
        # an answer that names what is not on record
        ([A1, said("indeterminate", 50, attempt="a9")], 1),
        ([A1, refused(50, "a9"), applied(9)], 1),
        ([A1, applied(50, attempt="a1"), closed(60, attempt="?")], 2),
        # not by the client's word, nor by what doesn't count
        ([A1, not_sent(50, "a9")], None),
        ([A1, applied(9, authentic=False)], None),
    ],
)
def test_the_record_is_incomplete_if_an_answer_speaks_of_what_is_not_on_it(events, stranger):
    found = went(*events)
    assert (found.stranger, found.complete) == (stranger, stranger is None)


def test_the_record_is_not_complete_before_every_writer_has_sealed():
    found = went(A1, sealed=False)
    assert (found.stranger, found.complete, found.nothing_can_act) == (None, False, False)


@pytest.mark.parametrize(
    ("events", "names"),
    [
        ([], []),
        ([A2, A1], ["a2", "a1"]),
        ([A1, A2, refused(40)], ["a2"]),
        ([A1, A2, not_sent(40)], ["a2"]),
        ([A1, A2, not_sent(40), refused(40, "a2")], []),
        # a refusal of this one delivery is no refusal of its copies
        ([A1, refused(40, covers_copies=False)], ["a1"]),
        # what is beaten counts as sent
        ([A1, not_sent(15), pending(50)], ["a1"]),
    ],
)
def test_live_are_the_attempts_neither_refused_nor_unsent(events, names):
    assert live(*events) == names


@pytest.mark.parametrize(
    ("events", "sealed", "nothing"),
    [
        ([], True, True),
        ([A1, not_sent(15)], True, True),
        ([A1, refused(15)], True, True),
        ([A1], True, False),
        ([A1, closed(50)], True, False),
        ([], False, False),
        ([A1, not_sent(15)], False, False),
        ([A1, refused(15), refused(20, "a9")], True, False),
    ],
)
def test_nothing_can_act_if_the_record_is_complete_and_no_attempt_is_live(events, sealed, nothing):
    assert went(*events, sealed=sealed).nothing_can_act is nothing


@pytest.mark.parametrize(
    ("events", "first", "last"),
    [
        ([], None, None),
        ([A1, not_sent(15)], None, None),
        ([A3, A1, A2], 10, 30),
        # a refused attempt reached the recipient, an unsent one did not
        ([A1, refused(15), A2, not_sent(25, "a2")], 10, 10),
        ([A1, not_sent(15), A2, A3], 20, 30),
        # later than now is read as now
        ([attempt(500)], NOW, NOW),
    ],
)
def test_the_first_and_the_last_that_may_have_arrived_are_dated(events, first, last):
    found = went(*events)
    assert (found.first_reached_at, found.last_reached_at) == (first, last)


@pytest.mark.parametrize(
    ("closure", "events", "sealed", "excluding"),
    [
        # nothing closed
        (ClosureCovers.IDENTITY, [A1, absent(50)], True, None),
        # the identity for good, whatever was sent or is on record
        (ClosureCovers.IDENTITY, [A1, closed(5)], True, Dated(5, 1)),
        (ClosureCovers.IDENTITY, [A1, closed(5)], False, Dated(5, 1)),
        (ClosureCovers.IDENTITY, [closed(50), closed(60), closed(55)], True, Dated(60, 1)),
        # earlier attempts only: every live one was sent by then, and nothing else can have been
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(10)], True, Dated(10, 1)),
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(9)], True, None),
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(50)], False, None),
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(50), said("indeterminate", 60, attempt="a9")], True, None),
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(15), A2], True, None),
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(15), A2, closed(20)], True, Dated(20, 3)),
        # one that can't act needs no closure
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(15), A2, refused(30, "a2")], True, Dated(15, 1)),
        (ClosureCovers.EARLIER_ATTEMPTS, [A1, closed(15), A2, not_sent(30, "a2")], True, Dated(15, 1)),
        (ClosureCovers.EARLIER_ATTEMPTS, [closed(15)], True, Dated(15, 0)),
    ],
)
def test_a_closure_excludes_what_it_covers(closure, events, sealed, excluding):
    found = facts(*events, closure=closure, sealed=sealed)
    heard = sift(found, now=NOW)
    assert excluding_closure(found, heard, submitted(found, heard, now=NOW)) == excluding


@pytest.mark.parametrize(
    ("events", "stated", "scopes"),
    [
        # stated: that one, whatever went out
        ([attempt(10, scope="live")], "test", {"test"}),
        ([attempt(10, scope="live")], "", {""}),
        # else that of the last attempt that may have arrived
        ([], None, set()),
        ([attempt(10, scope="live")], None, {"live"}),
        ([attempt(20, "a2", scope="test"), attempt(10, scope="live")], None, {"test"}),
        ([attempt(10, scope="live"), attempt(20, "a2", scope="test"), refused(30, "a2")], None, {"test"}),
        ([attempt(10, scope="live"), attempt(20, "a2", scope="test"), not_sent(30, "a2")], None, {"live"}),
        # attempts of one date can't be told apart
        ([attempt(10, scope="live"), attempt(10, "a2", scope="test")], None, {"live", "test"}),
        ([attempt(500, scope="live"), attempt(600, "a2", scope="test")], None, {"live", "test"}),
    ],
)
def test_a_repeat_goes_out_where_the_last_that_may_have_arrived_did(events, stated, scopes):
    assert repeat_scopes(facts(scope=stated), went(*events)) == scopes


OPEN, ENDED = SuccessorState.OPEN, SuccessorState.NO_EFFECT


@pytest.mark.parametrize(
    ("states", "names"),
    [
        ([], ()),
        ([successor(5)], ("s1",)),
        ([successor(5, state=ENDED)], ()),
        # the newest state holds, in any order
        ([successor(5), successor(6, state=ENDED)], ()),
        ([successor(6, state=ENDED), successor(5)], ()),
        ([successor(5, state=ENDED), successor(6)], ("s1",)),
        ([successor(6), successor(5, state=ENDED)], ("s1",)),
        # of two at one date, the open one
        ([successor(5, state=ENDED), successor(5)], ("s1",)),
        ([successor(5), successor(5, state=ENDED)], ("s1",)),
        # later than now is read as now
        ([successor(NOW + 5, state=ENDED), successor(NOW)], ("s1",)),
        ([successor(NOW), successor(NOW + 5, state=ENDED)], ("s1",)),
        # each by its own name, in the order they appear
        ([successor(9, "s2"), successor(5), successor(6, "s3", state=ENDED)], ("s2", "s1")),
    ],
)
def test_a_successor_is_open_until_its_newest_state_says_otherwise(states, names):
    assert open_successors(facts(*states), now=NOW) == names


def test_an_attempt_is_dated_no_later_than_now():
    assert went(A1, attempt(500, "a2"), now=50).sent == {"a1": 10, "a2": 50}


def test_how_often_an_attempt_may_have_been_sent_does_not_make_it_live():
    assert live(attempt(10, sends=Sends.MANY)) == live(attempt(10)) == ["a1"]
