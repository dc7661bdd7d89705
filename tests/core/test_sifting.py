"""Only what counts may speak, and what doesn't is kept with the first reason against it."""

from dataclasses import fields
from itertools import product
from typing import Any

import pytest

from operations.core.facts import Authority, Channel, Claim, Correlation, Facts, Guarantee, Observation, Reads, Sends
from operations.core.sifting import AUTHORITY, Dated, NotCounted, Said, WhyNot, date_of, sift
from tests.core.building import (
    NOW,
    absent,
    accepted,
    applied,
    attempt,
    closed,
    facts,
    kept,
    lost,
    not_sent,
    pending,
    refused,
    said,
)

ALL_BUT_NOT_SENT = set(Claim) - {Claim.NOT_SENT}
# semantics.md, Claims: channel authority | claims that count
CLAIMS_THAT_COUNT = {
    Authority.HISTORY: ALL_BUT_NOT_SENT,
    Authority.CURRENT: ALL_BUT_NOT_SENT - {Claim.ABSENT},
    Authority.DERIVED: {Claim.APPLIED},
    Authority.TRANSPORT: set(),
    Authority.CLIENT: {Claim.NOT_SENT},
    Authority.NONE: set(),
}
SENT = attempt(0)


def sifted(*events: Any, now: float = NOW, **more: Any) -> Said:
    return sift(facts(*events, **more), now=now)


def why(*events: Any, **more: Any) -> list[WhyNot]:
    return [reason for _, reason in sifted(*events, **more).not_counted]


def by(authority: Authority, **more: Any) -> dict[str, Channel]:
    return {"channel": Channel(authority=authority, **more)}


def heard(says: str, *, at: float = 5, **more: Any) -> Observation:
    return said(says, at, **{"channel": "channel", "attempt": "a1", "until": 50, "covers_copies": True, **more})


@pytest.mark.parametrize(("authority", "claim"), list(product(Authority, Claim)))
def test_a_channel_is_heard_only_on_what_its_authority_can_claim(authority, claim):
    channels = by(authority, reads=Reads.STRONG, positive_is_conclusive=True)
    counts = not why(SENT, heard(claim), channels=channels)
    assert counts == (claim in CLAIMS_THAT_COUNT[authority])


def test_the_table_of_authorities_is_the_document_s():
    assert AUTHORITY == CLAIMS_THAT_COUNT


SETTLES_NOTHING: list[tuple[Observation, dict[str, Channel], WhyNot]] = [
    # not in the contract, whatever it says
    (heard("applied"), {}, WhyNot.UNKNOWN_CHANNEL),
    (heard("guessed"), {}, WhyNot.UNKNOWN_CHANNEL),
    # unknown claims, whoever makes them
    (heard("guessed"), by(Authority.HISTORY), WhyNot.UNKNOWN_CLAIM),
    (heard("Applied"), by(Authority.HISTORY), WhyNot.UNKNOWN_CLAIM),
    (heard(""), by(Authority.NONE), WhyNot.UNKNOWN_CLAIM),
    # nobody's word
    (heard("applied"), by(Authority.TRANSPORT), WhyNot.NO_AUTHORITY),
    (heard("not_sent"), by(Authority.TRANSPORT), WhyNot.NO_AUTHORITY),
    (heard("applied"), by(Authority.NONE), WhyNot.NO_AUTHORITY),
    (heard("closed"), by(Authority.NONE), WhyNot.NO_AUTHORITY),
    # somebody's word on something else
    (heard("not_sent"), by(Authority.HISTORY), WhyNot.ONLY_THE_SOCKET),
    (heard("not_sent"), by(Authority.CURRENT), WhyNot.ONLY_THE_SOCKET),
    (heard("not_sent"), by(Authority.DERIVED, positive_is_conclusive=True), WhyNot.ONLY_THE_SOCKET),
    (heard("absent"), by(Authority.CURRENT, reads=Reads.STRONG), WhyNot.GONE_IS_NOT_NEVER),
    (heard("absent"), by(Authority.DERIVED, reads=Reads.STRONG), WhyNot.BEYOND_AUTHORITY),
    (heard("pending"), by(Authority.DERIVED, positive_is_conclusive=True), WhyNot.BEYOND_AUTHORITY),
    (heard("applied"), by(Authority.CLIENT), WhyNot.BEYOND_AUTHORITY),
    (heard("indeterminate"), by(Authority.CLIENT), WhyNot.BEYOND_AUTHORITY),
    # an index
    (heard("applied"), by(Authority.DERIVED), WhyNot.NOT_CONCLUSIVE),
    # not proven, or not tied
    (heard("applied", authentic=False), by(Authority.HISTORY), WhyNot.NOT_AUTHENTIC),
    (heard("not_sent", authentic=False), by(Authority.CLIENT), WhyNot.NOT_AUTHENTIC),
    (heard("applied", correlation=Correlation.ARGUMENTS), by(Authority.HISTORY), WhyNot.ONLY_ARGUMENTS),
    (heard("applied", correlation=Correlation.WEAK), by(Authority.HISTORY), WhyNot.WEAKLY_TIED),
    (heard("applied", correlation=Correlation.MISMATCH), by(Authority.HISTORY), WhyNot.OTHER_OPERATION),
    (heard("not_sent", correlation=Correlation.MISMATCH), by(Authority.CLIENT), WhyNot.OTHER_OPERATION),
    # a read that may lag
    (heard("absent"), by(Authority.HISTORY, reads=Reads.EVENTUAL), WhyNot.READ_MAY_LAG),
    (heard("absent"), by(Authority.HISTORY, reads=Reads.UNORDERED), WhyNot.READ_MAY_LAG),
    # before the attempt was sent
    (heard("attempt_refused", at=-1), by(Authority.HISTORY), WhyNot.BEFORE_THE_ATTEMPT),
    (heard("attempt_refused", as_of=-1), by(Authority.HISTORY), WhyNot.BEFORE_THE_ATTEMPT),
    (
        heard("attempt_refused", at=-1, covers_copies=False),
        by(Authority.HISTORY),
        WhyNot.BEFORE_THE_ATTEMPT,
    ),
    (heard("not_sent", at=-1), by(Authority.CLIENT), WhyNot.BEFORE_THE_ATTEMPT),
    # of no attempt on record
    (heard("not_sent", attempt="a9"), by(Authority.CLIENT), WhyNot.NO_SUCH_ATTEMPT),
    (heard("not_sent", attempt=None), by(Authority.CLIENT), WhyNot.NO_SUCH_ATTEMPT),
    # a stated end that can't be used
    (heard("protection_until", until=None), by(Authority.HISTORY), WhyNot.NO_END_STATED),
]


@pytest.mark.parametrize(("observation", "channels", "reason"), SETTLES_NOTHING)
def test_what_settles_nothing_is_kept_with_its_reason(observation, channels, reason):
    found = sifted(SENT, observation, channels=channels)
    assert found == Said(not_counted=[NotCounted(1, reason)])


def test_every_reason_but_those_of_the_terms_is_in_the_table():
    in_the_table = {reason for _, _, reason in SETTLES_NOTHING}
    assert set(WhyNot) - in_the_table == {WhyNot.MAY_HAVE_SENT_TWICE, WhyNot.NO_MARGIN}


def test_a_sender_that_may_send_twice_cannot_know_that_nothing_was_sent():
    assert why(attempt(0, sends=Sends.MANY), not_sent(5)) == [WhyNot.MAY_HAVE_SENT_TWICE]


def test_a_stated_end_is_of_no_use_without_a_margin():
    found = why(SENT, kept(5, until=50), margin=None, guaranteed_for=Guarantee.UNDOCUMENTED)
    assert found == [WhyNot.NO_MARGIN]
    assert why(SENT, kept(5, until=50), margin=0) == []


@pytest.mark.parametrize("correlation", [Correlation.OPERATION, Correlation.ARGUMENTS, Correlation.WEAK])
def test_the_client_s_own_side_of_the_wire_needs_no_tie(correlation):
    found = sifted(SENT, not_sent(5, correlation=correlation))
    assert (found.unsent, found.not_counted) == ({"a1": Dated(5, 1)}, [])


def test_an_index_is_heard_where_a_hit_in_it_is_conclusive():
    assert sifted(SENT, applied(5, channel="search")).applied == [Dated(5, 1)]


@pytest.mark.parametrize("reads", Reads)
def test_what_is_there_may_be_read_from_any_read(reads):
    found = sifted(SENT, heard("applied"), heard("closed"), channels=by(Authority.HISTORY, reads=reads))
    assert (found.applied, found.closed) == ([Dated(5, 1)], [Dated(5, 2)])


@pytest.mark.parametrize("make", [pending, accepted])
def test_only_a_strong_channel_s_activity_is_strong(make):
    found = sifted(make(5), make(6, channel="webhook"), make(7, channel="list"))
    assert found.strong == [Dated(5, 0), Dated(7, 2)]
    assert (found.pending or found.accepted) == [Dated(5, 0), Dated(6, 1), Dated(7, 2)]


def test_each_claim_is_heard_as_itself():
    found = sifted(applied(1), closed(2), absent(3), pending(4), accepted(5), lost(6), kept(7, until=70))
    assert found == Said(
        applied=[Dated(1, 0)],
        closed=[Dated(2, 1)],
        absent=[Dated(3, 2)],
        pending=[Dated(4, 3)],
        accepted=[Dated(5, 4)],
        strong=[Dated(4, 3), Dated(5, 4)],
        lost=[Dated(6, 5)],
        kept=[(Dated(7, 6), 70)],
    )


def test_an_answer_that_settles_nothing_counts_and_says_nothing():
    assert sifted(said("indeterminate", 5)) == Said()


@pytest.mark.parametrize("at", [0, 5])
def test_a_refusal_and_a_not_sent_may_be_dated_when_the_attempt_was_sent(at):
    assert sifted(SENT, refused(at)).refused == {"a1": Dated(at, 1)}
    assert sifted(SENT, not_sent(at)).unsent == {"a1": Dated(at, 1)}


def test_a_refusal_that_covers_no_copies_takes_nothing_out():
    found = sifted(SENT, refused(5, covers_copies=False))
    assert found == Said(named={"a1": 1})


@pytest.mark.parametrize("name", ["a9", None])
def test_a_refusal_of_no_attempt_on_record_takes_nothing_out(name):
    found = sifted(SENT, said("attempt_refused", 5, attempt=name, covers_copies=True))
    assert (found.refused, found.not_counted) == ({}, [])


@pytest.mark.parametrize("make", [refused, not_sent])
def test_the_first_of_its_kind_is_kept_in_any_order(make):
    found = sifted(SENT, make(9), make(5), make(7), make(5))
    assert (found.refused or found.unsent) == {"a1": Dated(5, 2)}


def test_each_attempt_is_refused_on_its_own():
    found = sifted(SENT, attempt(3, "a2"), refused(9, "a2"), refused(5))
    assert found.refused == {"a1": Dated(5, 3), "a2": Dated(9, 2)}


def test_the_recipient_names_an_attempt_by_any_counting_answer():
    found = sifted(said("indeterminate", 5, attempt="a1"), pending(6, attempt="a9"), applied(7, attempt="a1"))
    assert found.named == {"a1": 0, "a9": 1}


@pytest.mark.parametrize(
    "observation",
    [
        # the client is not the recipient
        not_sent(5),
        # what doesn't count names nothing
        applied(5, attempt="a1", authentic=False),
        applied(5, attempt="a1", channel="gateway"),
        refused(-1),
        # an answer without a name
        applied(5),
    ],
)
def test_nothing_else_names_an_attempt(observation):
    assert sifted(SENT, observation).named == {}


def test_the_effects_that_the_recipient_names_are_kept_once_each():
    found = sifted(applied(5, effect_ref="T-2"), applied(6), applied(7, effect_ref="T-1"), applied(8, effect_ref="T-2"))
    assert found.effects == {"T-2": 0, "T-1": 2}


def test_an_effect_reference_of_something_else_names_no_effect():
    found = sifted(
        closed(5, effect_ref="T-1"), applied(6, effect_ref="T-2", authentic=False), applied(7, effect_ref="")
    )
    assert found.effects == {"": 2}


@pytest.mark.parametrize(
    ("at", "as_of", "date"),
    [
        # without a date of its own, when it came
        (40, None, 40),
        # the recipient's own date
        (40, 30, 30),
        (40, -30, -30),
        (40, 40, 40),
        # never later than it came
        (40, 50, 40),
        # nothing is in the future: later than now is read as now
        (140, None, 100),
        (140, 30, 30),
        (140, 120, 100),
        (140, 100, 100),
        (100, None, 100),
        # zero is a date
        (40, 0, 0),
    ],
)
def test_a_statement_is_dated_no_later_than_it_came(at, as_of, date):
    assert date_of(applied(at, as_of=as_of), now=100) == date
    assert sifted(applied(at, as_of=as_of), now=100).applied == [Dated(date, 0)]


def test_an_attempt_later_than_now_is_read_as_sent_now():
    assert sifted(attempt(200), refused(150)).refused == {"a1": Dated(NOW, 1)}
    assert sifted(attempt(200), not_sent(150)).unsent == {"a1": Dated(NOW, 1)}
    assert why(attempt(200), refused(NOW - 1)) == [WhyNot.BEFORE_THE_ATTEMPT]


def test_indices_count_all_events():
    found = sifted(attempt(0), pending(1), attempt(2, "a2"), applied(3, channel="note"))
    assert (found.pending, found.not_counted) == ([Dated(1, 1)], [NotCounted(3, WhyNot.NO_AUTHORITY)])


def test_what_settles_nothing_keeps_no_other_observation_from_being_heard():
    found = sifted(applied(1, channel="nowhere"), applied(2, channel="note"), applied(3))
    assert found.applied == [Dated(3, 2)]
    assert found.not_counted == [NotCounted(0, WhyNot.UNKNOWN_CHANNEL), NotCounted(1, WhyNot.NO_AUTHORITY)]


def test_nothing_observed_is_nothing_said():
    assert sift(Facts(), now=NOW) == Said()
    assert all(not getattr(Said(), field.name) for field in fields(Said))


@pytest.mark.parametrize("reason", WhyNot)
def test_every_reason_is_a_sentence(reason):
    assert reason.sentence[0].isupper()
    assert reason.sentence.endswith(".")
