"""The operations of one page with all that their standing needs, in one statement however many there are.

Each row comes as a JSON object of its columns, and is made a row of its model again; what no page of the queue shows
(payloads, bodies, digests) stays where it is, and is read when somebody asks for it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db import models as fields

from escalation.models import Case, User, Waiting
from operations import models, reading
from operations.reading import restated
from operations.reading.restated import DECIDING

# What is left out: it is long, and no row of the queue is told by it.
_LEFT_OUT: Final[Mapping[type[fields.Model], frozenset[str]]] = {
    models.Operation: frozenset({"body", "arguments", "headers", "head"}),
    models.Observation: frozenset({"payload", "headers", "digest"}),
    User: frozenset({"password"}),
}
_DIGEST: Final = frozenset({"digest"})
_Row: TypeAlias = Mapping[str, Any]
_Kind: TypeAlias = tuple[tuple[type[fields.Model], str], ...]


@cache
def _columns(model: type[fields.Model]) -> tuple[tuple[str, str, Callable[[Any], Any] | None], ...]:
    """Return, of each column that is wanted, its name, its attribute, and what makes its value of JSON; None: it is one."""
    left_out = _LEFT_OUT.get(model, _DIGEST)
    wanted = [field for field in model._meta.concrete_fields if field.name not in left_out]  # noqa: SLF001  # public in all but name
    return tuple([(str(field.column), field.attname, _made_by(field)) for field in wanted])


def _made_by(field: Any) -> Callable[[Any], Any] | None:
    plain = (fields.CharField, fields.TextField, fields.BooleanField, fields.IntegerField, fields.JSONField, ArrayField)
    while isinstance(field, fields.ForeignKey):
        field = field.target_field
    return None if isinstance(field, plain) else field.to_python


def _object(model: type[fields.Model], alias: str) -> str:
    """Return the SQL of a row as a JSON object."""
    names = ", ".join([f'{alias}."{column}"' for column, _, _ in _columns(model)])
    return f"CASE WHEN {alias}.id IS NULL THEN NULL ELSE (SELECT row_to_json(one) FROM (SELECT {names}) AS one) END"  # noqa: S608  # ours


def _select(kind: str, of: str, objects: _Kind, tables: str) -> str:
    """Return the statement for one kind of rows: whose it is, and the objects of each."""
    made = ", ".join([_object(model, alias) for model, alias in objects]).replace("w.id IS NULL", "w.number IS NULL")
    return f"SELECT '{kind}', {of}, json_build_array({made}) FROM {tables}"  # noqa: S608  # ours


_OPERATION, _SUCCESSOR, _DECISION = "operations_operation", "operations_successor", "operations_decision"
_KINDS: Final[Mapping[str, tuple[str, _Kind, str]]] = {
    "operation": (
        "o.id",
        ((models.Operation, "o"), (models.Recipient, "r"), (Waiting, "w"), (Case, "k"), (User, "u")),
        (
            f"{_OPERATION} o JOIN operations_recipient r ON r.id = o.recipient_id"
            " LEFT JOIN escalation_waiting w ON w.operation_id = o.id"
            " LEFT JOIN escalation_case k ON k.operation_id = o.id AND k.closed_at IS NULL"
            " LEFT JOIN escalation_user u ON u.id = k.owner_id WHERE o.id = ANY(%(operations)s)"
        ),
    ),
    "attempts": (
        "a.operation_id",
        ((models.Attempt, "a"),),
        "operations_attempt a WHERE a.operation_id = ANY(%(operations)s)",
    ),
    "completions": (
        "c.operation_id",
        ((models.Completion, "c"),),
        "operations_completion c WHERE c.operation_id = ANY(%(operations)s)",
    ),
    "decisions": (
        "d.operation_id",
        ((models.Decision, "d"),),
        f"{_DECISION} d WHERE d.operation_id = ANY(%(operations)s)",
    ),
    "readings": (
        "r.operation_id",
        ((models.Reading, "r"), (models.Observation, "o")),
        (
            f"operations_reading r JOIN operations_observation o ON o.id = r.observation_id JOIN {_OPERATION} p"
            f" ON p.id = r.operation_id WHERE p.id = ANY(%(operations)s) AND (p.links <= %(few)s OR r.id IN ({DECIDING}))"
        ),
    ),
    "successors": (
        "s.operation_id",
        ((models.Successor, "s"), (models.Operation, "o")),
        f"{_SUCCESSOR} s JOIN {_OPERATION} o ON o.id = s.successor_id WHERE s.operation_id = ANY(%(operations)s)",
    ),
    "predecessor": (
        "s.successor_id",
        ((models.Successor, "s"), (models.Operation, "o"), (models.Decision, "d")),
        (
            f"{_SUCCESSOR} s JOIN {_OPERATION} o ON o.id = s.operation_id JOIN {_DECISION} d ON d.id = s.decision_id"
            " WHERE s.successor_id = ANY(%(operations)s)"
        ),
    ),
}
_BESIDE: Final = ("attempts", "completions", "decisions", "readings", "successors")


def whole(operations: Sequence[UUID]) -> list[models.Operation]:
    """Return these operations in the order given, each with its open case (`open_case`, None: there is none) and owner.

    All that `reading.read` asks for is there; what links them to others (successors) too. Of a long record those readings are
    there that decide (operations/reading/restated.py), the last on record among them.
    """
    if not operations:
        return []
    found: dict[str, dict[UUID, list[tuple[Any, ...]]]] = {kind: defaultdict(list) for kind in _KINDS}
    for kind, of, rows in _asked(operations):
        found[kind][of].append(rows)
    return [_joined(one, found) for one in operations]


def _asked(operations: Sequence[UUID]) -> Iterator[tuple[str, UUID, tuple[Any, ...]]]:
    sql = " UNION ALL ".join([_select(kind, of, objects, tables) for kind, (of, objects, tables) in _KINDS.items()])
    with connection.cursor() as cursor:
        cursor.execute(sql, {"operations": list(operations), "few": restated.FEW})
        for kind, of, rows in cursor.fetchall():
            pairs = zip(_KINDS[kind][1], rows, strict=True)
            yield kind, of, tuple([None if row is None else _made(model, row) for (model, _), row in pairs])


def _made(model: type[fields.Model], row: _Row) -> Any:
    columns = _columns(model)
    values = [row[name] if made is None or row[name] is None else made(row[name]) for name, _, made in columns]
    return model.from_db(connection.alias, [attribute for _, attribute, _ in columns], values)


def _joined(one: UUID, found: Mapping[str, Mapping[UUID, Sequence[tuple[Any, ...]]]]) -> models.Operation:
    row, recipient, waiting, case, owner = found["operation"][one][0]
    row.recipient, row.contract, row.waiting = recipient, reading.published(row.contract_id), waiting
    row.open_case = case
    if case is not None:
        case.owner = owner
    for name in _BESIDE:
        _keep(row, name, found[name].get(one, ()))
    _keep_predecessor(row, found["predecessor"].get(one, ()))
    return row  # type: ignore[no-any-return]  # made of its model


def _keep(row: models.Operation, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Let a related name answer from these rows, as Django's own prefetching does."""
    for one, *more in rows:
        one.operation = row
        if name == "readings":
            one.observation, one.contract = more[0], reading.published(one.contract_id)
        elif name == "successors":
            one.successor = more[0]
    answer = getattr(row, name).all()
    answer._result_cache = [one for one, *_ in rows]  # noqa: SLF001  # as prefetch_related does it
    answer._prefetch_done = True  # noqa: SLF001  # likewise
    vars(row).setdefault("_prefetched_objects_cache", {})[name] = answer


def _keep_predecessor(row: models.Operation, rows: Sequence[tuple[Any, ...]]) -> None:
    link, *more = rows[0] if rows else (None,)
    if link is not None:
        link.successor, (link.operation, link.decision) = row, more
    models.Operation._meta.get_field("predecessor").set_cached_value(row, link)  # noqa: SLF001  # there is one
