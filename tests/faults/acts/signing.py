"""Two people at a door: one proposes, another signs or declines, each at a form of their own, in a web process."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from escalation.decisions.protected_repeat import protected_repeat
from escalation.decisions.record_repair import repair_record
from escalation.decisions.second_signature import propose
from escalation.decisions.taking import Taker
from escalation.models import SecondSignature
from operations import models
from tests.faults.acts.deciding import pressing, taker
from tests.faults.case import Act, Case
from tests.faults.scenes import Intended
from tests.faults.stage import Stage

REPEAT = {"executor": "desk", "understood": "on"}


def propose_a_repeat(stage: Stage) -> Case:
    """One person proposes that this desk sends again; nothing is decided and nothing may be sent."""
    made = Intended(stage).lost()

    def proposed() -> bool:
        return SecondSignature.objects.filter(operation=made.operation).exists()

    def wrong() -> Iterator[str]:
        if SecondSignature.objects.filter(operation=made.operation).count() != 1:
            yield "the proposal is not on record once"
        yield from _undecided(made)

    form = pressing(stage, made, "otto", "protected_repeat", lambda: {**REPEAT, "propose": "1"})
    form.shown = proposed
    return form.case(stage, wrong=wrong)


def _undecided(made: Intended) -> Iterator[str]:
    if models.Decision.objects.filter(operation=made.operation).exists():
        yield "what was only proposed is decided"
    if models.Attempt.objects.filter(operation=made.operation).count() != 1:
        yield "what was only proposed has begun"


def _proposed(
    stage: Stage, made: Intended, name: str, typed: Mapping[str, str], decide: Callable[[Taker], object]
) -> SecondSignature:
    assert made.operation is not None
    return propose(made.operation, taker(stage, made, name), typed=typed, decide=decide)


def _repeat(stage: Stage, made: Intended) -> SecondSignature:
    assert made.operation is not None
    operation = made.operation
    return _proposed(stage, made, "otto", REPEAT, lambda by: protected_repeat(operation, by, executor="desk"))


def _at(stage: Stage, made: Intended, row: SecondSignature, name: str, ended: str, **words: Any) -> Case:
    """A person at what another proposed, who ends it so."""

    def shown() -> bool:
        return SecondSignature.objects.filter(pk=row.pk, ended_as=ended).exists()

    def wrong() -> Iterator[str]:
        found = SecondSignature.objects.get(pk=row.pk)
        if found.ended_as != ended:
            yield f"the proposal ended as “{found.ended_as}”, not as {ended}"
        if (found.signature_id is None) == (ended == "signed"):
            yield "the proposal and the decision don't name each other"
        if ended != "signed":
            yield from _undecided(made)

    form = pressing(stage, made, name, "second_signature", lambda: words, row.pk)
    if ended != "signed":
        form.shown = shown
    return form.case(stage, wrong=wrong)


def sign_a_repeat(stage: Stage) -> Case:
    """A second person signs that this desk sends again."""
    made = Intended(stage).lost()
    return _at(stage, made, _repeat(stage, made), "olga", "signed", act="sign", looked="on")


def sign_a_repair(stage: Stage) -> Case:
    """A second person signs what our record is to say."""
    made = Intended(stage).answered()
    assert made.operation is not None
    operation, receipt = made.operation, made.receipt()
    typed = {"receipt": str(receipt), "remark": "", "compared": "on"}
    row = _proposed(stage, made, "mira", typed, lambda by: repair_record(operation, by, receipt=receipt, remark=""))
    return _at(stage, made, row, "omar", "signed", act="sign", looked="on")


def decline_a_proposal(stage: Stage) -> Case:
    """A second person declines it."""
    made = Intended(stage).lost()
    return _at(stage, made, _repeat(stage, made), "olga", "declined", act="decline", reason="Not now.")


def take_a_proposal_back(stage: Stage) -> Case:
    """Who proposed it takes it back."""
    made = Intended(stage).lost()
    return _at(stage, made, _repeat(stage, made), "otto", "withdrawn", act="withdraw", reason="")


ACTS = tuple(
    Act(name=prepare.__name__.replace("_", " "), process="web", prepare=prepare)
    for prepare in (propose_a_repeat, sign_a_repeat, sign_a_repair, decline_a_proposal, take_a_proposal_back)
)
