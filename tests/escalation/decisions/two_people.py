"""Two people and a rule for the tests: what one proposes at a door, and another signs."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from escalation.decisions.record_repair import repair_record
from escalation.decisions.second_signature import propose
from escalation.decisions.taking import Taker
from escalation.models import FourEyesRule, SecondSignature, User
from escalation.models.money import Money
from escalation.policy import May
from operations import models
from tests.escalation.building import T0, Made
from tests.escalation.decisions.risks import NOW, taker

Decide = Callable[[Taker], object]


def rule(door: May, *, least: Money | None = None, recipient: models.Recipient | None = None) -> FourEyesRule:
    """It takes two people at a door, from an amount on or always."""
    return FourEyesRule.objects.create(
        door=door.value,
        recipient=recipient,
        from_amount=None if least is None else least.amount,
        currency="" if least is None else least.currency,
        set_at=T0,
        set_by=User.objects.get_or_create(username="admin")[0],
    )


def euros(amount: str) -> Money:
    """An amount of euros."""
    return Money(Decimal(amount), "EUR")


def repairs(made: Made, *, remark: str = "", receipt: Any = None) -> Decide:
    """The way of the door that repairs our record, on the newest receipt."""
    found = receipt or made.row.observations.latest("position").id
    return lambda by: repair_record(made.id, by, receipt=found, remark=remark)


def proposed(
    made: Made, person: User, decide: Decide, *, now: datetime = NOW, by: Taker | None = None
) -> SecondSignature:
    """What one person proposed, as the page would."""
    return propose(made.id, by or taker(made, person, now=now), typed={"remark": "as typed"}, decide=decide)


def signing(made: Made, person: User, row: SecondSignature, *, now: datetime = NOW) -> Taker:
    """Somebody who saw the operation as it is, and signs."""
    return replace(taker(made, person, now=now), signs=row.pk)
