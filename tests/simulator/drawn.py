"""Worlds drawn at random, run forward, and the honest record that somebody could have of them.

Larger than the exhaustive worlds: up to five attempts in several scopes, two submissions not on record, twelve
observations, dates to the second with ties, late delivery, freshness and pacing. Only the true world is checked, so
this can show that the core is wrong, never that it is too cautious. A drawn world keeps what semantics.md takes for
granted (Permitted actions): one send acts at most once, and copies sent under protection arrive before it ends.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from operations.core.facts import (
    After,
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    Event,
    Facts,
    Guarantee,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
)
from tests.simulator.recipient import NEVER, Answers, Closures, Copy, Recipient, Store, Submission, World

NOW: Final = 60
UNKNOWN: Final = ("x1", "x2")
CHANNELS: Final = {
    "ledger": Channel(authority=Authority.HISTORY, reads=Reads.STRONG),
    "list": Channel(authority=Authority.CURRENT, reads=Reads.STRONG),
    "index": Channel(authority=Authority.DERIVED, reads=Reads.EVENTUAL, positive_is_conclusive=True),
    "webhook": Channel(authority=Authority.HISTORY, reads=Reads.UNORDERED),
    "client": Channel(authority=Authority.CLIENT),
    "gateway": Channel(authority=Authority.TRANSPORT, reads=Reads.STRONG),
}
INTERVALS: Final[tuple[float | Guarantee, ...]] = (20, 40, 70, 500, Guarantee.UNLIMITED, Guarantee.WHILE_EXISTS)
_MECHANISM = st.sampled_from((*[Mechanism.KEY] * 6, Mechanism.NONE, Mechanism.UNDOCUMENTED))
second = st.integers(0, NOW)
delay = st.sampled_from((0, 0, 1, 2, 5, 10, 30, 200))


@dataclass(frozen=True, slots=True)
class Drawn:
    """One world, the contract that its recipient keeps, and what is on record of it at NOW."""

    world: World
    facts: Facts

    @property
    def scope(self) -> str:
        """The scope a repeat goes out in: the stated one, else that of the last attempt that may have arrived."""
        return self.facts.operation.repeat_scope or ""


def _copies(draw: st.DrawFn, sent: int, *, many: bool) -> tuple[Copy, ...]:
    found = []
    acts_before = False
    for _ in range(draw(st.integers(0, 2))):
        arrives = sent + draw(delay)
        fate = draw(st.sampled_from(("acts", "acts", "fails", "refused")))
        if fate == "acts" and (many or not acts_before):
            acts_before = True
            found.append(Copy(arrives, acts=arrives + draw(delay), kept=draw(st.booleans())))
        elif fate == "fails":
            found.append(Copy(arrives, kept=draw(st.booleans())))
    if not found and draw(st.booleans()):
        arrives = sent + draw(delay)
        found.append(Copy(arrives, refused=arrives + draw(delay)))  # refused with its copies: none of them acts
    return tuple(found)


def _terms(draw: st.DrawFn) -> ProtectionTerms:
    mostly = st.sampled_from((*[True] * 6, False))
    return ProtectionTerms(
        mechanism=draw(_MECHANISM),
        guaranteed_for=draw(st.sampled_from(INTERVALS)),
        margin=draw(st.sampled_from((0, 3, 10))),
        after=draw(st.sampled_from((After.RUNS_AS_NEW, After.UNDOCUMENTED, After.REFUSED))),
        covers=Covers.EVERY_OUTCOME if draw(mostly) else Covers.SUCCESS_ONLY,
        concurrent_use=ConcurrentUse.PROTECTED if draw(mostly) else ConcurrentUse.UNDOCUMENTED,
        repeat_while_pending=draw(st.booleans()),
        pending_fresh_for=draw(st.sampled_from((None, 0, 10, 40))),
        min_interval=draw(st.sampled_from((0, 0, 20))),
    )


def _store(draw: st.DrawFn, terms: ProtectionTerms) -> Store | None:
    """Return a store that keeps these terms, or more; sometimes one that drops the identity all the same."""
    if terms.mechanism is Mechanism.NONE or (terms.mechanism is Mechanism.UNDOCUMENTED and draw(st.booleans())):
        return None
    promised: float = 0 if isinstance(terms.guaranteed_for, Guarantee) else terms.guaranteed_for
    if terms.guaranteed_for is Guarantee.UNLIMITED and terms.mechanism is Mechanism.KEY:
        promised = NEVER
    return Store(
        dropped=draw(st.sampled_from((NEVER, NEVER, NEVER, 30))),
        keeps_for=promised + draw(st.sampled_from((0, 0, 15))),
        every_outcome=terms.covers is Covers.EVERY_OUTCOME,
        concurrent=terms.concurrent_use is ConcurrentUse.PROTECTED,
        after_refused=terms.mechanism is Mechanism.KEY and terms.after is After.REFUSED,
    )


def _in_time(submissions: list[Submission], terms: ProtectionTerms, store: Store | None) -> list[Submission]:
    """Return them without the copies that semantics.md takes to be impossible: sent under protection, arriving after."""
    arrivals = [copy.arrives for one in submissions for copy in one.copies]
    if store is None or store.after_refused or not arrivals or isinstance(terms.guaranteed_for, Guarantee):
        return submissions if store is None else [_before(one, store.dropped) for one in submissions]
    end = min(arrivals) + store.keeps_for
    window = min([one.sent for one in submissions], default=0) + terms.guaranteed_for - (terms.margin or 0)
    return [_before(one, min(end, store.dropped) if one.sent < window else store.dropped) for one in submissions]


def _before(submission: Submission, end: float) -> Submission:
    if submission.sent >= end:
        return submission
    return submission._replace(copies=tuple([copy for copy in submission.copies if copy.arrives < end]))


def _key(scope: str) -> str:
    return f"key in {scope}"


class Recorder:
    """Draws what is on record of a world: honest answers, and noise that settles nothing."""

    def __init__(self, draw: st.DrawFn, world: World, attempts: list[Attempt], terms: ProtectionTerms) -> None:
        self.draw, self.world, self.attempts, self.terms = draw, world, attempts, terms
        self.run = Recipient(world)
        self.answers = Answers(self.run)
        self.unknown = [one.name for one in world.submissions if one.name in UNKNOWN and one.copies]

    def observation(self) -> list[Observation]:
        """Return an honest observation, or none where each of the drawn claims would be a lie."""
        date = self.draw(second)
        for claim in self.draw(st.permutations(tuple(_CLAIMS)))[:4]:
            found = _CLAIMS[claim](self, date)
            if found:
                return found
        return []

    def said(self, says: str, date: int, channels: tuple[str, ...], **more: Any) -> list[Observation]:
        """Return an observation of this date that came at that moment or later."""
        at = date + self.draw(delay)
        return [
            Observation(
                at=at,
                as_of=date,
                channel=self.draw(st.sampled_from(channels)),
                says=says,
                authentic=True,
                correlation=Correlation.OPERATION,
                **more,
            )
        ]

    def applied(self, date: int) -> list[Observation]:
        if not self.answers.applied(date):
            return []
        by = self.run.effects[0].by
        named = self.draw(st.sampled_from((None, by)))
        return self.said("applied", date, ("ledger", "list", "index", "webhook"), attempt=named, effect_ref="T-1")

    def absent(self, date: int) -> list[Observation]:
        return [] if self.answers.applied(date) else self.said("absent", date, ("ledger",))

    def closed(self, date: int) -> list[Observation]:
        return self.said("closed", date, ("ledger", "webhook")) if self.answers.closed(date) else []

    def active(self, date: int) -> list[Observation]:
        says = self.draw(st.sampled_from(("pending", "accepted")))
        if self.answers.active(date):
            return self.said(says, date, ("ledger", "list", "webhook"))
        return self.said(says, date, ("webhook",)) if self.answers.was_active(date) else []

    def refused(self, date: int) -> list[Observation]:
        found = []
        for attempt in self.attempts:
            if self.answers.refused(attempt.id, date):
                found += self.said("attempt_refused", date, ("webhook",), attempt=attempt.id, covers_copies=True)
        return found

    def named(self, date: int) -> list[Observation]:
        left = [one.name for one in self.world.submissions if one.sent <= date]
        if not left:
            return []
        return self.said("indeterminate", date, ("webhook",), attempt=self.draw(st.sampled_from(left)))

    def unsent(self, date: int) -> list[Observation]:
        never = [one.id for one in self.attempts if not self.answers.left(one.id) and one.sends is Sends.ONE]
        if not never:
            return []
        return self.said("not_sent", date, ("client",), attempt=self.draw(st.sampled_from(never)))

    def lied(self, date: int) -> list[Observation]:
        """The client says of what left that it did not, and the recipient's answer names it."""
        left = [one.id for one in self.attempts if self.answers.left(one.id)]
        if not left:
            return []
        name = self.draw(st.sampled_from(left))
        lie = self.said("not_sent", date, ("client",), attempt=name)
        return lie + self.said("indeterminate", NOW, ("webhook",), attempt=name)

    def kept(self, date: int) -> list[Observation]:
        store, received = self.world.store, [moment for moment, _ in self.run.received if moment <= date]
        if store is None or not received or self.answers.dropped(date):
            return []
        end = min(min(received) + store.keeps_for, store.dropped, 10_000)
        return self.said("protection_until", date, ("ledger",), until=end)

    def lost(self, date: int) -> list[Observation]:
        return self.said("protection_lost", date, ("ledger",)) if self.answers.dropped(date) else []

    def noise(self, date: int) -> list[Observation]:
        says = self.draw(st.sampled_from(("applied", "closed", "absent", "pending", "protection_until")))
        return self.said(says, date, ("gateway",), until=10_000)


_CLAIMS: Final[dict[str, Callable[[Recorder, int], list[Observation]]]] = {
    name: getattr(Recorder, name)
    for name in (
        "applied", "absent", "closed", "active", "refused", "named", "unsent", "lied", "kept", "lost", "noise"
    )
}  # fmt: skip


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """Return a world with an honest record of it."""
    terms = _terms(draw)
    attempts, submissions = [], []
    scopes = draw(st.sampled_from((("live",), ("live",), ("live",), ("live", "live", "backup"))))
    for number in range(draw(st.sampled_from((0, 1, 1, 2, 2, 3, 4, 5)))):
        many = draw(st.sampled_from((False, False, True)))
        at, scope = draw(second), draw(st.sampled_from(scopes))
        name = f"a{number + 1}"
        attempts.append(Attempt(at=at, id=name, sends=Sends.MANY if many else Sends.ONE, scope=scope))
        left = draw(st.sampled_from((True, True, False)))
        copies = _copies(draw, at, many=many) if left else ()
        submissions.append(Submission(name, at if left else NEVER, copies, _key(scope)))
    store = _store(draw, terms)
    unknown = []
    for name in UNKNOWN[: draw(st.sampled_from((0, 0, 0, 0, 1, 2)))]:
        sent = draw(second)
        unknown.append(
            Submission(name, sent, _copies(draw, sent, many=True), draw(st.sampled_from((None, _key("live")))))
        )
    for_good = draw(st.booleans())
    moments = draw(st.lists(st.integers(0, NOW), max_size=2)) if draw(st.booleans()) else []
    closures = Closures(tuple([float(moment) for moment in moments]), for_good)
    world = World((*_in_time(submissions, terms, store), *unknown), store, closures)
    return _recorded(draw, world, attempts, terms, for_good=for_good)


def _recorded(
    draw: st.DrawFn, world: World, attempts: list[Attempt], terms: ProtectionTerms, *, for_good: bool
) -> Drawn:
    recorder = Recorder(draw, world, attempts, terms)
    said = [one for _ in range(draw(st.sampled_from((0, 1, 2, 4, 6, 9)))) for one in recorder.observation()][:12]
    strangers = [one.name for one in world.submissions if one.name in UNKNOWN]
    sealed = draw(st.sampled_from((True, True, True, False))) if not strangers else False
    if draw(st.booleans()) and strangers:  # said to be complete, and an answer shows that it is not
        sealed = True
        said += recorder.said("indeterminate", NOW, ("webhook",), attempt=strangers[0])
    if world.store is not None and world.store.dropped <= NOW:  # a promise is broken only if the recipient says so
        said += recorder.said("protection_lost", draw(st.integers(int(world.store.dropped), NOW)), ("ledger",))
    events: list[Event] = draw(st.permutations(_listed(attempts, said)))
    operation = Operation(
        attempts_complete=sealed,
        identity_known=True,
        repeat_scope=draw(st.sampled_from(("live", "live", "live", "backup"))),
    )
    covers = ClosureCovers.IDENTITY if for_good else ClosureCovers.EARLIER_ATTEMPTS
    contract = Contract(protection=terms, closure=Closure(covers=covers), channels=CHANNELS)
    facts = Facts(contract=contract, operation=operation, events=tuple(events))
    return Drawn(world, facts)


def _listed(attempts: list[Attempt], said: list[Observation]) -> list[Event]:
    return [*attempts, *said]


def repeated(found: Drawn, *, arrives: float, acts: float) -> World:
    """Return the world with a repeat in it, sent at NOW."""
    repeat = Submission("!", NOW, (Copy(arrives, acts=acts, kept=False),), _key(found.scope))
    return found.world._replace(submissions=(*found.world.submissions, repeat))
