"""An administrator sets where it takes two people and how much others may accept; what was set is ended, never changed."""

from datetime import datetime
from typing import TypeVar

from django.db import IntegrityError, transaction

from escalation.decisions.taking import require_may, require_proof
from escalation.models import FourEyesRule, RiskLimit, User
from escalation.models.money import Money
from escalation.policy import DOORS, May, Role, own_limit
from escalation.proof import Proof

Setting = TypeVar("Setting", FourEyesRule, RiskLimit)


class SetAlready(Exception):
    """The same is in force already; it is ended before another is set."""


class Ended(Exception):
    """It was ended already, or never set."""


class OwnLimit(Exception):
    """Nobody sets their own limit, or ends it; the message is a sentence."""


def _require(person: User, *, now: datetime, proof: Proof | None) -> None:
    require_may(person, May.ADMINISTER, recipient=None)
    require_proof(person, May.ADMINISTER, proof=proof, now=now)


def set_rule(
    door: May, *, recipient: int | None, least: Money | None, person: User, now: datetime, proof: Proof | None
) -> FourEyesRule:
    """Let a door take two people: always, or from `least` on; `recipient` is a row id, None for every one.

    Raises `NotAllowed`, `NotFresh` and `SetAlready`; then nothing is written.
    """
    _require(person, now=now, proof=proof)
    if door not in DOORS:
        raise ValueError(f"{door} takes no rule")
    rule = FourEyesRule(
        door=door.value,
        recipient_id=recipient,
        from_amount=None if least is None else least.amount,
        currency="" if least is None else least.currency,
        set_at=now,
        set_by=person,
    )
    return _added(rule)


def set_limit(
    holder: Role | User, *, recipient: int | None, most: Money | None, person: User, now: datetime, proof: Proof | None
) -> RiskLimit:
    """Let whoever holds a role, or one person, accept risks up to `most`; None: risks that are stated in words.

    Raises `NotAllowed`, `NotFresh`, `OwnLimit` and `SetAlready`; then nothing is written.
    """
    _require(person, now=now, proof=proof)
    if holder == person:
        raise OwnLimit("Nobody sets their own limit; another administrator does.")
    limit = RiskLimit(
        role=holder.value if isinstance(holder, Role) else "",
        person=holder if isinstance(holder, User) else None,
        recipient_id=recipient,
        most=None if most is None else most.amount,
        currency="" if most is None else most.currency,
        set_at=now,
        set_by=person,
    )
    return _added(limit)


def _added(row: Setting) -> Setting:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as refused:
        raise SetAlready("The same is in force already; end it before you set another.") from refused
    return row


def end(
    kind: type[FourEyesRule] | type[RiskLimit], setting: int, *, person: User, now: datetime, proof: Proof | None
) -> None:
    """End a setting; it stays on record with who set and who ended it.

    Raises `NotAllowed`, `NotFresh`, `OwnLimit` and `Ended`; then nothing is written.
    """
    _require(person, now=now, proof=proof)
    if kind is RiskLimit:
        _require_anothers(setting, person)
    if not kind.objects.filter(pk=setting, ended_at=None).update(ended_at=now, ended_by=person):
        raise Ended("It was ended already.")


def _require_anothers(limit: int, person: User) -> None:
    row = RiskLimit.objects.filter(pk=limit, ended_at=None).first()
    refused = None if row is None else own_limit(person, row)
    if refused is not None:
        raise OwnLimit(refused)
