"""Results that are owed to agents, and how far each got: produced, kept, delivered, consumed, each with what evidences it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db.models import F

from escalation.models import Case
from operations.api.decided import SAYS, Says
from operations.reading import owed, runs
from operations.reading.owed import ARRIVED, Owed, Step
from operations.runs import shown_call

if TYPE_CHECKING:
    from escalation.screens.sight import Sight
    from operations.imports import Call
    from operations.models import CallBinding, Delivery

PAGE: Final = 50
MOST_COUNTED: Final = 10_000
# What is known of a result that a request held whose reply is not on record, and what would settle whether it arrived.
SENT_NO_REPLY: Final = "sent, no reply"
SENT: Final = "A request to the model held it, and no reply is on record: it may have arrived or not."
SETTLES: Final = (
    "What would settle it: a record in which such a request was answered, the service's own list of the conversation, or"
    " the word of the agent's side that it has the result."
)
NOT_AGAIN: Final = "Nothing here sends it again: the service may have it already."
_HAPPENED: Final = "It happened."
_RULED_OUT: Final = "It did not happen, and cannot any more."
_WORDS: Final[Mapping[Says, str]] = {
    Says.RECORDED: "Our record was repaired.",
    Says.REPEAT_AUTHORISED: "A repeat of the same request was authorised.",
    Says.RISK_ACCEPTED: "A risk was accepted.",
    Says.NEW_OPERATION_AUTHORISED: "A new operation takes its place.",
    Says.CLOSING_AUTHORISED: "The recipient is asked to close it.",
    Says.LEFT_UNRESOLVED: "It is left unresolved: do not send it again.",
    Says.DECIDED: "A person decided about it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One result that is owed: what it says, and who looks after the operation ("" for nobody).

    `known`: what is known of its way to the model and what would settle the rest, where it was sent without a reply.
    """

    owed: Owed
    says: tuple[str, ...]
    owner: str

    @property
    def known(self) -> tuple[str, ...]:
        return () if self.owed.sent_at is None else (SENT, SETTLES, NOT_AGAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One of the four facts of a hand-over: whether it is evidenced, in a word and a sentence, and by what."""

    name: str
    word: str
    sentence: str
    evidence: tuple[str, ...] = ()


def lines(*, among: Collection[int] | None) -> tuple[list[Line], int]:
    """Return the results owed longest, and how many there are (counted no further than `MOST_COUNTED`)."""
    found = owed.results_owed(among=among, limit=PAGE)
    ids = [one.operation.id for one in found]
    owners, decided = _owners(ids), owed.newest_decisions(ids)
    rows = [
        Line(owed=one, says=_says(one, decided.get(one.operation.id, "")), owner=owners.get(one.operation.id, ""))
        for one in found
    ]
    return rows, len(found) if len(found) < PAGE else owed.count(among=among, most=MOST_COUNTED)


def _owners(ids: Collection[UUID]) -> dict[UUID, str]:
    cases = Case.objects.filter(operation__in=ids, closed_at=None, owner__isnull=False)
    return dict(cases.annotate(name=F("owner__username")).values_list("operation", "name"))


def _says(one: Owed, door: str) -> tuple[str, ...]:
    found = []
    if owed.Why.SETTLED in one.why:
        found.append(_HAPPENED if one.operation.evidence == "applied" else _RULED_OUT)
    if owed.Why.DECIDED in one.why:
        found.append(_WORDS.get(SAYS.get(door, Says.DECIDED), _WORDS[Says.DECIDED]))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class HandOver:
    """The hand-over of one operation: what is owed now (None: nothing), its four facts, its steps, and its calls."""

    owed: Line | None
    facts: tuple[Fact, ...]
    steps: tuple[Delivery, ...]
    calls: tuple[tuple[CallBinding, Call], ...]


def hand_over(sight: Sight, *, among: Collection[int] | None) -> HandOver:
    """Return how far the results of an operation got; a call of a run that may not be read is left out."""
    row = sight.operation
    steps = tuple(owed.deliveries(row.id))
    found = owed.results_owed(among=None, limit=1, operation=row.id)
    owners, decided = _owners([row.id]), owed.newest_decisions([row.id])
    line = None
    if found:
        line = Line(owed=found[0], says=_says(found[0], decided.get(row.id, "")), owner=owners.get(row.id, ""))
    calls = tuple(
        [(one, shown_call(one.call.run, one.call)) for one in runs.bindings_of(row.id) if _may_read(one, among)]
    )
    return HandOver(line, _facts(sight, steps, line), steps, calls)


def _may_read(one: CallBinding, among: Collection[int] | None) -> bool:
    return among is None or one.call.run.recipient_id in among


def _facts(sight: Sight, steps: Iterable[Delivery], line: Line | None) -> tuple[Fact, ...]:
    """Return the four facts; none is stored, and none says anything of the effect."""
    row, told, owes = sight.operation, list(steps), line is not None
    arrived = [one for one in told if one.step in ARRIVED]
    answered = [one for one in told if one.step == Step.ANSWERED.value]
    since = max([one.links for one in arrived], default=0)
    produced = owed.settled_or_decided(row.id)
    what = tuple([f"link {position} of the record: {what}, {_at(at)}" for position, what, at in produced])
    return (
        Fact(
            name="Produced",
            word="yes" if produced else "no",
            sentence="There is a result." if produced else "Nothing is settled or decided yet.",
            evidence=what,
        ),
        Fact(
            name="Kept",
            word="yes" if produced else "no",
            sentence="It stands in this desk's record, whose links depend on one another." if produced else "",
            evidence=(f"{row.links} links, the last {bytes(row.head).hex()[:16]}…",) if produced else (),
        ),
        _delivered(told, line),
        Fact(
            name="Consumed",
            word="yes" if answered and not owes else "yes, an earlier one" if answered else "not known",
            sentence="The model answered a request that held it."
            if answered
            else "No reply to a request that held it is on record.",
            evidence=tuple([_evidence(one) for one in answered if one.links == since or not owes]),
        ),
    )


def _delivered(told: Iterable[Delivery], line: Line | None) -> Fact:
    """Return whether the result arrived: what was sent without a reply, or given out, is told of while it is owed."""
    by_step: dict[str, list[Delivery]] = {}
    for one in told:
        by_step.setdefault(one.step, []).append(one)
    arrived = [one for step in ARRIVED for one in by_step.get(step, [])]
    given, sent = by_step.get(Step.COLLECTED.value, []), by_step.get(Step.SENT.value, [])
    if line is not None and line.known:
        word, sentence, shown = SENT_NO_REPLY, " ".join(line.known), sent
    else:
        word, sentence = _delivery(arrived=bool(arrived), owes=line is not None, given=bool(given))
        shown = arrived or given
    return Fact(name="Delivered", word=word, sentence=sentence, evidence=tuple([_evidence(one) for one in shown]))


def _delivery(*, arrived: bool, owes: bool, given: bool) -> tuple[str, str]:
    if owes and arrived:
        return "an earlier result", "What came since has not arrived, as far as is known."
    if owes and given:
        return (
            "given out, not acknowledged",
            "A reply of this desk can be lost: that it was given out is no evidence.",
        )
    if owes:
        return "no", "Nobody fetched it."
    if arrived:
        return "yes", "Its arrival is evidenced."
    return "nothing is owed", "What is known came from the agent's own side, or nothing is known yet."


def _at(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def _evidence(one: Delivery) -> str:
    """Return one step as its evidence reads: what, of which result, by whom, when, and where it stands in a record."""
    names = [f"{word} {value}" for word, value in (("call", one.call), ("request", one.request)) if value]
    where = f", at {one.pointer} of {one.transcript.name or one.transcript.digest[:12]}" if one.transcript else ""
    of = f", {', '.join(names)}" if names else ""
    return f"{one.step} with {one.links} links, by {one.source}, {_at(one.recorded_at)}{of}{where}"
