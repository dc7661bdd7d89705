"""The queue's row of an operation follows what is known of it, in the very transaction in which that changes.

An operation has a row while our record doesn't say what is established of it, or a case of it is open. One that only closes another has none. What
is on its way is not shown before `waits_from` (escalation.models.waiting), which the row says and nobody has to sweep.
A new operation needs no row: the sweep that calls for it after its expected time writes one (operations.recording.calling).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from typing import Any, Final
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, F, Func, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import MD5

from escalation.models import Case, CaseAct, LeftUnresolved, ReasonHeld, Searched, Waiting
from escalation.queue.groups import CONTRADICTION, HAPPENED, NEVER, RECORDED, RULED_OUT, UNDER_WAY, Group, situation_of
from operations import models
from operations.contracts.loading import document_of
from operations.core.protection import Protection
from operations.core.standing import Situation
from operations.models.completion import APPLIED, NO_EFFECT
from operations.reading import judging
from operations.recording.watching import Changed

MOST_SEARCHED: Final = 20_000  # characters of the arguments
_ENDED: Final = (HAPPENED, RULED_OUT)
_MOVING: Final = tuple([field.name for field in Waiting._meta.concrete_fields if not field.primary_key])  # noqa: SLF001  # public in all but name
_COLUMNS: Final = tuple([field.attname for field in Waiting._meta.concrete_fields])  # noqa: SLF001  # likewise


@dataclass(frozen=True, slots=True)
class _Beside:
    """What else is on record of one operation, `case` and `owner` by row id.

    `held` is what our record says of the outcome, `told_twice` whether it knew of a second effect. `before` is the row
    that it has, `words` the digest of what it is found by now (empty: nothing).
    """

    number: int
    held: str | None
    told_twice: bool | None
    closes: bool
    sent: bool
    heard: bool
    left: bool
    case: int | None
    owner: int | None
    left_until: datetime | None
    reasons: Sequence[str]
    refs: Sequence[str]
    notes: Sequence[str]
    words: str | None
    before: tuple[Any, ...]


def place(changed: Sequence[Changed], _: datetime) -> None:
    """Write the rows of these operations, which are locked and whose cases were attended to, anew where they differ."""
    beside = _beside([one.operation.id for one in changed])
    rows = {one.operation.id: _row(one, beside[one.operation.id]) for one in changed}
    gone = [pk for pk, row in rows.items() if row is None and beside[pk].before[0] is not None]
    if gone:
        _forget(gone)
    kept = [row for pk, row in rows.items() if row is not None and _values(row) != beside[pk].before]
    if kept:
        Waiting.objects.bulk_create(kept, update_conflicts=True, unique_fields=["operation"], update_fields=_MOVING)
    _keep_words([one.operation for one in changed if rows[one.operation.id] is not None], beside)


def _forget(operations: Collection[UUID]) -> None:
    for model in (Searched, Waiting):
        some = model._default_manager.filter(operation__in=operations)  # noqa: SLF001  # the one manager there is
        some._raw_delete(some.db)  # noqa: SLF001  # nothing hangs on them that would have to be looked for


def _values(row: Waiting) -> tuple[Any, ...]:
    return tuple([getattr(row, name) for name in _COLUMNS])


def _newest_completion(column: str) -> Subquery:
    newest = models.Completion.objects.filter(operation=OuterRef("pk")).order_by("-position")
    return Subquery(newest.values(column)[:1])


def _of_case(column: str) -> Subquery:
    return Subquery(Case.objects.filter(operation=OuterRef("pk"), closed_at=None).values(column)[:1])


def _joined(rows: "QuerySet[models.Reading]") -> ArraySubquery:
    text = Func(F("effect_refs"), Value(" "), function="array_to_string", output_field=TextField())
    return ArraySubquery(rows.order_by("position").values_list(text))


def _asked() -> Mapping[str, Any]:
    """Return every question that is asked of an operation, in one statement."""
    of_it: dict[str, Any] = {"operation": OuterRef("pk")}
    held = ReasonHeld.objects.filter(case__operation=OuterRef("pk"), case__closed_at=None, ended_at=None)
    notes = CaseAct.objects.filter(case__operation=OuterRef("pk"), by__isnull=False).exclude(note="")
    return {
        "of_held": _newest_completion("outcome"),
        "of_told_twice": _newest_completion("standing__duplicate_effect"),
        "of_closes": Exists(models.Closing.objects.filter(closing=OuterRef("pk"))),
        "of_sent": Exists(models.Attempt.objects.filter(**of_it)),
        "of_heard": Exists(models.Observation.objects.filter(**of_it)),
        "of_left": Exists(LeftUnresolved.objects.filter(**of_it)),
        "of_case": _of_case("id"),
        "of_owner": _of_case("owner"),
        "of_left_until": _of_case("snoozed_until"),
        "of_reasons": ArraySubquery(held.order_by("reason").values("reason")),
        "of_refs": _joined(models.Reading.objects.filter(**of_it).exclude(effect_refs=[])),
        "of_notes": ArraySubquery(notes.order_by("id").values("note")),
        "of_words": Subquery(Searched.objects.filter(**of_it).values_list(MD5("words"))),
    }


def _beside(operations: Collection[UUID]) -> Mapping[UUID, _Beside]:
    asked = _asked()
    rows = models.Operation.objects.filter(id__in=operations).annotate(**asked)
    found: Any = rows.values_list("id", "number", *asked, *[f"waiting__{name}" for name in _COLUMNS])
    ends = len(asked) + 2
    return {row[0]: _Beside(*(*row[1:ends], tuple(row[ends:]))) for row in found}


def _row(one: Changed, beside: _Beside) -> Waiting | None:
    """Return the row that an operation has now, None where it has none."""
    row = one.operation
    situation = situation_of(row.situation, row.evidence)
    recorded = _recorded(row, situation, beside)
    if beside.closes or (recorded and beside.case is None):
        return None
    if recorded:  # what is left to do has no date: a result is owed to an agent
        return _told(row, beside)
    window = row.protection_until if _may_repeat(row) else None
    return Waiting(
        operation_id=row.id,
        recipient_id=row.recipient_id,
        number=beside.number,  # the database gave it as the row was written
        rank=_rank(row, situation, beside).value,
        situation=situation,
        missing=str(row.missing[0][0]) if row.missing else "",
        waits_from=_on_its_way_until(one, situation, beside) or row.created_at,
        deadline=row.deadline,
        window_until=window,
        act_before=min([at for at in (row.deadline, window) if at is not None], default=NEVER),
        case_id=beside.case,
        owner_id=beside.owner,
        left_until=beside.left_until,
        reasons=list(beside.reasons),
        effect=document_of(judging(row).document).effect.word,
    )


def _told(row: models.Operation, beside: _Beside) -> Waiting:
    """Return the row of an operation whose outcome our record says, while its case is open all the same."""
    ended = situation_of(row.situation, row.evidence)
    return Waiting(
        operation_id=row.id,
        recipient_id=row.recipient_id,
        number=beside.number,
        rank=Group.THE_REST.value,
        situation=RECORDED if ended == HAPPENED else ended,
        waits_from=row.created_at,
        act_before=NEVER,
        case_id=beside.case,
        owner_id=beside.owner,
        left_until=beside.left_until,
        reasons=list(beside.reasons),
        effect=document_of(judging(row).document).effect.word,
    )


def _recorded(row: models.Operation, situation: str, beside: _Beside) -> bool:
    """Whether our record says what is established; a second effect that is named since then is news."""
    if beside.held is None or (row.duplicate_effect and beside.told_twice is False):
        return False
    return (situation, beside.held) in {(HAPPENED, APPLIED), (RULED_OUT, NO_EFFECT)}


def _may_repeat(row: models.Operation) -> bool:
    return row.situation == Situation.OPEN and row.protection == Protection.ACTIVE


def _rank(row: models.Operation, situation: str, beside: _Beside) -> Group:
    if situation == CONTRADICTION:
        return Group.CONTRADICTIONS
    # What was authorised and never sent: nothing ended there that could be finished.
    never_sent = row.situation == Situation.NOTHING_CAN_ACT and not beside.sent
    return Group.CAN_BE_FINISHED if situation in _ENDED and not never_sent else Group.THE_REST


def _on_its_way_until(one: Changed, situation: str, beside: _Beside) -> datetime | None:
    """Return the end of its expected time where our record says nothing, and nobody has left it before; else None."""
    fresh = one.operation.situation == Situation.OPEN and beside.held is None and not beside.left
    going = beside.sent and (situation == UNDER_WAY or not beside.heard)
    return one.expected_by if fresh and going else None


def _words(row: models.Operation, beside: _Beside) -> str:
    said = b"" if row.arguments is None else bytes(row.arguments)
    arguments = said.decode(errors="replace").replace("\0", "")[:MOST_SEARCHED]
    return "\n".join([row.identity, row.effect, arguments, *beside.refs, *beside.notes])


def _keep_words(operations: Iterable[models.Operation], beside: Mapping[UUID, _Beside]) -> None:
    words = {row.id: _words(row, beside[row.id]) for row in operations}
    kept = [
        Searched(operation_id=pk, words=text)
        for pk, text in words.items()
        if md5(text.encode(), usedforsecurity=False).hexdigest() != beside[pk].words
    ]
    if kept:
        Searched.objects.bulk_create(kept, update_conflicts=True, unique_fields=["operation"], update_fields=["words"])
