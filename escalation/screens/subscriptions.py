"""Programs that are told: where, how each fares, and the log of what it was told, as whoever reads may know of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from escalation.models import OutboxDue, OutboxEvent, OutboxTry, Subscription, SubscriptionChange, SubscriptionKey
from escalation.models.outbox import TEST, End, Over
from escalation.models.subscription import EVENT_KINDS, SubscriptionAct
from escalation.policy import Reads
from escalation.screens.people import Reader
from operations import versions

PAGE: Final = 50
MOST: Final = 200
MOST_CHANGES: Final = 50
MOST_NAMED: Final = 20
_END: Final = {one.value: one.sentence for one in End}
_OVER: Final = {one.value: one.sentence for one in Over}
DONE: Final = {
    SubscriptionAct.MADE: "was made",
    SubscriptionAct.ENDED: "was ended",
    SubscriptionAct.PAUSED: "was paused",
    SubscriptionAct.RESUMED: "was let go on",
    SubscriptionAct.KEY_ADDED: "is signed with one more key",
    SubscriptionAct.KEY_ENDED: "is signed with a key no more",
    SubscriptionAct.TESTED: "was sent a test",
    SubscriptionAct.SENT_AGAIN: "was sent an event again",
    SubscriptionAct.GONE: "wants to be told nothing more",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One subscription. `state` is one word or two, `since` when it began; `bad` says where to look.

    `of` are the names of its recipients that the reader may read, `others` how many more there are; `every`: all there are.
    """

    row: Subscription
    state: str
    why: str
    since: datetime | None
    until: datetime | None
    bad: bool
    events: tuple[str, ...]
    every: bool
    of: tuple[str, ...]
    others: int
    waiting: int
    keys: tuple[SubscriptionKey, ...]
    newest: OutboxTry | None

    @property
    def can_go_on(self) -> bool:
        """Whether somebody may let it go on."""
        return self.row.paused_at is not None or self.row.gone_at is not None or self.row.failures > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One event of the log: what it is about, how it stands, and its newest tries."""

    row: OutboxEvent
    what: str
    number: int | None
    state: str
    bad: bool
    due_at: datetime | None
    tries: tuple[tuple[OutboxTry, str], ...]

    @property
    def over(self) -> bool:
        """Whether it may be sent again: it is not on its way."""
        return self.row.ended_at is not None


def _known(reads: Reads) -> Q:
    """One knows of a program that is told of every recipient, or of one that one may read."""
    return Q() if reads.ids is None else Q(recipients=None) | Q(recipients__overlap=sorted(reads.ids))


def listing(reader: Reader, *, now: datetime) -> list[Shown]:
    """Return the subscriptions that somebody may know of, those that go on first, by name; ended ones are left out."""
    rows = Subscription.objects.filter(_known(reader.reads), ended_at=None).order_by("name")
    return [_shown(row, reader, now=now) for row in _whole(rows)[:MOST]]


def one(reader: Reader, pk: int, *, now: datetime) -> Shown | None:
    """Return a subscription that somebody may know of, ended or not; else None."""
    row = _whole(Subscription.objects.filter(_known(reader.reads), pk=pk)).first()
    return None if row is None else _shown(row, reader, now=now)


def _whole(rows: "QuerySet[Subscription]") -> "QuerySet[Any]":
    keys = SubscriptionKey.objects.filter(ended_at=None).order_by("made_at", "pk")
    return rows.select_related("made_by", "paused_by", "ended_by").prefetch_related(
        Prefetch("keys", keys, to_attr="live")
    )


def _shown(row: Any, reader: Reader, *, now: datetime) -> Shown:
    state, why, since, bad = _state(row, now=now)
    waiting = OutboxDue.objects.filter(_read(reader.reads, "event__recipient"), subscription=row)
    tries = OutboxTry.objects.filter(_read(reader.reads, "event__recipient"), event__subscription=row)
    readable = [pk for pk in row.recipients or () if pk in reader.reads]
    named = versions.recipients(after="", limit=MOST_NAMED, among=readable) if readable else []
    return Shown(
        row=row,
        state=state,
        why=why,
        since=since,
        until=row.rests_until if row.rests_until is not None and row.rests_until > now else None,
        bad=bad,
        events=tuple([EVENT_KINDS[word].sentence for word in row.events]),
        every=row.recipients is None,
        of=tuple([one.name for one in named]),
        others=len(row.recipients or ()) - len(named),
        waiting=waiting.aggregate(count=Count("pk"))["count"],
        keys=tuple(row.live),
        newest=tries.exclude(ended_at=None).order_by("-ended_at").first(),
    )


def _read(reads: Reads, column: str) -> Q:
    """Tests are about no recipient: whoever knows of the subscription reads them."""
    return Q() if reads.ids is None else Q(**{column: None}) | reads.at(f"{column}_id")


def _state(row: Subscription, *, now: datetime) -> tuple[str, str, datetime | None, bool]:
    if row.ended_at is not None:
        return "Ended", "It is told nothing more.", row.ended_at, False
    if row.gone_at is not None:
        return "Gone", "It answered 410: it wants to be told nothing more.", row.gone_at, True
    if row.paused_at is not None:
        return "Paused", "What comes meanwhile waits, for 48 hours at most.", row.paused_at, True
    if row.rests_until is not None and row.rests_until > now:
        why = f"{row.failures} tries in a row failed. It is left alone for a while, then tried with one."
        return "Left alone", why, row.failing_since, True
    if row.failures:
        return (
            "Failing",
            f"{row.failures} {'try' if row.failures == 1 else 'tries in a row'} failed.",
            row.failing_since,
            True,
        )
    return "Told", "What is due is sent.", None, False


def log(shown: Shown, reader: Reader, *, before: int | None) -> tuple[list[Told], int | None]:
    """Return the newest events that a program was or is to be told, and before which the next page begins."""
    rows = OutboxEvent.objects.filter(_read(reader.reads, "recipient"), subscription=shown.row)
    rows = rows if before is None else rows.filter(pk__lt=before)
    earlier = OutboxDue.objects.filter(
        subscription=OuterRef("subscription"), operation=OuterRef("operation"), event__lt=OuterRef("pk")
    )
    tries = OutboxTry.objects.order_by("-nth")
    whole: Any = rows.select_related("operation", "due").prefetch_related(Prefetch("attempts", tries))
    found = list(whole.annotate(behind=Exists(earlier)).defer("body", "operation__body").order_by("-pk")[: PAGE + 1])
    return [_told(row) for row in found[:PAGE]], found[PAGE - 1].pk if len(found) > PAGE else None


def _told(row: Any) -> Told:
    due = getattr(row, "due", None)
    tries = tuple([(one, _END.get(one.ended_as, "On its way")) for one in list(row.attempts.all())[:3]])
    return Told(
        row=row,
        what="Test" if row.kind == TEST else EVENT_KINDS[row.kind].sentence.capitalize(),
        number=None if row.operation is None else row.operation.number,
        state=_OVER.get(row.ended_as, "") or _waits(row, due),
        bad=row.ended_as == Over.GIVEN_UP,
        due_at=None if due is None or due.lease is not None or row.behind else due.at,
        tries=tries,
    )


def _waits(row: Any, due: OutboxDue | None) -> str:
    if due is not None and due.lease is not None:
        return "On its way"
    if row.behind:
        return "Waits for the one before it"
    return "Waits" if row.tries else "To be sent"


@dataclass(frozen=True, slots=True)
class Done:
    """One change, as it goes on after "It"."""

    row: SubscriptionChange
    said: str


def changes(shown: Shown) -> list[Done]:
    """Return what was done to a subscription, the newest first."""
    rows = SubscriptionChange.objects.filter(subscription=shown.row).select_related("by").order_by("-id")
    return [Done(row, DONE[SubscriptionAct(row.act)]) for row in rows[:MOST_CHANGES]]
