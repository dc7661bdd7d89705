"""Facts of every kind for hypothesis: few dates, so that ties are common, and mostly observations that could count."""

from dataclasses import replace

from hypothesis import strategies as st

from operations.core.facts import (
    After,
    Attempt,
    Authority,
    Channel,
    Claim,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    Facts,
    Guarantee,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
    Successor,
    SuccessorState,
)
from operations.core.restating import RESTATED

NOW = 40
CHANNELS = {
    "ledger": Channel(authority=Authority.HISTORY, reads=Reads.STRONG),
    "list": Channel(authority=Authority.CURRENT, reads=Reads.STRONG),
    "search": Channel(authority=Authority.DERIVED, reads=Reads.EVENTUAL, positive_is_conclusive=True),
    "hints": Channel(authority=Authority.DERIVED, reads=Reads.EVENTUAL),
    "webhook": Channel(authority=Authority.HISTORY, reads=Reads.UNORDERED, pollable=False),
    "gateway": Channel(authority=Authority.TRANSPORT),
    "client": Channel(authority=Authority.CLIENT),
    "note": Channel(authority=Authority.NONE),
}
COUNTING = ("ledger", "list", "webhook")
dates = st.integers(0, NOW + 5)
names = st.sampled_from(["a1", "a2", "a3"])


def rarely(value, usually):
    """Mostly `usually`, sometimes `value`, and `usually` when shrunk."""
    return st.sampled_from([usually] * 5 + [value])


UNLESS_RARE = st.sampled_from([True] * 5 + [False])

terms = st.builds(
    ProtectionTerms,
    mechanism=st.sampled_from([Mechanism.KEY, Mechanism.KEY, *Mechanism]),
    guaranteed_for=st.sampled_from([5, 30, 1000, *Guarantee]),
    margin=st.sampled_from([0, 3]),
    after=st.sampled_from(After),
    covers=rarely(Covers.SUCCESS_ONLY, Covers.EVERY_OUTCOME),
    concurrent_use=rarely(ConcurrentUse.UNDOCUMENTED, ConcurrentUse.PROTECTED),
    repeat_while_pending=st.booleans(),
    pending_fresh_for=st.sampled_from([None, None, 4, 20]),
    min_interval=st.sampled_from([0, 0, 10, 100]),
)
attempts = st.builds(
    Attempt,
    at=dates,
    id=names,
    sends=rarely(Sends.MANY, Sends.ONE),
    scope=rarely("other", "live"),
)
observations = st.builds(
    Observation,
    at=dates,
    channel=st.sampled_from([*COUNTING * 3, *CHANNELS, "unlisted"]),
    says=st.sampled_from([*Claim, "guessed"]),
    attempt=st.sampled_from([None, None, "a1", "a2", "a3", "a9"]),
    as_of=st.one_of(st.none(), dates),
    authentic=UNLESS_RARE,
    correlation=st.sampled_from([Correlation.OPERATION] * 6 + list(Correlation)),
    effect_ref=st.sampled_from([None, None, "T-1", "T-2"]),
    covers_copies=st.booleans(),
    until=st.one_of(st.none(), st.integers(0, 200)),
)
not_sent = st.builds(
    Observation,
    at=dates,
    channel=st.just("client"),
    says=st.just(Claim.NOT_SENT),
    attempt=names,
    authentic=st.just(value=True),
    correlation=st.just(Correlation.OPERATION),
)
successors = st.builds(Successor, at=dates, id=st.sampled_from(["s1", "s2"]), state=st.sampled_from(SuccessorState))


@st.composite
def facts(draw):
    """Facts with up to three attempts, eight observations and two states of successors, in any order."""
    sent = draw(st.lists(attempts, max_size=3, unique_by=lambda attempt: attempt.id))
    said = draw(st.lists(st.one_of(observations, observations, not_sent), max_size=8))
    carried = draw(st.lists(successors, max_size=2)) if not draw(UNLESS_RARE) else []
    return Facts(
        contract=Contract(
            protection=draw(terms), closure=Closure(covers=draw(st.sampled_from(ClosureCovers))), channels=CHANNELS
        ),
        operation=Operation(
            attempts_complete=draw(UNLESS_RARE),
            identity_known=draw(UNLESS_RARE),
            repeat_scope=draw(rarely("live", None)),
        ),
        events=tuple(draw(st.permutations([*sent, *said, *carried]))),
    )


restatable = st.builds(
    Observation,
    at=st.just(0),
    channel=st.sampled_from([*COUNTING * 2, "search", "client"]),
    says=st.sampled_from([*sorted(RESTATED), Claim.PENDING, Claim.ACCEPTED, Claim.ABSENT]),
    attempt=st.sampled_from([None, None, "a1", "a2", "a9"]),
    authentic=UNLESS_RARE,
    correlation=rarely(Correlation.WEAK, Correlation.OPERATION),
    effect_ref=st.sampled_from([None, None, "T-1"]),
)
turning = st.builds(
    Observation,
    at=dates,
    channel=st.sampled_from(COUNTING),
    says=st.sampled_from([Claim.CLOSED, Claim.ATTEMPT_REFUSED, Claim.APPLIED, Claim.PROTECTION_UNTIL]),
    attempt=st.sampled_from(["a1", "a2", "a3", None]),
    as_of=st.one_of(st.none(), dates),
    authentic=st.just(value=True),
    correlation=st.just(Correlation.OPERATION),
    covers_copies=st.just(value=True),
    until=dates,
)


@st.composite
def long_records(draw):
    """Facts in which two or three statements are made over and over, among attempts and what turns the matter."""
    sayings = draw(st.lists(restatable, min_size=1, max_size=2))
    again = draw(
        st.lists(st.tuples(st.sampled_from(sayings), dates, st.one_of(st.none(), dates)), min_size=6, max_size=30)
    )
    said = [replace(saying, at=at, as_of=as_of) for saying, at, as_of in again]
    more = draw(st.lists(st.one_of(turning, turning, not_sent, observations), max_size=2))
    sent = draw(st.lists(attempts, max_size=2, unique_by=lambda attempt: attempt.id))
    closure = Closure(covers=draw(rarely(ClosureCovers.IDENTITY, ClosureCovers.EARLIER_ATTEMPTS)))
    events = [*said, *more, *sent]
    return Facts(
        contract=Contract(protection=draw(terms), closure=closure, channels=CHANNELS),
        operation=Operation(attempts_complete=draw(UNLESS_RARE), identity_known=draw(UNLESS_RARE)),
        events=tuple(draw(st.permutations(events)) if draw(st.booleans()) else sorted(events, key=lambda one: one.at)),
    )
