"""The menu of the queue: what it can be narrowed to, each with how many rows would be left, in one statement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection
from django.db.models import F, Q
from django.db.models.expressions import RawSQL

from escalation.models import Team, TeamOwns, Waiting
from escalation.models.case import CaseReason
from escalation.queue.asking import MOST_COUNTED, Question, capped, groups_counted, in_group, pressing
from escalation.queue.filters import NO_FACT, NO_TEAM, OWNERS, of_team
from escalation.queue.groups import SITUATIONS, Group
from operations.core.missing import Fact
from operations.models import Recipient

MOST_RECIPIENTS: Final = 12


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to narrow to, and how many rows that would leave, counted no further than `MOST_COUNTED` and one."""

    key: str
    name: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What the queue can be narrowed to, each list under all filters but its own."""

    groups: Mapping[Group, int]
    situations: tuple[Choice, ...]
    missing: tuple[Choice, ...]
    owners: tuple[Choice, ...]
    reasons: tuple[Choice, ...]
    teams: tuple[Choice, ...]
    recipients: tuple[Choice, ...]


_Cell = tuple[str, list[Any]]
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "situation": SITUATIONS,
    "missing": (*[fact.value for fact in Fact], NO_FACT),
    "reason": tuple([reason.value for reason in CaseReason]),
}
_FEW: Final[Mapping[str, tuple[str, ...]]] = {"owner": OWNERS, "team": (NO_TEAM,)}
_ANY: Final = "\0"  # stands for a key while a statement is built; nothing in the database holds it


def _capped(question: Question, more: Q | None = None) -> _Cell:
    """Return the statement that counts what a question leaves, no further than is said."""
    now, group = question.now, question.filters.group
    condition = question.reads.at("recipient_id") & question.filters.narrows(person=question.person)
    condition &= Q(waits_from__lte=now) | pressing(now)
    if group is not None:
        condition &= in_group(group, now)
    rows = Waiting.objects.filter(condition if more is None else condition & more)
    sql, parameters = rows.values_list(F("number"))[: MOST_COUNTED + 1].query.sql_with_params()
    return f"(SELECT count(*) FROM ({sql}) AS counted)", list(parameters)  # noqa: S608  # ours


def _cells(question: Question) -> Iterator[_Cell]:
    for facet, keys in _KEYS.items():
        # Built once for all its keys: that costs more than what PostgreSQL does for it.
        sql, parameters = _capped(question.but(**{facet: _ANY}))
        for key in keys:
            yield f"SELECT %s, %s, '', {sql}", [facet, key, *[_of_key(one, facet, key) for one in parameters]]
    for facet, keys in _FEW.items():
        for key in keys:
            sql, parameters = _capped(question.but(**{facet: key}))
            yield f"SELECT %s, %s, '', {sql}", [facet, key, *parameters]
    groups, given = groups_counted(question.but(group=None))
    yield f"SELECT 'group', \"group\"::text, '', rows FROM ({groups}) AS counted", list(given)  # noqa: S608  # ours
    yield _of_teams(question)
    yield _of_recipients(question)


def _of_key(parameter: Any, facet: str, key: str) -> Any:
    """Return a parameter of the statement for any key as it is for this one, which stays a constant for the planner."""
    word = "" if (facet, key) == ("missing", NO_FACT) else key
    return word if parameter == _ANY else [word] if parameter == [_ANY] else parameter


def _of_teams(question: Question) -> _Cell:
    """Return the statement that counts what each team owns by now."""
    sql, parameters = _capped(question.but(team=""), of_team(RawSQL("team.id", [])))
    own = Team.objects.filter(pk__in=TeamOwns.objects.filter(ended_at=None).values("team"))
    teams, some = own.values("id", "name").query.sql_with_params()
    return (
        f"SELECT 'team', team.id::text, team.name, {sql} FROM ({teams}) AS team",  # noqa: S608  # ours
        [*parameters, *some],
    )


def _of_recipients(question: Question) -> _Cell:
    here = Q(recipient=RawSQL("recipient.id", []))
    sql, parameters = _capped(question.but(recipient=""), here)
    recipients, some = (
        Recipient.objects.filter(question.reads.at("pk")).values("id", "key", "name").query.sql_with_params()
    )
    return (
        f"SELECT 'recipient', recipient.key, recipient.name, {sql} FROM ({recipients}) AS recipient",  # noqa: S608  # ours
        [*parameters, *some],
    )


def facets(question: Question) -> Facets:
    """Return the menu; what nothing stands under is left out, but for the situations and owners, which are few."""
    sql, parameters = zip(*_cells(question), strict=True)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(sql), [one for some in parameters for one in some])
        found: dict[str, list[Choice]] = {}
        for facet, *choice in cursor.fetchall():
            found.setdefault(facet, []).append(Choice(*choice))
    chosen = question.filters
    recipients = sorted(_there(found.get("recipient", ()), chosen.recipient), key=lambda one: (-one.rows, one.name))
    return Facets(
        groups=capped({int(one.key): one.rows for one in found.get("group", ())}),
        situations=tuple(found["situation"]),
        missing=_there(found["missing"], chosen.missing),
        owners=tuple(found["owner"]),
        reasons=_there(found["reason"], chosen.reason),
        teams=_teams(found["team"], chosen.team),
        recipients=tuple(recipients[:MOST_RECIPIENTS]),
    )


def _teams(choices: Sequence[Choice], chosen: str) -> tuple[Choice, ...]:
    """Return the teams that own something here, by name, and last what none owns, where there are any teams."""
    by_name = sorted(choices, key=lambda one: (one.key == NO_TEAM, one.name))
    return _there(by_name, chosen) if len(choices) > 1 or chosen else ()


def _there(choices: Any, chosen: str) -> tuple[Choice, ...]:
    return tuple([one for one in choices if one.rows or one.key == chosen])


@dataclass(frozen=True, slots=True)
class Causes:
    """What waits at one recipient, by the most telling missing fact (`NO_FACT`: none can be named)."""

    recipient: Choice
    causes: tuple[Choice, ...]


def grouped(question: Question) -> tuple[Causes, ...]:
    """Return what a question leaves by recipient and cause, the recipients with the most first, in one more statement."""
    found = facets(question)
    recipients = {one.key: one for one in found.recipients if one.rows}
    facts = [one.key for one in found.missing]
    cells = [(at, fact, _capped(question.but(recipient=at, missing=fact))) for at in recipients for fact in facts]
    if not cells:
        return ()
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join([f"SELECT %s, %s, {sql}" for _, _, (sql, _) in cells]),
            [one for at, fact, (_, parameters) in cells for one in (at, fact, *parameters)],
        )
        counts: list[tuple[str, str, int]] = cursor.fetchall()
    return tuple(
        [
            Causes(one, tuple([Choice(fact, "", rows) for at, fact, rows in counts if at == key and rows]))
            for key, one in recipients.items()
        ]
    )
