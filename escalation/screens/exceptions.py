"""Accepted risks in words: where each stands, what became of it, and how often risks came true, by recipient."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.db.models import Count, Q

from escalation.decisions.approve_exception import changed
from escalation.decisions.came_true import Score, scored
from escalation.models import BusinessException
from escalation.models.business_exception import Annotated, Excuses, Loss, State
from escalation.policy import EVERY_RECIPIENT, Reads

if TYPE_CHECKING:
    from escalation.screens.sight import Sight

PAGE: Final = 50
MOST_RECIPIENTS: Final = 50
MOST_SHOWN: Final = 20
ALL: Final = "all"
_STATES: Final = {one.value: one for one in State}
_SCORES: Final = {one.value: one for one in Score}
_EXCUSES: Final = {one.value: one for one in Excuses}
_LOSSES: Final = {one.value: one for one in Loss}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the list is narrowed to, as it stands in the URL; nothing named: those that wait for a second person."""

    state: str = ""
    score: str = ""
    recipient: str = ""
    due: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Filters":
        """Read what was asked for; a word that means nothing narrows nothing."""
        return cls(
            state=_among(asked.get("state", ""), {*State, ALL}),
            score=_among(asked.get("score", ""), set(Score)),
            recipient=asked.get("recipient", "")[:200],
            due=_among(asked.get("due", ""), {"1"}),
        )

    def query(self, **other: str) -> str:
        """Return the URL's query for these filters, others put in their place; empty ones are left out."""
        return "?" + urlencode({name: value for name, value in asdict(replace(self, **other)).items() if value})


def _among(word: str, words: set[str]) -> str:
    return word if word in words else ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One exception. `due` says that its review date has passed and nobody knows yet what became of it."""

    row: BusinessException
    state: State
    score: Score
    excuses: str
    loss: str
    due: bool

    @property
    def speaks(self) -> bool:
        """Whether it says something about its operation now: it waits, may be used, or was taken."""
        return self.state in (State.WAITING, State.USABLE, State.USED)


@dataclass(frozen=True, slots=True)
class Total:
    """How the risks at one recipient turned out."""

    key: str
    name: str
    came_true: int
    did_not: int
    unknown: int
    due: int


@dataclass(frozen=True, slots=True)
class Facet:
    """One way to narrow the list."""

    word: str
    count: int
    address: str
    chosen: bool


def _due(now: datetime) -> Q:
    return Q(score=Score.UNKNOWN.value, review_at__lte=now)


def _rows(now: datetime, *, reads: Reads) -> Annotated:
    return scored(BusinessException.objects.with_state(now)).filter(reads.at("operation__recipient_id"))


def shown(row: Any, *, now: datetime) -> Shown:
    """Return an exception that was read with its state and score, in words."""
    score = _SCORES[row.score]
    return Shown(
        row=row,
        state=_STATES[row.state],
        score=score,
        excuses=_EXCUSES[row.excuses].sentence,
        loss=_LOSSES[row.loss].sentence,
        due=score is Score.UNKNOWN and row.review_at <= now,
    )


def _narrowed(rows: Annotated, filters: Filters, *, now: datetime) -> Annotated:
    if filters.recipient:
        rows = rows.filter(operation__recipient__key=filters.recipient)
    if filters.score:
        rows = rows.filter(score=filters.score)
    if filters.due:
        rows = rows.filter(_due(now))
    narrowed = filters.score or filters.due
    state = filters.state or (ALL if narrowed else State.WAITING.value)
    return rows if state == ALL else rows.filter(state=state)


def page(filters: Filters, *, before: int | None, now: datetime, reads: Reads) -> tuple[list[Shown], int | None]:
    """Return one page of exceptions, the newest first, and the number after which the next page begins."""
    rows = _narrowed(_rows(now, reads=reads), filters, now=now)
    if before is not None:
        rows = rows.filter(id__lt=before)
    people = ("proposed_by", "approved_by", "declined_by", "operation__recipient", "successor")
    whole = rows.select_related(*people).defer("operation__body", "operation__arguments", "operation__headers")
    found = list(whole.order_by("-id")[: PAGE + 1])
    return [shown(row, now=now) for row in found[:PAGE]], found[PAGE - 1].pk if len(found) > PAGE else None


def totals(*, now: datetime, reads: Reads) -> list[Total]:
    """Return how risks turned out at the recipients with the most of them; those that nobody took are not counted."""
    taken = _rows(now, reads=reads).exclude(score=Score.NOT_TAKEN.value).order_by()
    counted = taken.values("operation__recipient__key", "operation__recipient__name").annotate(
        came_true=Count("pk", filter=Q(score=Score.CAME_TRUE.value)),
        did_not=Count("pk", filter=Q(score=Score.DID_NOT.value)),
        unknown=Count("pk", filter=Q(score=Score.UNKNOWN.value)),
        due=Count("pk", filter=_due(now)),
        taken=Count("pk"),
    )
    return [
        Total(
            row["operation__recipient__key"],
            row["operation__recipient__name"],
            row["came_true"],
            row["did_not"],
            row["unknown"],
            row["due"],
        )
        for row in counted.order_by("-taken", "operation__recipient__key")[:MOST_RECIPIENTS]
    ]


def facets(filters: Filters, *, now: datetime, reads: Reads) -> tuple[list[Facet], list[Facet]]:
    """Return the ways to narrow the list by state and by what became of it, each with its count at the recipient."""
    rows = _rows(now, reads=reads).order_by()
    if filters.recipient:
        rows = rows.filter(operation__recipient__key=filters.recipient)
    states = {f"state_{one.value}": Count("pk", filter=Q(state=one.value)) for one in State}
    scores = {f"score_{one.value}": Count("pk", filter=Q(score=one.value)) for one in Score}
    found = rows.aggregate(every=Count("pk"), review_due=Count("pk", filter=_due(now)), **states, **scores)
    return list(_states(filters, found)), list(_scores(filters, found))


def _states(filters: Filters, found: Mapping[str, int]) -> Iterator[Facet]:
    narrowed = filters.score or filters.due
    chosen = filters.state or ("" if narrowed else State.WAITING.value)
    for one in State:
        address = filters.query(state=one.value, score="", due="")
        yield Facet(one.sentence, found[f"state_{one.value}"], address, chosen == one.value)
    yield Facet("All", found["every"], filters.query(state=ALL, score="", due=""), chosen == ALL)


def _scores(filters: Filters, found: Mapping[str, int]) -> Iterator[Facet]:
    for one in (Score.CAME_TRUE, Score.DID_NOT, Score.UNKNOWN):
        address = filters.query(state="", score=one.value, due="")
        yield Facet(one.sentence, found[f"score_{one.value}"], address, filters.score == one.value)
    yield Facet("Review is due", found["review_due"], filters.query(state="", score="", due="1"), bool(filters.due))


def one(exception_id: int, *, now: datetime, reads: Reads) -> Shown | None:
    """Return one exception as it stands now, None where there is none at one of these recipients."""
    people = ("decision", "proposed_by", "approved_by", "declined_by", "successor", "operation__recipient")
    row = _rows(now, reads=reads).select_related(*people).filter(pk=exception_id).first()
    return None if row is None else shown(row, now=now)


def of_operation(sight: "Sight") -> list[Shown]:
    """Return the newest exceptions about an operation, those that were declined or expired included."""
    rows = _rows(sight.now, reads=EVERY_RECIPIENT).select_related(
        "proposed_by", "approved_by", "declined_by", "successor"
    )
    return [shown(row, now=sight.now) for row in rows.filter(operation=sight.operation.id).order_by("-id")[:MOST_SHOWN]]


def changed_since(found: Shown, sight: "Sight") -> bool:
    """Whether what is known now is otherwise than when it was proposed."""
    return changed(found.row, sight.read, now=sight.now)
