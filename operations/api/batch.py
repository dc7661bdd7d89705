"""Many acts in one call: each is judged alone, in order, and a bad one stops no other."""

from collections.abc import Callable
from itertools import groupby
from typing import Annotated, Any, Final, Literal, TypeAlias
from uuid import UUID

from django.db import DatabaseError
from pydantic import BaseModel, Field, TypeAdapter, WithJsonSchema, model_validator
from pydantic import ValidationError as ShapeError
from pydantic_core import PydanticCustomError

from operations import reading, recording
from operations.api import said
from operations.api.asked import Begin, Register, Reply, Say, Seal, WireFact
from operations.api.delivered import Deliver, Delivered, delivered
from operations.api.doing import Act, registered_said
from operations.api.fields import Asked, Identity, Moment, RecipientKey, uuid_of
from operations.api.problems import Problem, shape_errors, wrong_field, wrong_fields
from operations.api.refused import problem_of

MOST_ITEMS: Final = 1000

OperationId: TypeAlias = Annotated[UUID, uuid_of("an operation"), WithJsonSchema({"type": "string", "format": "uuid"})]


class OfOperation(Asked):
    """Which operation: by its id, or by its recipient and identity where the id isn't known yet."""

    operation: OperationId | None = None
    recipient: RecipientKey | None = None
    identity: Identity | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "OfOperation":
        named = (self.recipient is not None, self.identity is not None)
        if named != ((self.operation is None),) * 2:
            raise PydanticCustomError("which", "must name either operation, or recipient and identity")
        return self


class RegisterItem(Register):
    """Register an operation with its first attempt."""

    kind: Literal["register"]


class BeginItem(Begin, OfOperation):
    """Begin a further attempt."""

    kind: Literal["begin"]


class ReplyItem(Reply, OfOperation):
    """Report a reply."""

    kind: Literal["reply"]


class FactItem(WireFact, OfOperation):
    """Report a fact of the wire."""

    kind: Literal["fact"]


class WordsItem(Say, OfOperation):
    """Report words."""

    kind: Literal["words"]


class SealItem(Seal, OfOperation):
    """Seal the record."""

    kind: Literal["seal"]


class DeliverItem(Deliver, OfOperation):
    """Tell of a hand-over."""

    kind: Literal["deliver"]


Item: TypeAlias = RegisterItem | BeginItem | ReplyItem | FactItem | WordsItem | SealItem | DeliverItem
_KINDS: Final[dict[str, type[Item]]] = {
    "register": RegisterItem,
    "begin": BeginItem,
    "reply": ReplyItem,
    "fact": FactItem,
    "words": WordsItem,
    "seal": SealItem,
    "deliver": DeliverItem,
}
_SCHEMA: Final = TypeAdapter(Annotated[Item, Field(discriminator="kind")])


class AnyItem:
    """An item as it came: each is read alone, so that a bad one stops no other."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Take any JSON value; `_items` reads it."""
        return handler(Any)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        """Show the items that are understood."""
        return handler(_SCHEMA.core_schema)


class Batch(Asked):
    """Up to 1,000 items. `clock` stands for those that give none."""

    items: Annotated[list[AnyItem], Field(min_length=1, max_length=MOST_ITEMS)]
    clock: Moment | None = None


class Result(BaseModel):
    """What came of one item: the status and body of the single call."""

    index: int
    status: int
    body: said.Registered | said.Begun | said.Observed | said.Sealed | Delivered | dict[str, Any]


class Results(BaseModel):
    """One result an item, in the order of the items."""

    results: list[Result]


_Outcome: TypeAlias = said.Registered | said.Begun | said.Observed | said.Sealed | Delivered | Exception


def _read(raw: object, batch: Batch) -> Item | Problem:
    if not isinstance(raw, dict):
        return wrong_field("", "model_type", "must be an object")
    kind = raw.get("kind")
    model = _KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        return wrong_field("/kind", "one_of", f"must be one of {', '.join(_KINDS)}")
    try:
        item = model.model_validate(raw)
    except ShapeError as error:
        return wrong_fields(shape_errors(error))
    if batch.clock is not None and getattr(item, "clock", batch.clock) is None:
        return item.model_copy(update={"clock": batch.clock})
    return item


def _is_fresh(item: Item | Problem) -> bool:
    """Whether it registers what was not sent yet; what may have gone out already is put on record one by one."""
    return isinstance(item, RegisterItem) and not item.attempt.unasked


def results(act: Act, batch: Batch) -> Results:
    """Do every item in order. Registrations that follow each other are written together."""
    outcomes: list[_Outcome] = []
    read = [_read(raw, batch) for raw in batch.items]
    for registrations, run in groupby(read, key=_is_fresh):
        if registrations:
            outcomes += _register(act, [item for item in run if isinstance(item, RegisterItem)])
        else:
            outcomes += [_alone(act, item) for item in run]
    return Results(results=[_result(index, outcome) for index, outcome in enumerate(outcomes)])


def _result(index: int, outcome: _Outcome) -> Result:
    if isinstance(outcome, Exception):
        problem = problem_of(outcome)
        return Result(index=index, status=problem.status, body=problem.body())
    return Result(index=index, status=201 if getattr(outcome, "created", False) else 200, body=outcome)


def _register(act: Act, items: list[RegisterItem]) -> list[_Outcome]:
    """Register together those that can be; where the database refuses the whole, each alone."""
    outcomes: list[_Outcome] = [Problem(500, "unexpected", "not done")] * len(items)
    wanted: dict[int, recording.Wanted] = {}
    for place, item in enumerate(items):
        try:
            wanted[place] = act.wanted(item)
        except Exception as error:  # noqa: BLE001  # an item's error is its result
            outcomes[place] = error
    visit = act.visit
    try:
        found = recording.register_many([*wanted.values()], now=visit.now, by=visit.caller.source)
    except DatabaseError:
        for place in wanted:
            outcomes[place] = _alone(act, items[place])
        return outcomes
    for place, outcome in zip(wanted, found, strict=True):
        outcomes[place] = _registered(outcome, items[place])
    return outcomes


def _registered(outcome: recording.Outcome, item: RegisterItem) -> _Outcome:
    return outcome if isinstance(outcome, Exception) else registered_said(outcome, attempt=item.attempt.id)


def _alone(act: Act, item: Item | Problem) -> _Outcome:
    if isinstance(item, Problem):
        return item
    try:
        return _DO[type(item)](act, item)
    except Exception as error:  # noqa: BLE001  # an item's error is its result
        return error


def _which(act: Act, item: OfOperation) -> UUID:
    if item.operation is not None:
        return item.operation
    recipient = act.visit.recipient(item.recipient or "")
    return reading.bound_as(item.identity or "", recipient=recipient).id


def _register_alone(act: Act, item: RegisterItem) -> said.Registered:
    return registered_said(act.register(item), attempt=item.attempt.id)


def _begin(act: Act, item: BeginItem) -> said.Begun:
    return act.begin(_which(act, item), item)


def _reply(act: Act, item: ReplyItem) -> said.Observed:
    act.visit.require_scope("transport", to="report a reply")
    return act.reply(_which(act, item), item)


def _fact(act: Act, item: FactItem) -> said.Observed:
    act.visit.require_scope("transport", to="report a fact of the wire")
    return act.wire_fact(_which(act, item), item)


def _words(act: Act, item: WordsItem) -> said.Observed:
    act.visit.require_scope("agent", to="report words")
    return act.say(_which(act, item), item)


def _seal(act: Act, item: SealItem) -> said.Sealed:
    act.visit.require_scope("transport", to="seal a record")
    return act.seal(_which(act, item))


def _deliver(act: Act, item: DeliverItem) -> Delivered:
    return delivered(_which(act, item), item, visit=act.visit)


_DO: Final[dict[type[Item], Callable[[Act, Any], _Outcome]]] = {
    RegisterItem: _register_alone,
    BeginItem: _begin,
    ReplyItem: _reply,
    FactItem: _fact,
    WordsItem: _words,
    SealItem: _seal,
    DeliverItem: _deliver,
}
