"""Whoever reads at an address: what they may read, when they would rather not be told, and why they are."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from escalation.models import NoticeAddress, QuietHours, Team, Telling, User
from escalation.models.chain import StepKind
from escalation.models.notice import Kind
from escalation.notify.quiet import Quiet
from escalation.policy import EVERY_RECIPIENT, Reads, reads

UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A person, or a room that people share: that has no roles. A team's has the quiet hours of the team."""

    reads: Reads
    quiet: Quiet | None = None
    whose: str = "your"

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which times are told besides UTC."""
        return UTC if self.quiet is None else self.quiet.zone


def reader_of(address: NoticeAddress) -> Reader:
    """Return who reads there now."""
    if address.person is not None:
        return Reader(reads=reads(address.person), quiet=_quiet(person=address.person))
    quiet = None if address.team is None else _quiet(team=address.team)
    return Reader(reads=EVERY_RECIPIENT, quiet=quiet, whose="the team's")


def _quiet(**whose: User | Team) -> Quiet | None:
    hours = QuietHours.objects.filter(**whose, ended_at=None).first()
    return None if hours is None else quiet_of(hours)


def quiet_of(hours: QuietHours) -> Quiet | None:
    """Return somebody's or a team's quiet hours; None where this machine doesn't know their time zone any more: they are told."""
    try:
        zone = ZoneInfo(hours.zone)
    except (ZoneInfoNotFoundError, ValueError):
        return None
    return Quiet(zone=zone, begins=hours.begins, ends=hours.ends)


def why(telling: Telling) -> str:
    """Return in a sentence why this is told at its address."""
    if telling.kind == Kind.TEST:
        return "You get this because somebody pressed the test button at this desk."
    if telling.kind == Kind.CONFIRM:
        return "You get this because somebody typed this address at this desk."
    if telling.kind == Kind.SETTLED or telling.call is None:
        return "You get this because you were told that somebody was needed."
    call = telling.call
    if call.step == 0:
        return "You are called because you look after it."
    if call.kind == StepKind.ROTA and call.rota is not None:
        return f"You are called because you are on call in the rota {call.rota.name}."
    if call.kind == StepKind.TEAM and call.team is not None:
        mine = telling.address is not None and telling.address.person_id is not None
        return f"{'You are' if mine else 'This is'} called as the team {call.team.name}."
    return f"It is step {call.step} of a chain, in round {call.round}."
