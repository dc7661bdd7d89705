"""Who did what, when, on which standing, with what result: decisions, completions, who was let in, and by which rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Q

from escalation.models import AccessChange, RoleGrant
from escalation.models.access_change import OF_KEYS, Change
from escalation.policy import Reads
from escalation.screens import audit_rules, audit_signatures, audit_subscriptions, audit_teams
from escalation.screens.audit_line import CHANGED, ENDED, GIVEN, Line, place
from escalation.screens.decided_words import proposed_by, proved
from escalation.screens.stood import happened, stood
from escalation.screens.times import exact
from operations.auditing import acts as recorded
from operations.auditing.acts import COMPLETION, Act, Asked
from operations.core.missing import Fact

PAGE: Final = 50
AT_ONCE: Final = 500
LONGEST: Final = 200
ROLE_GIVEN, ROLE_ENDED = "role_given", "role_ended"
NAMES: Final[Mapping[str, str]] = {
    "repair_record": "Repaired our record",
    "leave_unresolved": "Stopped here, outcome unknown",
    "business_exception": "Proposed to accept a risk",
    "approve_exception": "Accepted a risk",
    "decline_exception": "Declined a risk",
    "protected_repeat": "Had the same request repeated",
    "new_operation": "Authorised a new operation",
    "close_original": "Had the original closed",
    COMPLETION: "Our record was written",
    ROLE_GIVEN: "Gave a role",
    ROLE_ENDED: "Took a role back",
    Change.PERSON_MADE: "Made a person",
    Change.PERSON_DEACTIVATED: "Made a person inactive",
    Change.PERSON_REACTIVATED: "Made a person active again",
    Change.LINK_MADE: "Made a sign-in link",
    Change.SESSIONS_ENDED: "Ended a person's sessions",
    Change.PASSWORD_SET: "Set a password",
    Change.PASSWORD_FORGOTTEN: "Ended a password that was lost",
    Change.FACTOR_ADDED: "Set up a second factor",
    Change.FACTOR_REMOVED: "Removed a second factor",
    Change.FACTORS_FORGOTTEN: "Ended second factors that were lost",
    Change.SINGLE_SIGN_ON_ADDED: "Connected an account of single sign-on",
    Change.SINGLE_SIGN_ON_REMOVED: "Removed an account of single sign-on",
    Change.KEY_MADE: "Made a key for a program",
    Change.KEY_ENDED: "Ended a key for a program",
    **audit_rules.NAMES,
    **audit_signatures.NAMES,
    **audit_teams.NAMES,
    **audit_subscriptions.NAMES,
}
_ROLES: Final = (ROLE_GIVEN, ROLE_ENDED)
_SIGNATURES: Final = tuple(audit_signatures.NAMES)
# What is done to people, keys, rules and limits; it is about no operation.
_ACCESS: Final = (*_ROLES, *[change.value for change in Change], *audit_rules.NAMES)
_TEAMS: Final = tuple(audit_teams.NAMES)
_PROGRAMS: Final = tuple(audit_subscriptions.NAMES)
_FACTS: Final = {fact.value: fact.sentence for fact in Fact}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the list is narrowed to, as it stands in the URL; days are UTC, both inclusive."""

    person: str = ""
    door: str = ""
    recipient: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> Filters:
        """Read what was asked for; a day that is none narrows nothing."""
        words = {
            name: asked.get(name, "").replace("\0", "").strip()[:LONGEST] for name in ("person", "door", "recipient")
        }
        return cls(**words, since=_day(asked.get("since", "")), until=_day(asked.get("until", "")))

    def query(self, **other: str) -> str:
        """Return the URL's query for these filters and what is given beside them; empty ones are left out."""
        return "?" + urlencode({name: value for name, value in {**asdict(self), **other}.items() if value})

    def asked(self, reads: Reads) -> Asked:
        """Return them as the record is asked by whoever may read these recipients."""
        until = _midnight(self.until)
        return Asked(
            person=self.person,
            act=self.door,
            recipient=self.recipient,
            since=_midnight(self.since),
            until=None if until is None else until + timedelta(days=1),
            among=reads.ids,
        )


def _day(written: str) -> str:
    try:
        return date.fromisoformat(written).isoformat() if date.fromisoformat(written) < date.max else ""
    except ValueError:
        return ""


def _midnight(day: str) -> datetime | None:
    return datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None


def _result(act: Act) -> str:
    first, how = proposed_by(act.content), proved(act.content)
    said = f"Proposed by {first}, and signed. {_came_of(act)}" if first else _came_of(act)
    return f"{said} Proved who they are {how}." if how else said


def _came_of(act: Act) -> str:
    if act.outcome:
        said = "it happened" if act.outcome == "applied" else "it did not happen"
        return f"Our record says: {said}{f' ({act.effect_ref})' if act.effect_ref else ''}."
    in_words = _SAID.get(act.act)
    return "A decision; what came of it is in the record." if in_words is None else in_words(act.content)


def _left(content: Mapping[str, Any]) -> str:
    until = exact(datetime.fromisoformat(content["look_again_at"]))
    return f"Outcome unresolved. Missing: {_FACTS[content['fact']]} Told: {content['told']}. Look again {until}."


_SAID: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "leave_unresolved": _left,
    "business_exception": lambda content: f"Proposed, for a second person to accept. {content['reason']}",
    "approve_exception": lambda content: f"Risk {content['exception']} is accepted. It changes no fact.",
    "decline_exception": lambda content: f"Risk {content['exception']} is declined.",
    "protected_repeat": lambda content: f"Authorised, to be sent by the {content['executor']}.",
    "new_operation": lambda content: f"Authorised, under request number {content['request_number']}.",
    "close_original": lambda content: (
        f"Authorised: {content['method']} {content['target']}, by the {content['executor']}."
    ),
}


def _line(act: Act) -> Line:
    row = act.operation
    return Line(
        key=act.key,
        at=act.at,
        by=act.by,
        act=act.act,
        name=NAMES.get(act.act, act.act.replace("_", " ").capitalize()),
        result=_result(act),
        operation=row,
        stood=stood(act.standing),
        now=happened(row.evidence, row.finality, conflict=row.conflict is not None),
        position=act.position,
        digest=act.digest.hex(),
        content=act.content,
    )


def _role(grant: RoleGrant, at: datetime, by: Any, *, ended: bool) -> Line:
    where = "every recipient" if grant.recipient is None else grant.recipient.name
    act = ROLE_ENDED if ended else ROLE_GIVEN
    return Line(
        key=place(at, grant.pk, kind=ENDED if ended else GIVEN),
        at=at,
        by="" if by is None else by.username,
        act=act,
        name=NAMES[act],
        result=f"{grant.person.username}: “{grant.role}”, for {where}.",
    )


def _roles(asked: Asked) -> Iterator[Line]:
    """Yield every role given or taken back that fits; there are as many as people have roles."""
    if asked.act not in ("", *_ROLES):
        return
    rows = RoleGrant.objects.select_related("person", "given_by", "ended_by", "recipient")
    if asked.among is not None:
        rows = rows.filter(Q(recipient=None) | Q(recipient__in=asked.among))
    for grant in rows.filter(recipient__key=asked.recipient) if asked.recipient else rows:
        lines = [_role(grant, grant.given_at, grant.given_by, ended=False)]
        if grant.ended_at is not None:
            lines.append(_role(grant, grant.ended_at, grant.ended_by, ended=True))
        yield from [line for line in lines if _fits(line, asked)]


def _change(row: AccessChange) -> Line:
    whose = f"{row.key.name} (unr_{row.key_id})" if row.key is not None else str(row.person)
    return Line(
        key=place(row.at, row.pk, kind=CHANGED),
        at=row.at,
        by="" if row.by is None else row.by.username,
        act=row.act,
        name=NAMES[row.act],
        result=f"{whose}.",
    )


def _changes(asked: Asked) -> Iterator[Line]:
    """Yield what was done to people's and programs' ways in; whoever reads some recipients alone sees no keys."""
    if asked.recipient or asked.act not in ("", *_ACCESS):
        return
    rows = AccessChange.objects.select_related("person", "key", "by")
    if asked.among is not None:
        rows = rows.exclude(act__in=[one.value for one in OF_KEYS])
    yield from [line for line in map(_change, rows) if _fits(line, asked)]


def _fits(line: Line, asked: Asked) -> bool:
    if asked.act not in ("", line.act) or asked.person not in ("", line.by):
        return False
    return (asked.since is None or line.at >= asked.since) and (asked.until is None or line.at < asked.until)


def lines(filters: Filters, *, reads: Reads, before: int | None, limit: int) -> list[Line]:
    """Return up to `limit` acts behind `before`, the newest first."""
    asked = filters.asked(reads)
    rules = [line for line in audit_rules.lines(asked) if _fits(line, asked)]
    found = [line for line in chain(_roles(asked), _changes(asked), rules) if before is None or line.key < before]
    if asked.act in ("", *_SIGNATURES):
        found += audit_signatures.lines(asked, before=before, limit=limit)
    if asked.act in ("", *_TEAMS):
        found += audit_teams.lines(asked, before=before)
    if asked.act in ("", *_PROGRAMS):
        found += audit_subscriptions.lines(asked, before=before)
    if asked.act not in (*_ACCESS, *_SIGNATURES, *_TEAMS, *_PROGRAMS):
        found += [_line(act) for act in recorded.acts(asked, before=before, limit=limit)]
    return sorted(found, key=lambda line: line.key, reverse=True)[:limit]


def page(filters: Filters, *, reads: Reads, before: int | None) -> tuple[list[Line], int | None]:
    """Return one page, and the key behind which the next one begins."""
    found = lines(filters, reads=reads, before=before, limit=PAGE + 1)
    return found[:PAGE], found[PAGE - 1].key if len(found) > PAGE else None


def every(filters: Filters, *, reads: Reads) -> Iterator[Line]:
    """Yield all that fit, a few hundred held at a time."""
    before: int | None = None
    while found := lines(filters, reads=reads, before=before, limit=AT_ONCE):
        yield from found
        before = found[-1].key


def choices() -> list[tuple[str, str]]:
    """Return the acts that the list can be narrowed to, with their names."""
    doors = [*recorded.doors(), COMPLETION, *_SIGNATURES, *_ACCESS, *_TEAMS, *_PROGRAMS]
    return [(door, NAMES.get(door, door.replace("_", " ").capitalize())) for door in doors]
