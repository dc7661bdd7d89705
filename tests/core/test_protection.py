"""A repeat is protected only by the recipient's own words, in force now and for everything that was sent."""

from typing import Any

import pytest

from operations.core.facts import After, ConcurrentUse, Covers, Event, Guarantee, Mechanism
from operations.core.protection import (
    PROTECTIONS,
    Protected,
    Protection,
    ProtectionReason,
    protected_when_sent,
    protection_of,
    scope_differs_from,
    window_end,
)
from operations.core.weighed import Ground
from tests.core.building import NOW, attempt, kept, lost, not_sent, pending, refused, said, weighed

A1 = attempt(10)
ACTIVE, ABSENT, UNESTABLISHED = Protection.ACTIVE, Protection.ABSENT, Protection.UNESTABLISHED
UNDOCUMENTED = {"mechanism": Mechanism.UNDOCUMENTED}
WINDOW = ("protection.guaranteed_for", "protection.margin")


def protected(*events: Event, **more: Any) -> Protected:
    return protection_of(weighed(*events, **more))


def short(*events: Event, **more: Any) -> tuple[Protection, float | None, str | None]:
    return protected(*events, **more)[:3]


def lapsed(*statements: Event, **more: Any) -> bool:
    return short(A1, *statements, **more) == (UNESTABLISHED, None, ProtectionReason.LAPSED)


# Each row of semantics.md with nothing before it that would hold, and everything after it that could.
ROWS: list[tuple[str, list[Event], dict[str, Any], Protected]] = [
    (
        "mechanism none",
        [A1, kept(20, until=900)],
        {"mechanism": Mechanism.NONE, "known": False},
        Protected(ABSENT, None, ProtectionReason.CONTRACT_HAS_NONE, Ground((), ("protection.mechanism",))),
    ),
    (
        "the identity that was sent is not known",
        [A1, kept(20, until=900)],
        {"known": False, "sealed": False},
        Protected(UNESTABLISHED, None, ProtectionReason.IDENTITY_UNKNOWN, Ground((), ("operation.identity_known",))),
    ),
    (
        "nobody sealed the record",
        [A1, attempt(20, "a2", scope="test")],
        {"sealed": False},
        Protected(
            UNESTABLISHED, None, ProtectionReason.RECORD_INCOMPLETE, Ground((), ("operation.attempts_complete",))
        ),
    ),
    (
        "an answer names what is not on record",
        [A1, kept(20, until=900), said("indeterminate", 30, attempt="a9")],
        {},
        Protected(
            UNESTABLISHED, None, ProtectionReason.RECORD_INCOMPLETE, Ground((2,), ("operation.attempts_complete",))
        ),
    ),
    (
        "a live attempt went out in another scope",
        [A1, attempt(20, "a2", scope="test")],
        {"covers": Covers.SUCCESS_ONLY},
        Protected(UNESTABLISHED, None, ProtectionReason.SCOPE_DIFFERS, Ground((), ("operation.repeat_scope",))),
    ),
    (
        "not every outcome is kept",
        [A1, kept(20, until=900)],
        {"covers": Covers.SUCCESS_ONLY, "concurrent_use": ConcurrentUse.UNDOCUMENTED},
        Protected(UNESTABLISHED, None, ProtectionReason.OUTCOMES_NOT_COVERED, Ground((), ("protection.covers",))),
    ),
    (
        "nothing is said of the outcomes kept",
        [A1],
        {"covers": Covers.UNDOCUMENTED},
        Protected(UNESTABLISHED, None, ProtectionReason.OUTCOMES_NOT_COVERED, Ground((), ("protection.covers",))),
    ),
    (
        "the original may be in flight",
        [A1, lost(20)],
        {"concurrent_use": ConcurrentUse.UNDOCUMENTED},
        Protected(
            UNESTABLISHED, None, ProtectionReason.CONCURRENCY_UNDOCUMENTED, Ground((), ("protection.concurrent_use",))
        ),
    ),
    (
        "the newest statement: lost",
        [A1, kept(20, until=900), lost(30)],
        UNDOCUMENTED,
        Protected(UNESTABLISHED, None, ProtectionReason.WITHDRAWN, Ground((2,))),
    ),
    (
        "the newest statement: kept until",
        [A1, lost(20), kept(30, until=900)],
        UNDOCUMENTED,
        Protected(ACTIVE, 890, None, Ground((2,), ("protection.margin",))),
    ),
    (
        "the newest statement: its end has passed",
        [A1, kept(30, until=105)],
        UNDOCUMENTED,
        Protected(UNESTABLISHED, None, ProtectionReason.LAPSED, Ground((1,), ("protection.margin",))),
    ),
    (
        "mechanism undocumented",
        [A1],
        {**UNDOCUMENTED, "guaranteed_for": Guarantee.UNLIMITED},
        Protected(UNESTABLISHED, None, ProtectionReason.UNDOCUMENTED, Ground((), ("protection.mechanism",))),
    ),
    (
        "unlimited",
        [A1],
        {"guaranteed_for": Guarantee.UNLIMITED},
        Protected(ACTIVE, None, None, Ground((), ("protection.guaranteed_for", "protection.after"))),
    ),
    (
        "a late repeat is refused",
        [A1],
        {"guaranteed_for": 5, "after": After.REFUSED},
        Protected(ACTIVE, None, None, Ground((), ("protection.guaranteed_for", "protection.after"))),
    ),
    (
        "a late repeat is refused, whatever the interval",
        [A1],
        {"guaranteed_for": Guarantee.WHILE_EXISTS, "after": After.REFUSED},
        Protected(ACTIVE, None, None, Ground((), ("protection.guaranteed_for", "protection.after"))),
    ),
    (
        "while it exists",
        [],
        {"guaranteed_for": Guarantee.WHILE_EXISTS},
        Protected(
            UNESTABLISHED, None, ProtectionReason.DEPENDS_ON_EXISTENCE, Ground((), ("protection.guaranteed_for",))
        ),
    ),
    (
        "interval undocumented",
        [],
        {"guaranteed_for": Guarantee.UNDOCUMENTED},
        Protected(UNESTABLISHED, None, ProtectionReason.UNDOCUMENTED, Ground((), ("protection.guaranteed_for",))),
    ),
    ("never attempted", [], {}, Protected(ACTIVE, None, None, Ground((), WINDOW))),
    (
        "no attempt may have reached the recipient",
        [A1, not_sent(20)],
        {"guaranteed_for": 5},
        Protected(ACTIVE, None, None, Ground((), WINDOW)),
    ),
    ("inside the window", [A1], {"guaranteed_for": 101}, Protected(ACTIVE, 101, None, Ground((), WINDOW))),
    (
        "the window is over",
        [A1],
        {"guaranteed_for": 100},
        Protected(UNESTABLISHED, None, ProtectionReason.LAPSED, Ground((), WINDOW)),
    ),
]


@pytest.mark.parametrize(("events", "terms", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_first_row_that_holds_says_what_a_repeat_is(events, terms, expected):
    assert protected(*events, **terms) == expected


@pytest.mark.parametrize("after", [After.RUNS_AS_NEW, After.UNDOCUMENTED])
def test_only_a_late_repeat_that_is_refused_makes_the_end_harmless(after):
    assert short(A1, guaranteed_for=5, after=after) == (UNESTABLISHED, None, ProtectionReason.LAPSED)


@pytest.mark.parametrize(
    ("events", "terms", "until"),
    [
        # first attempt that may have arrived + guaranteed_for - margin
        ([A1], {}, 1000),
        ([A1], {"margin": 0}, 1010),
        ([attempt(20, "a2"), A1], {}, 1000),
        # a refused attempt starts the clock, an unsent one does not, a later one renews nothing
        ([A1, refused(20), attempt(30, "a2")], {}, 1000),
        ([A1, not_sent(20), attempt(30, "a2")], {}, 1020),
        ([attempt(-500), attempt(50, "a2")], {}, 490),
        # an attempt dated later than now is read as now
        ([attempt(5000)], {}, NOW + 990),
        # a promise shorter than its margin never held
        ([A1], {"guaranteed_for": 5, "now": 10}, None),
    ],
)
def test_the_window_is_counted_from_the_earliest_possible_receipt(events, terms, until):
    assert short(*events, **terms)[1] == until


def test_there_is_no_window_without_a_number_or_an_attempt():
    assert window_end(weighed(A1, guaranteed_for=Guarantee.UNLIMITED)) is None
    assert window_end(weighed()) is None


@pytest.mark.parametrize(("now", "protection"), [(999, ACTIVE), (999.999, ACTIVE), (1000, UNESTABLISHED)])
def test_a_window_ends_at_its_end(now, protection):
    assert short(A1, now=now)[0] is protection


@pytest.mark.parametrize(("now", "protection"), [(889, ACTIVE), (890, UNESTABLISHED), (5000, UNESTABLISHED)])
def test_a_stated_end_holds_until_it_less_the_margin(now, protection):
    assert short(A1, kept(30, until=900), now=now)[0] is protection


def test_a_stated_end_replaces_the_contract_s_own_and_does_not_fall_back_on_it():
    assert lapsed(kept(30, until=105), guaranteed_for=1000)
    assert short(A1, kept(30, until=5000), guaranteed_for=5) == (ACTIVE, 4990, None)
    assert short(A1, kept(30, until=500), guaranteed_for=Guarantee.UNLIMITED) == (ACTIVE, 490, None)


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        # the newest by date, in any order
        ([kept(30, until=900), kept(20, until=500)], (ACTIVE, 890, None)),
        ([kept(20, until=500), kept(30, until=900)], (ACTIVE, 890, None)),
        ([kept(50, until=900, as_of=20), kept(30, until=500)], (ACTIVE, 490, None)),
        ([lost(20), kept(30, until=900)], (ACTIVE, 890, None)),
        ([kept(30, until=900), lost(31)], (UNESTABLISHED, None, ProtectionReason.WITHDRAWN)),
        # of one date: lost first, then the earlier end
        ([kept(30, until=900), lost(30)], (UNESTABLISHED, None, ProtectionReason.WITHDRAWN)),
        ([lost(30), kept(30, until=900)], (UNESTABLISHED, None, ProtectionReason.WITHDRAWN)),
        ([kept(30, until=900), kept(30, until=500)], (ACTIVE, 490, None)),
        ([kept(30, until=500), kept(30, until=900)], (ACTIVE, 490, None)),
        # an end that lies before everything is an end
        ([kept(30, until=-5)], (UNESTABLISHED, None, ProtectionReason.LAPSED)),
        ([kept(30, until=0)], (UNESTABLISHED, None, ProtectionReason.LAPSED)),
        # what doesn't count states nothing
        ([lost(30, authentic=False)], (ACTIVE, 1000, None)),
    ],
)
def test_the_newest_statement_of_the_recipient_holds(statements, found):
    assert short(A1, *statements) == found


def test_of_the_same_statement_twice_the_first_is_what_it_rests_on():
    assert protected(A1, lost(30), lost(30)).ground.observations == (1,)
    assert protected(A1, kept(30, until=900), kept(30, until=900)).ground.observations == (1,)


def test_a_statement_of_before_any_attempt_is_the_newest_all_the_same():
    assert short(A1, lost(5)) == (UNESTABLISHED, None, ProtectionReason.WITHDRAWN)


@pytest.mark.parametrize(
    ("events", "scope", "elsewhere"),
    [
        # one attempt sets the scope
        ([A1], None, []),
        ([], None, []),
        # stated, and it is another
        ([A1], "test", ["a1"]),
        ([A1], "live", []),
        ([A1], "", ["a1"]),
        # the last attempt that may have arrived sets it
        ([A1, attempt(20, "a2", scope="test")], None, ["a1"]),
        ([A1, attempt(20, "a2")], None, []),
        ([A1, attempt(20, "a2", scope="test"), not_sent(30, "a2")], None, []),
        # a refused attempt sets it, too, and isn't held against it
        ([A1, attempt(20, "a2", scope="test"), refused(30, "a2")], None, ["a1"]),
        ([attempt(10, scope="test"), refused(30), attempt(20, "a2")], None, []),
        # two of one date in two scopes: it may be either
        ([A1, attempt(10, "a2", scope="test")], None, ["a1", "a2"]),
        ([A1, attempt(10, "a2", scope="test"), refused(30, "a2")], None, ["a1"]),
    ],
)
def test_a_live_attempt_in_another_scope_shuts_protection(events, scope, elsewhere):
    found = weighed(*events, scope=scope)
    assert scope_differs_from(found) == elsewhere
    reason = ProtectionReason.SCOPE_DIFFERS if elsewhere else None
    assert protection_of(found).reason is reason


@pytest.mark.parametrize(
    ("events", "terms", "at", "was"),
    [
        # inside the window counted from the first attempt
        ([A1], {}, 10, True),
        ([A1], {}, 999, True),
        ([A1], {}, 1000, False),
        # by the contract's own terms, statements aside
        ([A1, lost(5)], {}, 20, True),
        ([A1, kept(5, until=5000)], {"guaranteed_for": 20}, 50, False),
        ([A1, kept(5, until=5000)], UNDOCUMENTED, 50, False),
        ([A1], {"guaranteed_for": Guarantee.UNLIMITED}, 10**9, True),
        ([A1], {"mechanism": Mechanism.NONE}, 20, False),
        ([A1], {"covers": Covers.SUCCESS_ONLY}, 20, False),
        ([A1], {"known": False}, 20, False),
        # the scope is the caller's question
        ([A1], {"scope": "test"}, 20, True),
    ],
)
def test_an_attempt_went_out_under_protection_by_the_contract_s_own_terms(events, terms, at, was):
    found = weighed(*events, **terms)
    assert protected_when_sent(found, at) is was
    assert found.now == NOW


def test_a_table_without_a_row_that_holds_protects_nothing():
    nothing = Protected(UNESTABLISHED, None, ProtectionReason.UNDOCUMENTED, Ground())
    assert protection_of(weighed(A1), table=()) == nothing
    assert protected_when_sent(weighed(A1), 10, table=()) is False


def test_a_loss_is_no_stated_end():
    without = tuple(row for row in PROTECTIONS if row.reason is not ProtectionReason.WITHDRAWN)
    assert protection_of(weighed(A1, lost(50)), table=without)[:3] == (ACTIVE, 1000, None)


def test_the_rows_that_are_the_contract_s_own_are_marked():
    aside = {row.name for row in PROTECTIONS if not row.own}
    assert aside == {
        "scope differs",
        "newest statement: lost",
        "newest statement: still kept",
        "newest statement: its end passed",
    }


def test_only_an_active_row_has_no_reason_and_may_end():
    for row in PROTECTIONS:
        assert (row.protection is ACTIVE) == (row.reason is None), row.name


def test_a_report_of_activity_is_no_statement_about_the_request_number():
    assert short(A1, pending(50)) == short(A1)


@pytest.mark.parametrize("reason", ProtectionReason)
def test_every_reason_is_a_sentence(reason):
    assert reason.sentence[0].isupper()
    assert reason.sentence.endswith(".")
