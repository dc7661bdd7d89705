"""Which operations need a person, in which group, and by when: a question to one narrow table, as of one moment.

What time alone changes is read off the clock at the moment of the question: that the hour before the end of something has
begun, that a window ended, that the expected time passed, or the time to look again came. So the order is that of a few
pieces, each of which an index holds in order; a page takes as many rows of each as it could show.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db import models as fields
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.fields.tuple_lookups import TupleGreaterThan
from django.db.models.functions import Coalesce

from escalation.models import Waiting
from escalation.policy import Reads
from escalation.queue.filters import Filters, Place, looked_up
from escalation.queue.groups import NEVER, SOON, Group

MOST_COUNTED: Final = 1_000
_RANKS: Final = (Group.CONTRADICTIONS, Group.CAN_BE_FINISHED, Group.THE_REST)
_KEYS: Final = ("operation_id", "group", "at", "number", "operation__revision", "case__revision")


class Placed(NamedTuple):
    """One operation where the queue has it."""

    operation: UUID
    group: int
    act_before: datetime
    number: int
    revision: int
    case_revision: int | None

    @property
    def place(self) -> Place:
        """Where a page that ends with it ends."""
        return Place(self.group, self.act_before, self.number)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows that an index holds in the order of the queue; `group` is None where it has to be read off each row."""

    where: Q
    at: Any
    group: Group | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Who reads (`person` by row id), which recipients, narrowed to what, as of when."""

    now: datetime
    reads: Reads
    person: int | None = None
    filters: Filters = field(default_factory=Filters)

    def but(self, **filters: Any) -> "Question":
        """Return the question with some of its filters changed."""
        return replace(self, filters=replace(self.filters, **filters))

    def looked_up(self) -> "Question":
        """Return the question with who holds the text that it searches, for whoever asks it more than once."""
        return replace(self, filters=looked_up(self.filters))


def _later() -> Coalesce:
    """Return by when to act once the window has ended."""
    return Coalesce("deadline", Value(NEVER, output_field=fields.DateTimeField()))


def _pieces(now: datetime) -> Iterator[_Piece]:
    soon, here = now + SOON, Q(left_until=None) | Q(left_until__lte=now)
    shows = Q(waits_from__lte=now)
    lasts = here & (Q(window_until=None) | Q(window_until__gt=now))
    yield _Piece(lasts & Q(act_before__lte=soon), F("act_before"), Group.WITHIN_THE_HOUR)
    for group in _RANKS:
        yield _Piece(lasts & shows & Q(rank=group.value, act_before__gt=soon), F("act_before"), group)
    # The sweep takes an ended window out of `act_before`; until it came by, these few are put where they belong.
    ended = here & Q(window_until__lte=now)
    yield _Piece(ended & (shows | Q(deadline__lte=soon)), _later(), None)
    yield _Piece(shows & Q(left_until__gt=now), F("left_until"), Group.LEFT_UNRESOLVED)


def in_group(group: Group, now: datetime) -> Q:
    """Return the condition that a row stands in a group at `now`, as the pieces have it."""
    soon = now + SOON
    if group is Group.LEFT_UNRESOLVED:
        return Q(left_until__gt=now)
    here = Q(left_until=None) | Q(left_until__lte=now)
    if group is Group.WITHIN_THE_HOUR:
        return here & pressing(now)
    lasts = (Q(deadline=None) | Q(deadline__gt=soon)) & (Q(act_before__gt=soon) | Q(window_until__lte=now))
    return here & lasts & Q(rank=group.value)


def pressing(now: datetime) -> Q:
    """Return the condition that something runs out within the hour, or a deadline has."""
    soon = now + SOON
    return Q(deadline__lte=soon) | Q(act_before__lte=soon) & (Q(window_until=None) | Q(window_until__gt=now))


def _group_of(piece: _Piece, now: datetime) -> Any:
    if piece.group is not None:
        return Value(piece.group.value, output_field=fields.IntegerField())
    pressing = When(deadline__lte=now + SOON, then=Value(Group.WITHIN_THE_HOUR.value))
    return Case(pressing, default=F("rank"), output_field=fields.IntegerField())


def _each(question: Question) -> "list[QuerySet[Any, Any]]":
    return [rows for _, rows in _pieces_of(question)]


def _pieces_of(question: Question) -> "list[tuple[_Piece, QuerySet[Any, Any]]]":
    """Return the pieces that the question leaves, each with `group` and `at`, the time to act before."""
    condition = question.reads.at("recipient_id") & question.filters.narrows(person=question.person)
    rows = Waiting.objects.filter(condition)
    wanted = question.filters.group
    found: list[tuple[_Piece, QuerySet[Any, Any]]] = []
    for piece in _pieces(question.now):
        if wanted is not None and piece.group not in (None, wanted):
            continue
        some = rows.filter(piece.where).annotate(group=_group_of(piece, question.now), at=piece.at)
        here = some.filter(group=wanted.value) if wanted is not None and piece.group is None else some
        found.append((piece, here))
    return found


def waiting(
    question: Question, *, after: Place | None = None, most: int | None = None, keys: Sequence[str] = _KEYS
) -> "QuerySet[Any, Any]":
    """Return, in the order of the queue, the `keys` of the rows that the question leaves; `most` of each piece at most.

    Each is what `Placed` holds; `at` is the time to act before; where it is put off, to look again.
    """
    pieces: Any = [_after(some, piece, after) for piece, some in _pieces_of(question)]
    found: Any = [some.order_by("group", "at", "number").values_list(*keys)[:most] for some in pieces]
    whole: QuerySet[Any, Any] = found[0].union(*found[1:], all=True) if len(found) > 1 else found[0]
    return whole.order_by("group", "at", "number") if len(found) > 1 else whole


def _after(rows: "QuerySet[Any, Any]", piece: _Piece, after: Place | None) -> "QuerySet[Any, Any]":
    """Return what of a piece comes after a place; an index that holds the piece in order is entered there."""
    if after is None or (piece.group is not None and piece.group.value > after.group):
        return rows
    if piece.group is None or piece.group.value < after.group:
        later = Q(at__gt=after.act_before) | Q(at=after.act_before, number__gt=after.number)
        return rows.filter(Q(group__gt=after.group) | Q(group=after.group) & later)
    return rows.filter(TupleGreaterThan((piece.at, F("number")), (after.act_before, after.number)))


def placed(question: Question, *, after: Place | None, size: int) -> tuple[list[Placed], Place | None]:
    """Return the operations of one page, and where the next page begins after; None where there is none."""
    found = [Placed(*row) for row in waiting(question, after=after, most=size + 1)[: size + 1]]
    return found[:size], found[size - 1].place if len(found) > size else None


def every(question: Question) -> Iterator[Placed]:
    """Yield all that the question leaves in the order of the queue, through a cursor of the server."""
    for row in waiting(question).iterator(chunk_size=500):
        yield Placed(*row)


def groups_counted(question: Question) -> tuple[str, tuple[Any, ...]]:
    """Return the statement of the groups and how many rows stand in each, as far as is counted."""
    some = [rows.values_list("group")[: MOST_COUNTED + 1] for rows in _each(question)]
    whole = some[0].union(*some[1:], all=True) if len(some) > 1 else some[0]
    sql, parameters = whole.query.sql_with_params()
    return f'SELECT "group", count(*) AS rows FROM ({sql}) AS waiting GROUP BY 1', parameters  # noqa: S608  # ours


def counted(question: Question) -> dict[Group, int]:
    """Return how many rows stand in each group, counting no further than `MOST_COUNTED` and one."""
    sql, parameters = groups_counted(question)
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return capped(dict(cursor.fetchall()))


def capped(found: Mapping[int, int]) -> dict[Group, int]:
    """Return the numbers of all groups, each counted no further than `MOST_COUNTED` and one."""
    return {one: min(found.get(one.value, 0), MOST_COUNTED + 1) for one in Group}


def revision(found: Sequence[Placed], counts: Mapping[Group, int]) -> str:
    """Return a text that differs whenever a row of a page came, went, moved or changed, or a number in its headings did."""
    said = repr((list(found), sorted(counts.items())))
    return f"{sum(counts.values())}.{sha256(said.encode()).hexdigest()[:16]}"
