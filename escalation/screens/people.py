"""People with the roles they hold, as whoever reads may know of them; and what each role may do, as a table."""

from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from escalation.models import AccessChange, RoleGrant, User
from escalation.models.access_change import Change
from escalation.policy import HOLDS, May, Reads, Role

PAGE: Final = 50
MOST_SHOWN: Final = 100
LONGEST: Final = 150
READING: Final = "read this recipient's operations, contract, risks and record"
# What was done to people, as it goes on after their name.
DONE: Final = {
    Change.PERSON_MADE.value: "was made",
    Change.PERSON_DEACTIVATED.value: "was made inactive",
    Change.PERSON_REACTIVATED.value: "was made active again",
    Change.LINK_MADE.value: "was given a sign-in link",
    Change.SESSIONS_ENDED.value: "was signed out everywhere",
    Change.PASSWORD_SET.value: "set a password",
    Change.PASSWORD_FORGOTTEN.value: "lost their password",
    Change.FACTOR_ADDED.value: "set up a second factor",
    Change.FACTOR_REMOVED.value: "removed a second factor",
    Change.FACTORS_FORGOTTEN.value: "lost their second factors",
    Change.SINGLE_SIGN_ON_ADDED.value: "was connected with an account of single sign-on",
    Change.SINGLE_SIGN_ON_REMOVED.value: "is connected with an account of single sign-on no more",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who asks: the recipients they may read, and whether they administer, so that they see everybody."""

    person: User
    reads: Reads
    administers: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """One person. `held` are the roles they hold, as far as the reader may know of them."""

    row: User
    held: tuple[RoleGrant, ...]

    @property
    def on_the_host(self) -> bool:
        """Whether they were made administrator on the desk's host, and so hold every role without its being given."""
        return self.row.is_superuser


@dataclass(frozen=True, slots=True)
class Done:
    """What was done to somebody's way in, when and by whom."""

    row: AccessChange
    said: str


def _grants(reader: Reader) -> Q:
    """The condition on roles that the reader may know of: those for every recipient, and for one they may read."""
    return Q(recipient=None) | reader.reads.at("recipient_id") if reader.reads.ids is not None else Q()


def _people(reader: Reader) -> QuerySet[User]:
    """Those whom the reader may know of: all to an administrator, to others whoever holds a role that they may see."""
    rows = User.objects.order_by("username")
    if reader.administers:
        return rows
    held = RoleGrant.objects.held().filter(_grants(reader), person=OuterRef("pk"))
    return rows.filter(Exists(held) | Q(is_superuser=True) | Q(pk=reader.person.pk))


def _with_roles(rows: QuerySet[User], reader: Reader) -> QuerySet[User]:
    grants = RoleGrant.objects.held().filter(_grants(reader)).select_related("recipient", "given_by")
    return rows.prefetch_related(Prefetch("roles", grants.order_by("recipient__name", "given_at"), to_attr="held"))


def page(reader: Reader, *, after: str, name: str) -> tuple[list[Shown], str | None]:
    """Return one page of people by name, those whose name holds `name`, and behind which the next page begins."""
    rows = _people(reader).filter(username__icontains=name) if name else _people(reader)
    found = list(_with_roles(rows.filter(username__gt=after), reader)[: PAGE + 1])
    following = found[PAGE - 1].username if len(found) > PAGE else None
    return [_shown(row) for row in found[:PAGE]], following


def one(reader: Reader, pk: int) -> Shown | None:
    """Return one person; None where there is none whom the reader may know of."""
    row = _with_roles(_people(reader).filter(pk=pk), reader).first()
    return None if row is None else _shown(row)


def _shown(row: User) -> Shown:
    return Shown(row, tuple(row.held))  # type: ignore[attr-defined]  # prefetched to it


def ended(reader: Reader, person: User) -> list[RoleGrant]:
    """Return the roles that a person held before, as far as the reader may know of them, the newest end first."""
    rows = RoleGrant.objects.filter(_grants(reader), person=person, ended_at__isnull=False)
    return list(rows.select_related("recipient", "given_by", "ended_by").order_by("-ended_at", "-pk")[:MOST_SHOWN])


def changes(person: User) -> list[Done]:
    """Return what was done to a person's way in, the newest first."""
    rows = AccessChange.objects.filter(person=person).select_related("by").order_by("-at", "-pk")
    return [Done(row, DONE[row.act]) for row in rows[:MOST_SHOWN]]


def table() -> list[tuple[str, list[tuple[str, bool]]]]:
    """Return what may be done, each with every role and whether it may do it; made of policy.HOLDS."""
    rows = [(what.sentence, [(role.value, what in HOLDS[role]) for role in Role]) for what in May]
    return [(READING, [(role.value, True) for role in Role]), *rows]
