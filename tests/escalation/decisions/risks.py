"""Risks for the tests: who proposes, who accepts, and what they state."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from escalation.decisions.approve_exception import approve
from escalation.decisions.business_exception import Risk, propose
from escalation.decisions.taking import Taker
from escalation.models import BusinessException, RiskLimit, User
from escalation.models.business_exception import Excuses, Loss
from escalation.models.money import Money
from escalation.policy import Role
from operations.models import Recipient
from tests.escalation.building import HOUR, T0, Made
from tests.escalation.people import proved, with_role

NOW = T0 + HOUR
DAY = timedelta(days=1)
EUROS = Money(Decimal(250), "EUR")


def risk(*, now: datetime = NOW, **other: Any) -> Risk:
    """A second operation for a lost ticket, reviewed in a week."""
    stated: dict[str, Any] = {
        "excuses": Excuses.SECOND_OPERATION,
        "loss": Loss.TWICE,
        "exposure": EUROS,
        "reason": "The counter closes at four, and the parcel has to leave today.",
        "bearer": "Cost centre 4711",
        "review_at": now + 7 * DAY,
        "expires_at": now + 4 * HOUR,
    }
    return Risk(**{**stated, **other})


def taker(
    made: Made, person: User, *, revision: int | None = None, once: UUID | None = None, now: datetime = NOW
) -> Taker:
    """Somebody who saw the operation as it is, or at a revision."""
    seen = made.row.revision if revision is None else revision
    return Taker(person=person, revision=seen, once=once or uuid4(), now=now, proof=proved(person, at=now))


def proposed(made: Made, person: User, *, now: datetime = NOW, **stated: Any) -> BusinessException:
    """A risk that waits for a second person."""
    return propose(made.id, taker(made, person, now=now), risk=risk(now=now, **stated))


def accepted(made: Made, first: User, second: User, *, now: datetime = NOW, **stated: Any) -> BusinessException:
    """A risk that a second person accepted."""
    row = proposed(made, first, now=now, **stated)
    return approve(row.pk, taker(made, second, now=now), remark="")


def limit(
    holder: Role | User,
    most: str | None = "1000",
    *,
    currency: str = "EUR",
    recipient: Recipient | None = None,
    by: User | None = None,
) -> RiskLimit:
    """A limit in force; `most` None: for risks in words."""
    return RiskLimit.objects.create(
        role=holder.value if isinstance(holder, Role) else "",
        person=holder if isinstance(holder, User) else None,
        recipient=recipient,
        most=None if most is None else Decimal(most),
        currency="" if most is None else currency,
        set_at=T0,
        set_by=by or User.objects.get_or_create(username="admin")[0],
    )


def owner(name: str = "ida", most: str | None = "1000") -> User:
    """A risk owner whose own limit reaches."""
    person = with_role(name, Role.RISK_OWNER)
    limit(person, most)
    return person
