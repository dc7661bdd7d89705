"""Whom a step means at this moment, or the sentence why nobody can be called by it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from escalation.models import ChainStep, Team, User
from escalation.policy import May, who_may, why_not
from escalation.teams.rotas import called_now


class NotCalled(Exception):
    """Nobody can be called by a step now; the message goes on after the step's name and a colon."""


def require_person(person: User, *, recipient: int) -> None:
    """Raise `NotCalled` unless somebody can look after a case of this recipient (row id)."""
    if not person.is_active:
        raise NotCalled(f"{person.username} is inactive")
    if why_not(person, May.MIND, recipient=recipient) is not None:
        raise NotCalled(f"{person.username} may not look after this recipient's cases")


def who_answers(step: ChainStep, *, recipient: int, now: datetime) -> Mapping[str, Any]:
    """Return the columns of the call that a step makes for a case of this recipient (row id); raises `NotCalled`."""
    if step.person is not None:
        require_person(step.person, recipient=recipient)
        return {"person": step.person}
    if step.team is not None:
        if not answering(step.team, recipient=recipient):
            raise NotCalled("nobody in it may look after this recipient's cases")
        return {"team": step.team}
    if step.rota is not None:
        return {"person": _on_call(step, recipient=recipient, now=now), "rota": step.rota}
    return {"webhook": step.webhook}


def answering(team: Team, *, recipient: int) -> list[User]:
    """Return the active members of a team who may look after cases of this recipient (row id), by name."""
    members = set(team.members.filter(ended_at=None).values_list("person_id", flat=True))
    return [person for person in who_may(May.MIND, recipient=recipient) if person.pk in members] if members else []


def _on_call(step: ChainStep, *, recipient: int, now: datetime) -> User:
    assert step.rota is not None  # noqa: S101  # for the type checker
    person = called_now(step.rota, now=now)
    if person is None:
        raise NotCalled("nobody is on call")
    require_person(person, recipient=recipient)
    return person


def name_of(step: ChainStep) -> str:
    """Return what a step calls, in words."""
    if step.person is not None:
        return step.person.username
    if step.team is not None:
        return f"everybody in {step.team.name}"
    if step.rota is not None:
        return f"whoever is on call in {step.rota.name}"
    return f"the webhook {step.webhook}"
