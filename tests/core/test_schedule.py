"""Nothing unsettled is lost: it has a time for a person, and while asks are left a time to ask."""

from dataclasses import fields, replace
from inspect import signature
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.core.inquiry import Askable, Backoff, Inquiry, Question
from operations.core.schedule import Need, Plan, Reason, Timing, plan

BACKOFF = Backoff(first=100, factor=2, cap=1_000, jitter=0, seed="operation 1")
# Asked once at 1,000: the next ask by backoff is at 1,200, and patience ends at 5,000.
INQUIRY = Inquiry(
    question=Question.UNKNOWN,
    since=900,
    expected_by=5_000,
    channels=(Askable(channel="status", last_asked_at=1_000),),
    backoff=BACKOFF,
    asks_made=1,
    asks_allowed=10,
    ask_ahead=60,
    call_ahead=30,
)
UNSETTLED = [Question.PENDING, Question.UNKNOWN, Question.CONFLICT]


def asked(now: float = 1_000, **changed: Any) -> tuple[float | None, str | None, Timing]:
    made = plan(replace(INQUIRY, **changed), now=now)
    return made.ask_at, made.channel, made.because


def needed(now: float = 1_000, **changed: Any) -> list[tuple[str, float]]:
    return [(need.reason, need.at) for need in plan(replace(INQUIRY, **changed), now=now).needs]


def status(**changed: Any) -> tuple[Askable, ...]:
    return (replace(INQUIRY.channels[0], **changed),)


# When there is nothing to ask.


def test_what_is_settled_is_not_asked_about_and_needs_nobody():
    made = plan(replace(INQUIRY, question=Question.NONE, deadline=1_001, protection_until=1_001), now=9_000)
    assert made == Plan(ask_at=None, channel=None, because=Timing.SETTLED, needs=())
    assert made.person_at is None


@pytest.mark.parametrize("question", UNSETTLED)
def test_when_the_asks_are_used_up_a_person_is_called_and_nothing_else_follows(question):
    made = plan(replace(INQUIRY, question=question, asks_made=10), now=1_500)
    assert (made.ask_at, made.channel, made.because) == (None, None, Timing.POLLS_EXHAUSTED)
    assert Need(reason=Reason.POLLS_EXHAUSTED, at=1_500) in made.needs
    assert made.person_at == 1_500


def test_the_last_ask_that_is_allowed_is_made():
    assert asked(asks_made=9)[0] == 2_000


@pytest.mark.parametrize("question", UNSETTLED)
def test_without_a_channel_to_ask_a_person_is_called(question):
    made = plan(replace(INQUIRY, question=question, channels=(), asks_made=10), now=1_500)
    assert (made.ask_at, made.channel, made.because) == (None, None, Timing.NO_CHANNEL)
    assert Need(reason=Reason.NO_POLLABLE_CHANNEL, at=1_500) in made.needs
    assert Reason.POLLS_EXHAUSTED not in [need.reason for need in made.needs]


@pytest.mark.parametrize("question", UNSETTLED)
def test_a_recipient_that_tells_by_itself_has_its_expected_time_before_a_person_is_called(question):
    listening = replace(INQUIRY, question=question, channels=(), listens=True)
    for now, expected in ((1_500, 5_000), (5_000, 5_000), (6_000, 6_000)):
        made = plan(listening, now=now)
        assert Need(reason=Reason.NO_POLLABLE_CHANNEL, at=expected) in made.needs
        assert made.ask_at is None


def test_inside_its_expected_time_what_is_only_listened_for_needs_nobody_but_for_what_ends_sooner():
    assert needed(channels=(), listens=True) == [("no_pollable_channel", 5_000), ("unknown_too_long", 5_000)]
    assert needed(channels=(), listens=True, deadline=4_000)[0] == ("deadline", 3_970)


@pytest.mark.parametrize(("changed", "reason"), [({"asks_made": 10}, "polls_exhausted"), ({}, None)])
def test_listening_changes_nothing_where_there_is_a_channel_to_ask(changed, reason):
    assert needed(**changed, listens=True) == needed(**changed)
    assert (needed(**changed, listens=True)[0] == (reason, 1_000)) is (reason is not None)


def test_a_plan_takes_and_gives_nothing_of_a_verdict():
    words = {"evidence", "finality", "protection", "standing", "permitted", "refusal", "action", "claim"}
    assert words.isdisjoint(field.name for value in (Plan, Need, Inquiry, Askable, Backoff) for field in fields(value))
    assert [*signature(plan).parameters] == ["inquiry", "now"]
    exhausted = replace(INQUIRY, asks_made=10)
    plan(exhausted, now=1_500)
    assert exhausted == replace(INQUIRY, asks_made=10)


# Backoff and pacing.


@pytest.mark.parametrize(
    ("now", "changed", "expected"),
    [
        # By backoff from the last ask, not from now.
        (1_000, {}, (1_200, "status", Timing.BACKOFF)),
        (1_199, {}, (1_200, "status", Timing.BACKOFF)),
        (1_200, {}, (1_200, "status", Timing.BACKOFF)),
        # Overdue: now.
        (1_300, {}, (1_300, "status", Timing.BACKOFF)),
        # The first ask counts from when the question is open.
        (900, {"asks_made": 0, "channels": status(last_asked_at=None)}, (1_000, "status", Timing.BACKOFF)),
        # Pacing and Retry-After hold the ask back, the later of them.
        (1_000, {"channels": status(min_interval=200)}, (1_200, "status", Timing.BACKOFF)),
        (1_000, {"channels": status(min_interval=201)}, (1_201, "status", Timing.PACING)),
        (1_000, {"channels": status(not_before=1_200)}, (1_200, "status", Timing.BACKOFF)),
        (1_000, {"channels": status(not_before=1_201)}, (1_201, "status", Timing.RETRY_AFTER)),
        (1_000, {"channels": status(min_interval=300, not_before=1_250)}, (1_300, "status", Timing.PACING)),
        (1_000, {"channels": status(min_interval=300, not_before=1_350)}, (1_350, "status", Timing.RETRY_AFTER)),
        (1_360, {"channels": status(min_interval=300, not_before=1_350)}, (1_360, "status", Timing.BACKOFF)),
        # A channel never asked has no pacing of its own yet.
        (
            1_000,
            {"channels": status(last_asked_at=None, min_interval=9_999), "since": 1_000},
            (1_200, "status", Timing.BACKOFF),
        ),
        # A Retry-After of the past is over.
        (1_000, {"channels": status(not_before=5)}, (1_200, "status", Timing.BACKOFF)),
    ],
)
def test_the_next_ask_is_by_backoff_held_back_by_pacing(now, changed, expected):
    assert asked(now, **changed) == expected


# What a cache may give again.


@pytest.mark.parametrize(
    ("now", "changed", "expected"),
    [
        # Asking sooner can teach nothing new.
        (1_000, {"channels": status(fresh_until=1_201)}, (1_201, "status", Timing.FRESH)),
        (1_000, {"channels": status(fresh_until=1_300, not_before=1_250)}, (1_300, "status", Timing.FRESH)),
        (1_000, {"channels": status(fresh_until=1_300, not_before=1_300)}, (1_300, "status", Timing.RETRY_AFTER)),
        (1_000, {"channels": status(fresh_until=1_200)}, (1_200, "status", Timing.BACKOFF)),
        (1_400, {"channels": status(fresh_until=1_300)}, (1_400, "status", Timing.BACKOFF)),
        # Another channel teaches sooner.
        (
            1_000,
            {"channels": (*status(fresh_until=4_000), Askable(channel="list", last_asked_at=900))},
            (1_200, "list", Timing.BACKOFF),
        ),
        # Before an end it is asked all the same: a cache may give it again, and needn't.
        (1_000, {"channels": status(fresh_until=4_000), "deadline": 3_000}, (2_940, "status", Timing.BEFORE_DEADLINE)),
        (
            1_000,
            {"channels": status(fresh_until=4_000), "protection_until": 1_150},
            (1_090, "status", Timing.BEFORE_PROTECTION_ENDS),
        ),
        (1_000, {"channels": status(fresh_until=2_000), "deadline": 3_000}, (2_000, "status", Timing.FRESH)),
        # The recipient's own wish holds before an end, too.
        (
            1_000,
            {"channels": status(fresh_until=4_000, not_before=2_950), "deadline": 3_000},
            (2_950, "status", Timing.RETRY_AFTER),
        ),
    ],
)
def test_what_a_cache_may_give_again_is_not_asked_for_but_before_an_end(now, changed, expected):
    assert asked(now, **changed) == expected


def test_what_a_cache_may_give_again_calls_nobody():
    assert needed(channels=status(fresh_until=4_000), deadline=3_000) == needed(deadline=3_000)


def test_the_watch_waits_for_a_cache_too():
    changed: dict[str, Any] = {"question": Question.FURTHER_EFFECT, "watch_every": 3_600}
    assert asked(**changed, channels=status(fresh_until=5_000)) == (5_000, "status", Timing.FRESH)


# Placing an ask before an end.


@pytest.mark.parametrize(
    ("now", "changed", "expected"),
    [
        # Backoff would step over the end less its lead: asked at 1,150 - 60.
        (1_000, {"protection_until": 1_150}, (1_090, Timing.BEFORE_PROTECTION_ENDS)),
        (1_000, {"deadline": 1_150}, (1_090, Timing.BEFORE_DEADLINE)),
        # The earlier of the two.
        (1_000, {"protection_until": 1_200, "deadline": 1_150}, (1_090, Timing.BEFORE_DEADLINE)),
        (1_000, {"protection_until": 1_150, "deadline": 1_200}, (1_090, Timing.BEFORE_PROTECTION_ENDS)),
        (1_000, {"protection_until": 1_150, "deadline": 1_150}, (1_090, Timing.BEFORE_PROTECTION_ENDS)),
        # Not stepped over: the ask by backoff comes in time.
        (1_000, {"protection_until": 1_260}, (1_200, Timing.BACKOFF)),
        (1_000, {"protection_until": 1_259}, (1_199, Timing.BEFORE_PROTECTION_ENDS)),
        # Asked since then: the last ask served for it.
        (1_000, {"protection_until": 1_060}, (1_200, Timing.BACKOFF)),
        (1_000, {"protection_until": 1_061}, (1_001, Timing.BEFORE_PROTECTION_ENDS)),
        # Late, but the end is still to come: now, up to the end itself.
        (1_100, {"protection_until": 1_150}, (1_100, Timing.BEFORE_PROTECTION_ENDS)),
        (1_150, {"protection_until": 1_150}, (1_150, Timing.BEFORE_PROTECTION_ENDS)),
        # The end is past: no hurry any more.
        (1_151, {"protection_until": 1_150}, (1_200, Timing.BACKOFF)),
        # Held back by the recipient, but before the end.
        (1_000, {"protection_until": 1_150, "channels": status(not_before=1_150)}, (1_150, Timing.RETRY_AFTER)),
        # Held back beyond the end: then the end is no reason to ask at once.
        (1_000, {"protection_until": 1_150, "channels": status(not_before=1_151)}, (1_200, Timing.BACKOFF)),
        (1_000, {"protection_until": 1_150, "channels": status(min_interval=151)}, (1_200, Timing.BACKOFF)),
    ],
)
def test_an_ask_is_placed_before_the_protections_end_and_the_deadline(now, changed, expected):
    at, _, because = asked(now, **changed)
    assert (at, because) == expected


def test_an_ask_is_placed_even_without_a_lead():
    assert asked(protection_until=1_150, ask_ahead=0, call_ahead=0) == (
        1_150,
        "status",
        Timing.BEFORE_PROTECTION_ENDS,
    )


# Channels.


@pytest.mark.parametrize(
    ("channels", "expected"),
    [
        # The likeliest to teach stands first.
        ([("a", {}), ("b", {})], (1_200, "a", Timing.BACKOFF)),
        # Held back, it gives way to one that may be asked.
        ([("a", {"not_before": 1_500}), ("b", {})], (1_200, "b", Timing.BACKOFF)),
        ([("a", {"not_before": 1_500}), ("b", {"not_before": 1_400})], (1_400, "b", Timing.RETRY_AFTER)),
        ([("a", {"not_before": 1_400}), ("b", {"not_before": 1_400})], (1_400, "a", Timing.RETRY_AFTER)),
        # Each has its own pacing.
        (
            [("a", {"last_asked_at": 1_000, "min_interval": 500}), ("b", {"min_interval": 500})],
            (1_200, "b", Timing.BACKOFF),
        ),
    ],
)
def test_the_first_channel_that_may_be_asked_is_asked(channels, expected):
    made = tuple(Askable(channel=name, **given_) for name, given_ in channels)
    assert asked(channels=made, since=1_000) == expected


def test_one_open_channel_is_enough_to_ask_before_the_end():
    channels = (*status(not_before=9_000), Askable(channel="list"))
    assert asked(channels=channels, protection_until=1_150) == (1_090, "list", Timing.BEFORE_PROTECTION_ENDS)
    assert needed(channels=channels, protection_until=1_150) == [
        (Reason.PROTECTION_ENDS, 1_120),
        (Reason.UNKNOWN_TOO_LONG, 5_000),
    ]


# A person.


@pytest.mark.parametrize(
    ("now", "changed", "expected"),
    [
        # Patience ends.
        (1_000, {}, [(Reason.UNKNOWN_TOO_LONG, 5_000)]),
        (1_000, {"question": Question.PENDING}, [(Reason.PENDING_TOO_LONG, 5_000)]),
        (5_001, {}, [(Reason.UNKNOWN_TOO_LONG, 5_001)]),
        # A contradiction is a person's at once.
        (1_000, {"question": Question.CONFLICT}, [(Reason.CONFLICT, 1_000)]),
        # Protection and deadline come near; near or past, the need stays.
        (1_000, {"protection_until": 2_000}, [(Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)]),
        (3_000, {"protection_until": 2_000}, [(Reason.PROTECTION_ENDS, 3_000), (Reason.UNKNOWN_TOO_LONG, 5_000)]),
        (1_000, {"deadline": 6_000}, [(Reason.UNKNOWN_TOO_LONG, 5_000), (Reason.DEADLINE, 5_970)]),
        # At one time in the order of their weight.
        (
            9_000,
            {"question": Question.CONFLICT, "asks_made": 10, "protection_until": 1, "deadline": 1},
            [
                (Reason.CONFLICT, 9_000),
                (Reason.POLLS_EXHAUSTED, 9_000),
                (Reason.PROTECTION_ENDS, 9_000),
                (Reason.DEADLINE, 9_000),
            ],
        ),
        # The recipient wants to be asked when it is too late to act: 2,000 - 30.
        (
            1_000,
            {"protection_until": 2_000, "channels": status(not_before=1_971)},
            [(Reason.RETRY_AFTER_TOO_LATE, 1_000), (Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
        (
            1_000,
            {"protection_until": 2_000, "channels": status(not_before=1_970)},
            [(Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
        (
            1_000,
            {"deadline": 2_000, "protection_until": 9_000, "channels": status(not_before=1_971)},
            [
                (Reason.RETRY_AFTER_TOO_LATE, 1_000),
                (Reason.DEADLINE, 1_970),
                (Reason.UNKNOWN_TOO_LONG, 5_000),
                (Reason.PROTECTION_ENDS, 8_970),
            ],
        ),
        # Pacing alone is no word of the recipient about this ask.
        (
            1_000,
            {"protection_until": 2_000, "channels": status(min_interval=5_000)},
            [(Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
        # One channel waits by pacing, the other by Retry-After: neither comes in time.
        (
            1_000,
            {
                "protection_until": 2_000,
                "channels": (*status(min_interval=5_000), Askable(channel="list", not_before=3_000)),
            },
            [(Reason.RETRY_AFTER_TOO_LATE, 1_000), (Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
        # One may be asked at the last moment that is not too late.
        (
            1_000,
            {
                "protection_until": 2_000,
                "channels": (*status(min_interval=970), Askable(channel="list", not_before=3_000)),
            },
            [(Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
        # Retry-After would be in time, pacing is not.
        (
            1_000,
            {"protection_until": 2_000, "channels": status(min_interval=5_000, not_before=1_970)},
            [(Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
        # Too late by then anyway: the end itself is the reason.
        (
            1_970,
            {"protection_until": 2_000, "channels": status(not_before=1_971)},
            [(Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
        # Used up: Retry-After holds nothing back any more.
        (
            1_000,
            {"protection_until": 2_000, "asks_made": 10, "channels": status(not_before=3_000)},
            [(Reason.POLLS_EXHAUSTED, 1_000), (Reason.PROTECTION_ENDS, 1_970), (Reason.UNKNOWN_TOO_LONG, 5_000)],
        ),
    ],
)
def test_a_person_is_needed_for_each_of_these_reasons_from_then_on(now, changed, expected):
    assert needed(now, **changed) == expected


def test_an_endless_retry_after_still_ends_with_a_person():
    made = plan(replace(INQUIRY, channels=status(not_before=2.0**53)), now=1_000)
    assert (made.ask_at, made.person_at) == (2.0**53, 5_000)


def test_a_contradiction_is_still_asked_about():
    assert asked(question=Question.CONFLICT) == (1_200, "status", Timing.BACKOFF)


# The slow watch.


@pytest.mark.parametrize(
    ("now", "changed", "expected"),
    [
        (1_000, {}, (None, None, Timing.SETTLED)),
        (1_000, {"watch_every": 3_600, "channels": ()}, (None, None, Timing.NO_CHANNEL)),
        (1_000, {"watch_every": 3_600}, (4_600, "status", Timing.WATCH)),
        (1_000, {"watch_every": 3_600, "watch_until": 4_600}, (4_600, "status", Timing.WATCH)),
        (1_000, {"watch_every": 3_600, "watch_until": 4_599}, (None, None, Timing.SETTLED)),
        # It has an end of its own, not the number of asks, and steps over protection and deadline.
        (1_000, {"watch_every": 3_600, "asks_made": 10}, (4_600, "status", Timing.WATCH)),
        (1_000, {"watch_every": 3_600, "deadline": 2_000, "protection_until": 2_000}, (4_600, "status", Timing.WATCH)),
        (1_000, {"watch_every": 3_600, "channels": status(not_before=5_000)}, (5_000, "status", Timing.RETRY_AFTER)),
        (
            1_000,
            {"watch_every": 3_600, "watch_until": 4_900, "channels": status(not_before=5_000)},
            (None, None, Timing.SETTLED),
        ),
    ],
)
def test_what_could_happen_again_is_watched_slowly(now, changed, expected):
    assert asked(now, question=Question.FURTHER_EFFECT, **changed) == expected
    assert needed(now, question=Question.FURTHER_EFFECT, **changed) == []


def test_the_watch_is_spread_by_jitter_too():
    backoff = replace(BACKOFF, jitter=0.5)
    at, _, _ = asked(question=Question.FURTHER_EFFECT, watch_every=3_600, backoff=backoff)
    assert at == 1_000 + backoff.shortened(3_600, ask=1)
    assert 2_800 < at < 4_600


@pytest.mark.parametrize("word", [*Timing, *Reason])
def test_every_reason_has_a_sentence(word):
    assert word.sentence.endswith(".")


# Laws.

TIMES = st.integers(-500, 5_000)
MAYBE = st.none() | TIMES
CHANNELS = st.lists(
    st.builds(
        Askable,
        channel=st.sampled_from("abc"),
        min_interval=st.integers(0, 2_000),
        last_asked_at=MAYBE,
        not_before=MAYBE,
        fresh_until=MAYBE,
    ),
    max_size=3,
    unique_by=lambda one: one.channel,
).map(tuple)
INQUIRIES = st.builds(
    Inquiry,
    question=st.sampled_from(Question),
    since=TIMES,
    expected_by=TIMES,
    channels=CHANNELS,
    backoff=st.builds(
        Backoff,
        first=st.integers(1, 100),
        factor=st.sampled_from([1, 1.5, 10]),
        cap=st.integers(100, 5_000),
        jitter=st.sampled_from([0, 0.3, 0.9]),
        seed=st.text(max_size=3),
    ),
    asks_made=st.integers(0, 6),
    asks_allowed=st.integers(0, 6),
    ask_ahead=st.integers(100, 500),
    call_ahead=st.integers(0, 100),
    protection_until=MAYBE,
    deadline=MAYBE,
    watch_every=st.none() | st.integers(1, 3_000),
    watch_until=MAYBE,
)


@given(INQUIRIES, TIMES)
def test_nothing_unsettled_is_lost(inquiry, now):
    made = plan(inquiry, now=now)
    if inquiry.question in UNSETTLED:
        assert made.person_at is not None
        can_ask = bool(inquiry.channels) and inquiry.asks_made < inquiry.asks_allowed
        assert (made.ask_at is not None) == can_ask
        assert can_ask or made.person_at == now
    else:
        assert made.person_at is None


@given(INQUIRIES, TIMES)
def test_no_ask_comes_before_now_pacing_or_retry_after(inquiry, now):
    made = plan(inquiry, now=now)
    assert (made.ask_at is None) == (made.channel is None)
    for askable in inquiry.channels:
        if askable.channel == made.channel:
            assert made.ask_at is not None
            assert made.ask_at >= now
            assert askable.not_before is None or made.ask_at >= askable.not_before
            assert askable.last_asked_at is None or made.ask_at >= askable.last_asked_at + askable.min_interval


@given(INQUIRIES, TIMES, st.integers(0, 3_000))
def test_as_time_passes_a_plan_moves_only_to_later_times(inquiry, now, passed):
    early, late = plan(inquiry, now=now), plan(inquiry, now=now + passed)
    if early.ask_at is not None and late.ask_at is not None:
        assert early.ask_at <= late.ask_at
    if early.person_at is not None:
        assert late.person_at is not None
        assert early.person_at <= late.person_at


@given(INQUIRIES, TIMES)
def test_planning_again_when_an_ask_or_a_need_is_due_finds_it_due(inquiry, now):
    made = plan(inquiry, now=now)
    if made.ask_at is not None:
        again = plan(inquiry, now=made.ask_at)
        assert (again.ask_at, again.channel) == (made.ask_at, made.channel)
    if made.person_at is not None:
        assert plan(inquiry, now=made.person_at).person_at == made.person_at


@given(INQUIRIES, TIMES)
def test_the_same_inquiry_gives_the_same_plan(inquiry, now):
    assert plan(inquiry, now=now) == plan(replace(inquiry), now=now)


@given(INQUIRIES, TIMES)
def test_needs_come_soonest_first_and_each_once(inquiry, now):
    needs = plan(inquiry, now=now).needs
    assert [need.at for need in needs] == sorted(need.at for need in needs)
    assert len({need.reason for need in needs}) == len(needs)
    assert all(need.at >= now for need in needs)


@given(INQUIRIES, TIMES)
def test_running_out_of_asks_adds_its_reason_and_takes_no_other_away_but_retry_after(inquiry, now):
    before = {need.reason for need in plan(replace(inquiry, asks_made=0, asks_allowed=1), now=now).needs}
    after = {need.reason for need in plan(replace(inquiry, asks_made=1, asks_allowed=1), now=now).needs}
    if inquiry.question in UNSETTLED and inquiry.channels:
        assert after == (before - {Reason.RETRY_AFTER_TOO_LATE}) | {Reason.POLLS_EXHAUSTED}
    else:
        assert after == before


@given(INQUIRIES, TIMES)
def test_an_unsettled_ask_waits_no_longer_than_backoff_unless_held_back(inquiry, now):
    made = plan(inquiry, now=now)
    if made.ask_at is not None and inquiry.question in UNSETTLED:
        by_backoff = inquiry.anchor + inquiry.backoff.wait_before(inquiry.asks_made)
        held = made.because in (Timing.PACING, Timing.RETRY_AFTER, Timing.FRESH)
        assert held or made.ask_at <= max(now, by_backoff)
