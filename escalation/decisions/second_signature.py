"""One person proposes what a door would decide, and another signs it: proposing, declining and taking back.

Signing is no act of its own: the door decides, by its one transaction, with both names in the decision (taking.py). Up
to then nothing is decided, nothing is sent and nothing is shut by it; no agent is told of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from escalation.decisions.refused import NotAllowed, StaleView
from escalation.decisions.signing import locked, may_of, require_waiting
from escalation.decisions.taking import Rehearsed, Taker, require_may
from escalation.models import SecondSignature, User
from escalation.models.second_signature import State
from escalation.policy import not_the_signer
from operations import reading
from operations.core.actions import Action

# How long a proposal waits; a repeat no longer than its request number protects.
SIGN_WITHIN: Final = timedelta(hours=24)


def propose(
    operation_id: UUID, taker: Taker, *, typed: Mapping[str, str], decide: Callable[[Taker], object]
) -> SecondSignature:
    """Write what `decide` would decide for another person to sign; the same form sent twice proposes once.

    `decide` is the door's own way, tried whole and taken back, so that nothing is proposed that could not be decided at
    this moment by who proposes it. `typed` is the door's form. Raises what the door raises; then nothing is written.
    """
    known = SecondSignature.objects.filter(operation=operation_id, once=taker.once).first()
    if known is not None:
        return _same(known, taker)
    try:
        decide(replace(taker, proposes=True))
    except Rehearsed as would:
        return _written(operation_id, taker, typed, would)
    raise AssertionError("a door that is rehearsed decides nothing")


def _same(row: SecondSignature, taker: Taker) -> SecondSignature:
    if row.proposed_by_id != taker.person.pk:
        raise StaleView("this form was sent by somebody else")
    return row


def _written(operation_id: UUID, taker: Taker, typed: Mapping[str, str], would: Rehearsed) -> SecondSignature:
    decision, stake = would.decision, would.stake
    row, _ = SecondSignature.objects.get_or_create(
        operation_id=operation_id,
        once=taker.once,
        defaults={
            "door": decision.door,
            "may": would.door.may.value,
            "action": decision.action,
            "typed": dict(typed),
            "content": dict(would.content),
            "revision": decision.revision,
            "position": decision.position,
            "standing": decision.standing,
            "amount": None if stake is None else stake.amount,
            "currency": "" if stake is None else stake.currency,
            "proposed_at": taker.now,
            "proposed_by": taker.person,
            "proved": None if taker.proof is None else taker.proof.stated(),
            "lapses_at": _lapses_at(would, now=taker.now),
        },
    )
    return _same(row, taker)


def _lapses_at(would: Rehearsed, *, now: datetime) -> datetime:
    within = now + SIGN_WITHIN
    until = reading.moment(would.decision.standing["protection_until"])
    return within if would.door.action is not Action.REPEAT or until is None else min(within, until)


def decline(number: int, *, person: User, reason: str, now: datetime) -> SecondSignature:
    """Decline what another person proposed, for a reason; sent twice, it is declined once.

    Raises `NotAllowed` and signing's `NotSignable`; then nothing is written.
    """
    with transaction.atomic():
        row = locked(number, now=now)
        require_may(person, may_of(row), recipient=row.operation.recipient_id)
        refused = not_the_signer(person, first=row.proposed_by)
        if refused is not None:
            raise NotAllowed(refused)
        return _ended(row, State.DECLINED, person=person, reason=reason, now=now)


def withdraw(number: int, *, person: User, reason: str, now: datetime) -> SecondSignature:
    """Take back what one proposed oneself; sent twice, it is taken back once.

    Raises `NotAllowed` and signing's `NotSignable`; then nothing is written.
    """
    with transaction.atomic():
        row = locked(number, now=now)
        if row.proposed_by_id != person.pk:
            raise NotAllowed("Only who proposed it takes it back; another person may decline it.")
        return _ended(row, State.WITHDRAWN, person=person, reason=reason, now=now)


def _ended(row: Any, state: State, *, person: User, reason: str, now: datetime) -> SecondSignature:
    ended: SecondSignature = row
    if (row.ended_as, row.ended_by_id) == (state.value, person.pk):
        return ended
    require_waiting(row)
    ended.ended_as, ended.ended_at, ended.ended_by, ended.reason = state.value, now, person, reason
    ended.save(update_fields=("ended_as", "ended_at", "ended_by", "reason"))
    return ended
