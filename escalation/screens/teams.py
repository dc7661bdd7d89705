"""Teams in words: who belongs to them, what they own and whom their chain calls, as whoever reads may know of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from escalation.cases.answering import name_of
from escalation.models import Chain, ChainStep, Rota, Team, TeamChange, TeamMember, TeamOwns
from escalation.models.team_change import TeamAct
from escalation.screens.people import Reader
from operations import versions

MOST_SHOWN: Final = 100
MOST_RECIPIENTS: Final = 12
# What was done, as it goes on after the team's or the rota's name.
DONE: Final = {
    TeamAct.TEAM_MADE.value: "was made",
    TeamAct.TEAM_ENDED.value: "was ended",
    TeamAct.MEMBER_ADDED.value: "has one more member",
    TeamAct.MEMBER_REMOVED.value: "has one member less",
    TeamAct.OWNS.value: "owns more",
    TeamAct.OWNS_NO_MORE.value: "owns less",
    TeamAct.CHAIN_SET.value: "has another chain",
    TeamAct.CHAIN_ENDED.value: "has no chain any more",
    TeamAct.QUIET_SET.value: "has other quiet hours",
    TeamAct.QUIET_ENDED.value: "has no quiet hours any more",
    TeamAct.ROTA_MADE.value: "was made",
    TeamAct.ROTA_ENDED.value: "was ended",
    TeamAct.SHIFT_SET.value: "has one more shift",
    TeamAct.SHIFT_ENDED.value: "has one shift less",
    TeamAct.COVER_SET.value: "has one more cover",
    TeamAct.COVER_ENDED.value: "has one cover less",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShown:
    """One step in words: what it calls, and for how long it waits then."""

    row: ChainStep
    calls: str
    wait: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamShown:
    """One team. `owns` is what it owns as far as the reader may know, `rest` whether it is the fallback."""

    row: Team
    members: tuple[TeamMember, ...]
    owns: tuple[TeamOwns, ...]
    chain: Chain | None
    steps: tuple[StepShown, ...]

    @property
    def rest(self) -> bool:
        """Whether it owns whatever no other team owns."""
        return any(one.recipient_id is None and not one.effect for one in self.owns)

    @property
    def nobody(self) -> bool:
        """Whether nobody active belongs to it."""
        return not any(one.person.is_active for one in self.members)


def minutes(wait: int) -> str:
    """Return a wait in words: "45 min", "2 h", "1 h 30 min", "3 d"."""
    days, rest = divmod(wait, 24 * 60)
    hours, left = divmod(rest, 60)
    parts = [f"{days} d" if days else "", f"{hours} h" if hours else "", f"{left} min" if left else ""]
    return " ".join([part for part in parts if part])


def known(reader: Reader) -> QuerySet[Team]:
    """Return the teams that the reader may know of, by name; ended ones too.

    All to an administrator; to others those they belong to, those that own a recipient they may read, and those that own
    an effect or the rest, which may be of any.
    """
    rows = Team.objects.order_by("name")
    if reader.administers:
        return rows
    theirs = TeamMember.objects.filter(team=OuterRef("pk"), person=reader.person, ended_at=None)
    owning = TeamOwns.objects.filter(_owned(reader), team=OuterRef("pk"), ended_at=None)
    return rows.filter(Exists(theirs) | Exists(owning))


def _owned(reader: Reader) -> Q:
    """What is owned as far as the reader may know of it."""
    return Q() if reader.reads.ids is None else Q(recipient=None) | reader.reads.at("recipient_id")


def _whole(rows: QuerySet[Team], reader: Reader) -> QuerySet[Team]:
    members = TeamMember.objects.filter(ended_at=None).select_related("person").order_by("person__username")
    owns = TeamOwns.objects.filter(_owned(reader), ended_at=None).select_related("recipient", "made_by")
    steps = ChainStep.objects.select_related("person", "team", "rota").order_by("position")
    chains = Chain.objects.filter(ended_at=None).select_related("made_by").prefetch_related(Prefetch("steps", steps))
    return rows.prefetch_related(
        Prefetch("members", members, to_attr="held"),
        Prefetch("owns", owns.order_by("recipient__name", "effect", "pk"), to_attr="owning"),
        Prefetch("chains", chains, to_attr="running"),
    )


def teams(reader: Reader) -> list[TeamShown]:
    """Return the teams that weren't ended and that the reader may know of, by name."""
    return [_shown(row) for row in _whole(known(reader).filter(ended_at=None), reader)]


def team(reader: Reader, pk: int) -> TeamShown | None:
    """Return one team, ended or not; None where there is none that the reader may know of."""
    row = _whole(known(reader).filter(pk=pk), reader).first()
    return None if row is None else _shown(row)


def _shown(row: Team) -> TeamShown:
    chain = next(iter(row.running), None)  # type: ignore[attr-defined]  # prefetched to it, as the two below
    return TeamShown(
        row=row,
        members=tuple(row.held),  # type: ignore[attr-defined]
        owns=tuple(row.owning),  # type: ignore[attr-defined]
        chain=chain,
        steps=() if chain is None else steps_of(chain.steps.all()),
    )


def steps_of(rows: Iterable[ChainStep]) -> tuple[StepShown, ...]:
    """Return steps in words."""
    return tuple([StepShown(row=row, calls=name_of(row), wait=minutes(row.wait)) for row in rows])


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect that a team owns: the recipients whose contract calls theirs so, and whether there are more."""

    word: str
    recipients: tuple[str, ...]
    more: bool


def effects(shown: TeamShown, reader: Reader) -> list[Effect]:
    """Return what the effects that a team owns are at present, as far as the reader may know."""
    found = []
    for one in shown.owns:
        if one.effect:
            rows = versions.with_effect(one.effect, among=reader.reads.ids, limit=MOST_RECIPIENTS + 1)
            names = tuple([row.name for row in rows[:MOST_RECIPIENTS]])
            found.append(Effect(one.effect, names, more=len(rows) > MOST_RECIPIENTS))
    return found


def lacking(found: Sequence[TeamShown]) -> list[str]:
    """Return what may keep somebody from being called, as sentences; of all the teams there are."""
    said = []
    rest = next((one for one in found if one.rest), None)
    if rest is None:
        said.append("No team owns what no other team owns: of a recipient without a team, nobody is called.")
    elif rest.chain is None:
        said.append(f"{rest.row.name} owns what no other team owns, and has no chain: nobody is called for it.")
    return said


@dataclass(frozen=True, slots=True)
class Done:
    """What was done to a team or a rota, when and by whom."""

    row: TeamChange
    said: str


def changes(reader: Reader, **of: Team | Rota) -> list[Done]:
    """Return what was done to a team or to a rota, as far as the reader may know, the newest first."""
    rows = TeamChange.objects.filter(_owned(reader), **of).select_related("by").order_by("-id")
    return [Done(row, DONE[row.act]) for row in rows[:MOST_SHOWN]]
