"""Cases that a chain calls somebody for, and people with addresses: as the desk has them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any

from escalation.models import (
    AddressConfirmation,
    Call,
    Case,
    NoticeAddress,
    QuietHours,
    Team,
    TeamMember,
    Telling,
    User,
)
from escalation.models.chain import StepKind
from escalation.models.notice import End
from escalation.models.notice_address import Way
from escalation.notify.claiming import Rules
from escalation.notify.message import Message
from escalation.notify.outcome import Outcome
from escalation.notify.sweeping import tell
from escalation.policy import Role
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import with_role

RULES = Rules(above=3, apart=timedelta(seconds=60), ahead=timedelta(minutes=4))
CALLED = T0 + HOUR
TAKEN = Outcome(end=End.TAKEN, detail="Taken.")


def called_for(identity: str = "order-1001", *, at: datetime = CALLED, **more: Any) -> Case:
    """The case of an operation whose reply was lost an hour ago."""
    made = operation(identity, now=at - HOUR, **more)
    made.timed_out(now=at - HOUR + timedelta(seconds=10))
    calling.call(now=at, most=1_000)
    return Case.objects.get(operation=made.id, closed_at=None)


def made_of(case: Case) -> Made:
    """The operation of a case, to learn more of it."""
    return Made(id=case.operation_id, identity=case.operation.identity, parcel="Cedar")


def ann(name: str = "ann", *roles: Role) -> User:
    """Somebody who may look after cases."""
    return with_role(name, *(roles or (Role.OPERATOR,)))


def address(of: User | Team | None, to: str = "", *, way: Way = Way.MAIL, confirmed: bool = True) -> NoticeAddress:
    """An address of somebody; of nobody, a webhook that chains call."""
    admin, _ = User.objects.get_or_create(username="administrator")
    whose = {"person" if isinstance(of, User) else "team": of} if of is not None else {}
    to = to or (f"{of.username}@desk.example" if isinstance(of, User) else "OPS_ROOM")
    made = NoticeAddress.objects.create(way=way, to=to, made_at=T0, made_by=admin, **whose)
    if confirmed and way is Way.MAIL:
        AddressConfirmation.objects.create(address=made, at=T0, by=admin)
    return made


def team(name: str, *members: User) -> Team:
    """A team of these."""
    admin, _ = User.objects.get_or_create(username="administrator")
    made = Team.objects.create(name=name, made_at=T0, made_by=admin)
    for one in members:
        TeamMember.objects.create(team=made, person=one, made_at=T0, made_by=admin)
    return made


def quiet(
    whose: User | Team, *, begins: time = time(22), ends: time = time(7), zone: str = "Europe/Berlin"
) -> QuietHours:
    """Quiet hours of somebody, or of a team."""
    by, _ = User.objects.get_or_create(username="administrator")
    of = {"person" if isinstance(whose, User) else "team": whose}
    return QuietHours.objects.create(zone=zone, begins=begins, ends=ends, made_at=T0, made_by=by, **of)


def calls(case: Case, whom: User | Team | str, *, at: datetime = CALLED, nth: int = 1, step: int = 1) -> Call:
    """One step that is called for a case."""
    if isinstance(whom, User):
        of: dict[str, object] = {"kind": StepKind.PERSON, "person": whom}
    elif isinstance(whom, Team):
        of = {"kind": StepKind.TEAM, "team": whom}
    else:
        of = {"kind": StepKind.WEBHOOK, "webhook": whom}
    return Call.objects.create(case=case, round=nth, step=step, at=at, **of)


@dataclass
class Post:
    """Takes what is sent, and says of it what it is told to say; the last of it for ever."""

    outcomes: list[Outcome] = field(default_factory=lambda: [TAKEN])
    sent: list[tuple[str, Message]] = field(default_factory=list)
    before: Callable[[Message], None] = lambda _: None

    def __call__(self, message: Message, _: Way, to: str) -> Outcome:
        self.before(message)
        self.sent.append((to, message))
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]

    @property
    def subjects(self) -> list[str]:
        return [message.subject for _, message in self.sent]


def told(post: Post, *, at: datetime = CALLED, rules: Rules = RULES) -> int:
    """One sweep at a time that the test sets; no time passes in it."""
    return tell(clock=lambda: at, rules=rules, send=post, monotonic=lambda: 0.0)


def ends() -> list[str]:
    """How each telling ended, in the order in which they were made."""
    return list(Telling.objects.order_by("id").values_list("ended_as", flat=True))


def several(count: int, person, **more):
    return [calls(called_for(f"order-{number}", **more), person) for number in range(count)]
