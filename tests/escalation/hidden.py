"""A recipient with something of every kind, none of which somebody without a role for it may find."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.models import FourEyesRule, Inspection, SecondSignature, User
from escalation.policy import Role
from operations import models, runs
from operations.core.missing import Fact
from operations.models.identifiers import uuid7
from tests.escalation.building import HOUR, T0, Made, contract_of, operation
from tests.escalation.decisions.risks import DAY, accepted, limit, owner, taker
from tests.escalation.outbox.made import subscription
from tests.escalation.people import with_role
from tests.escalation.teams.made import chain, rota, team, weekly
from tests.operations.runs.bringing import brought, chat

NOW = T0 + HOUR
WORD = "quokka"  # in everything that the hidden recipient has


@dataclass(frozen=True)
class Hidden:
    """A recipient with something of every kind, and where that is found: the words in addresses."""

    recipient: models.Recipient
    made: Made
    words: dict[str, Any]


def inspected(made: Made, by: User) -> Inspection:
    return Inspection.objects.create(
        id=uuid4(),
        operation_id=made.id,
        contract=made.row.contract,
        channel="counter",
        said=[["Parcel", WORD]],
        payload=WORD.encode(),
        read_at=T0,
        attachment=WORD.encode(),
        attachment_name=f"{WORD}.txt",
        attachment_digest="0" * 64,
        needs_second=True,
        recorded_at=NOW,
        recorded_by=by,
    )


def told(contract: models.Contract) -> models.Message:
    models.Hearing.objects.create(recipient=contract.recipient, refused=3, refused_at=T0, refused_because=WORD)
    return models.Message.objects.create(
        id=uuid7(T0),
        recipient=contract.recipient,
        contract=contract,
        channel="events",
        event="1",
        digest="0" * 64,
        headers=[],
        signed=[],
        payload=WORD.encode(),
        verified_by="key",
        received_at=T0,
    )


def hidden_recipient() -> Hidden:
    """Return one with operations that wait, a contradiction, a decision, a risk, an inspection, messages, rules and roles."""
    contract = contract_of(key=f"{WORD}-desk", name="Quokka Ltd")
    made = operation(f"{WORD}-1", parcel="Quokka", contract=contract)
    made.timed_out(now=T0)
    torn = operation(f"{WORD}-2", parcel="Quokka", contract=contract)
    torn.issued("Q-1", now=T0)
    torn.recorded("closed", now=T0 + HOUR / 2)
    left = operation(f"{WORD}-3", parcel="Quokka", contract=contract)
    left.timed_out(now=T0)
    keeper = with_role("keeper.of.quokkas", Role.REVIEWER, recipient=contract.recipient)
    leave_unresolved(
        left.id,
        taker(left, keeper),
        fact=Fact.WHETHER_IT_HAPPENED,
        told=WORD,
        look_again_at=NOW + DAY,
        remark=WORD,
    )
    risk = accepted(made, keeper, owner(), reason=WORD)
    limit(Role.RISK_OWNER, recipient=contract.recipient)
    FourEyesRule.objects.create(door="repeat", recipient=contract.recipient, set_at=T0, set_by=keeper)
    unsigned = SecondSignature.objects.create(
        operation_id=made.id,
        door="protected_repeat",
        may="repeat",
        action="repeat",
        once=uuid4(),
        typed={"executor": "agent"},
        content={"executor": "agent"},
        revision=made.row.revision,
        position=99,
        standing=risk.decision.standing,
        proposed_at=NOW,
        proposed_by=keeper,
        lapses_at=NOW + DAY,
    )
    run = brought(
        chat((WORD, f'{{"parcel": "{WORD}"}}', WORD), tool=WORD), name=WORD, recipient_id=contract.recipient_id
    )
    owning, called = team(f"{WORD} team", keeper, owns=contract.recipient), rota(f"{WORD} rota")
    weekly(called, keeper)
    chain(owning, (called, 5))
    words = {
        "run": run.transcript.run_id,
        "call": models.Call.objects.get().pk,
        "upload": runs.bring(chat((WORD, "{}", WORD)), name=WORD, by="keeper.of.quokkas", now=NOW).upload.id,
        "number": made.number,
        "recipient": f"{WORD}-desk",
        "key": f"{WORD}-desk",
        "version": 1,
        "part": "panels",
        "message": told(contract).id,
        "inspection": inspected(made, keeper).id,
        "exception": risk.pk,
        "person": keeper.pk,
        "signature": unsigned.pk,
        "team": owning.pk,
        "rota": called.pk,
        "subscription": subscription(name=WORD, recipients=[contract.recipient_id]).pk,
    }
    return Hidden(contract.recipient, made, words)
