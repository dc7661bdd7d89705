"""The doors: a person at a form, in a web process."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import uuid4

from escalation.decisions.approve_exception import approve
from escalation.decisions.business_exception import Risk, propose
from escalation.decisions.proposing import Typed, proposed
from escalation.decisions.taking import Taker
from escalation.forms.doors import STANDING_ALONE
from escalation.models import BusinessException
from escalation.models.business_exception import Excuses, Loss
from operations import reading
from tests.faults.case import Act, Case, Pressing
from tests.faults.scenes import Intended
from tests.faults.stage import UNKEPT, Stage


def pressing(stage: Stage, intended: Intended, person: str, address: str, words: Any, *args: Any) -> Pressing:
    """A form in front of a person."""
    return Pressing(browser=stage.browser(person), intended=intended, address=address, words=words, args=args)


def repair_from_a_receipt(stage: Stage) -> Case:
    """The desk answered with a ticket; our record is made to say so."""
    made = Intended(stage).answered()
    words = {"receipt": str(made.receipt()), "remark": "as I saw it", "compared": "on"}
    return pressing(stage, made, "mira", "repair_record", lambda: words).case(stage)


def repair_from_the_standing(stage: Stage) -> Case:
    """No byte was ever written; our record is made to say that nothing happened."""
    made = Intended(stage).never_left()
    words = {"receipt": STANDING_ALONE, "remark": "", "compared": "on"}
    return pressing(stage, made, "mira", "repair_record", lambda: words).case(stage)


def repeat_by_this_desk(stage: Stage) -> Case:
    """The answer was lost; the same request goes out again by this desk, under protection."""
    made = Intended(stage).lost()
    words = {"executor": "desk", "understood": "on"}
    return pressing(stage, made, "otto", "protected_repeat", lambda: words).case(stage)


def first_send_where_nothing_protects(stage: Stage) -> Case:
    """Nothing was sent and nothing protects: what this desk sends is the first, and a second would be another effect."""
    made = Intended(stage, UNKEPT).never_left()
    words = {"executor": "desk", "understood": "on"}
    return pressing(stage, made, "otto", "protected_repeat", lambda: words).case(stage)


def repeat_by_the_agent(stage: Stage) -> Case:
    """The answer was lost; the agent gets leave for one more."""
    made = Intended(stage).lost()
    words = {"executor": "agent", "understood": "on"}
    return pressing(stage, made, "otto", "protected_repeat", lambda: words).case(stage)


def close_by_this_desk(stage: Stage) -> Case:
    """The request was lost on its way; this desk asks the recipient to close the operation."""
    made = Intended(stage).lost(request="lost")
    words = {"executor": "desk", "understood": "on"}
    return pressing(stage, made, "otto", "close_original", lambda: words).case(stage)


def close_by_the_agent(stage: Stage) -> Case:
    """The answer was lost; the agent gets leave to ask the recipient to close the operation."""
    made = Intended(stage).lost()
    words = {"executor": "agent", "understood": "on"}
    return pressing(stage, made, "otto", "close_original", lambda: words).case(stage)


def _proposal(made: Intended) -> Mapping[str, Any]:
    row = made.row
    typed = {
        "identity": f"{made.key}-again",
        "target": row.target,
        "scope": row.scope,
        "body": bytes(row.body or b"").decode(),
    }
    asked = Typed(**typed)
    assert made.operation is not None
    return {
        **typed,
        "arguments": bytes(row.arguments or b"").decode(),
        "compared": proposed(reading.operation(made.operation).operation, asked).digest,
        "authority": "Ada Brandt, counter lead",
        "because": "The customer still waits.",
        "reference": "order 5512",
        "what_1": "No ticket is open",
        "by_1": "Mira",
        "checked_1": "on",
    }


def new_operation(stage: Stage) -> Case:
    """The original was closed for good; another operation is authorised in its place."""
    made = Intended(stage).closed()
    return pressing(stage, made, "lena", "new_operation", lambda: _proposal(made)).case(stage)


def new_operation_by_exception(stage: Stage) -> Case:
    """The original may still act; an accepted risk excuses another operation, once."""
    made = Intended(stage, UNKEPT).lost()
    accepted(stage, made)
    return pressing(stage, made, "lena", "new_operation", lambda: _proposal(made)).case(stage)


def leave_unresolved(stage: Stage) -> Case:
    """The outcome is unknown; the investigation is ended until somebody looks again."""
    made = Intended(stage).lost()

    def words() -> Mapping[str, Any]:
        until = stage.now() + timedelta(hours=20)
        return {"fact": "whether_it_happened", "told": "Ada", "look_again_at": f"{until:%Y-%m-%dT%H:%M}", "remark": ""}

    return pressing(stage, made, "mira", "leave_unresolved", words).case(stage)


def _risk(stage: Stage) -> Mapping[str, Any]:
    now = stage.now()
    return {
        "excuse": "second_operation:twice",
        "amount": "250",
        "currency": "eur",
        "words": "",
        "reason": "The counter closes at four.",
        "bearer": "Cost centre 4711",
        "review": f"{now + timedelta(days=7):%Y-%m-%d}",
        "expires_at": f"{now + timedelta(hours=4):%Y-%m-%dT%H:%M}",
    }


def propose_a_risk(stage: Stage) -> Case:
    """The outcome is unknown; a risk is proposed, and excuses nothing yet."""
    made = Intended(stage).lost()
    return pressing(stage, made, "mira", "business_exception", lambda: _risk(stage)).case(stage)


def waiting_risk(stage: Stage, made: Intended) -> BusinessException:
    """A risk that waits for a second person."""
    assert made.operation is not None
    now = stage.now()
    risk = Risk(
        excuses=Excuses.SECOND_OPERATION,
        loss=Loss.TWICE,
        exposure="Somebody stands at the counter twice.",
        reason="The counter closes at four.",
        bearer="Cost centre 4711",
        review_at=now + timedelta(days=7),
        expires_at=now + timedelta(hours=4),
    )
    return propose(made.operation, taker(stage, made, "mira"), risk=risk)


def taker(stage: Stage, made: Intended, name: str) -> Taker:
    """Somebody who saw the operation as it is."""
    now, person = stage.now(), stage.person(name)
    return Taker(person=person, revision=made.row.revision, once=uuid4(), now=now, proof=stage.proof(name))


def accepted(stage: Stage, made: Intended) -> BusinessException:
    """A risk that a second person accepted."""
    row = waiting_risk(stage, made)
    return approve(row.pk, taker(stage, made, "ida"), remark="")


def accept_a_risk(stage: Stage) -> Case:
    """A second person accepts what waits."""
    return _judged(stage, "approve")


def decline_a_risk(stage: Stage) -> Case:
    """A second person declines what waits."""
    return _judged(stage, "decline")


def _judged(stage: Stage, act: str) -> Case:
    made = Intended(stage, UNKEPT).lost()
    row = waiting_risk(stage, made)
    words = {"act": act, "remark": "as I saw it"}
    return pressing(stage, made, "ida", "approve_exception", lambda: words, row.pk).case(stage)


ACTS = tuple(
    Act(name=prepare.__name__.replace("_", " "), process="web", prepare=prepare)
    for prepare in (
        repair_from_a_receipt,
        repair_from_the_standing,
        repeat_by_this_desk,
        first_send_where_nothing_protects,
        repeat_by_the_agent,
        close_by_this_desk,
        close_by_the_agent,
        new_operation,
        new_operation_by_exception,
        leave_unresolved,
        propose_a_risk,
        accept_a_risk,
        decline_a_risk,
    )
)
