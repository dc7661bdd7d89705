"""Operations with every kind of link, and the record as it is verified."""

from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

from operations import models
from operations.auditing.checkpoint import Exported, opened
from operations.auditing.exporting import export
from operations.auditing.faults import Fault
from operations.auditing.verifying import Verified, verify
from operations.core.actions import Action
from operations.recording import begin, complete, decide, refrain, seal, writing
from tests.operations.rows import BY, intent, later, observed, registered, request

TAKEN: float = 3_600  # seconds after the beginning at which the checkpoint is taken


def operation(identity: str = "order-1", *, parcel: str = "Cedar") -> UUID:
    """One operation whose only link behind the request is its attempt."""
    return registered(request(identity, parcel=parcel)).operation_id


def settled(identity: str = "order-1", *, parcel: str = "Cedar") -> UUID:
    """One operation with attempts, seal, observations, readings, completion and decision: positions 0 to 8."""
    made = operation(identity, parcel=parcel)
    observed(made, "accepted", event="e0", at=30)
    seal(made, now=later(50), by=BY)
    receipt = observed(made, "applied", effect_refs=("T-1",)).observation_id
    decided(made, receipt)
    return made


def decided(made: UUID, receipt: UUID | None, *, at: float = 90) -> None:
    """A person repairs the record."""
    with writing(made, now=later(at)) as pen:
        seen = pen.operation.revision
        content = {"receipt": None if receipt is None else str(receipt), "remark": "Compared line by line."}
        decide(pen, Action.RECORD, door="a door", once=uuid4(), revision=seen, content=content, by="reviewer")
        complete(pen, receipt=receipt, by="reviewer")
        pen.finish()


def refrained(made: UUID, *, at: float = 95) -> None:
    """A person decides not to repeat."""
    with writing(made, now=later(at)) as pen:
        seen = pen.operation.revision
        refrain(pen, Action.REPEAT, door="a door", once=uuid4(), revision=seen, content={"no": 1.5}, by="reviewer")
        pen.finish()


def begun(made: UUID, name: str, *, at: float) -> None:
    """A further attempt."""
    begin(made, intent=intent(name, at=at), now=later(at), by=BY)


def exported(folder: Path, *, at: float = TAKEN) -> Exported:
    """A checkpoint of this moment."""
    return opened(folder / export(folder, now=later(at)).name)


def verified(*checkpoints: Exported) -> tuple[list[Fault], Verified]:
    """What verifying finds."""
    faults: list[Fault] = []
    return faults, verify(checkpoints, tell=faults.append)


def found(*checkpoints: Exported) -> list[tuple[int | None, int, str, str]]:
    """The faults as number, position, kind and word."""
    return [(one.number, one.position, one.kind, one.what.value) for one in verified(*checkpoints)[0]]


def number_of(made: UUID) -> int:
    """What it is called by."""
    return models.Operation.objects.get(id=made).number


DAY = timedelta(days=1)
