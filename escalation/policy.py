"""Who may do what: a table of roles, and questions that are answered with None or with the sentence why not.

Identity comes from the browser's session only (views pass `request.user`); no key and no command line gets here. What
is permitted at all is the core's to say; this says who of the people may do it (screens.md, Six doors).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db.models import Q

from escalation.models import FourEyesRule, RiskLimit, RoleGrant, User
from escalation.models.money import Money
from operations.core.worded import Worded


class May(Worded):
    """One thing that people do; `sentence` is how it goes on after "You may not"."""

    ASK = "ask", "have the desk ask this recipient"
    INSPECT = "inspect", "record what this recipient's staff or screens say"
    REPAIR_RECORD = "repair_record", "repair our record of this recipient's operations"
    LEAVE_UNRESOLVED = "leave_unresolved", "stop here and leave this recipient's outcomes unresolved"
    REPEAT = "repeat", "have requests to this recipient repeated"
    CLOSE_ORIGINAL = "close_original", "have operations closed at this recipient"
    AUTHORISE_NEW = "authorise_new", "authorise new operations at this recipient"
    PROPOSE_EXCEPTION = "propose_exception", "propose to accept a risk at this recipient"
    APPROVE_EXCEPTION = "approve_exception", "accept a risk at this recipient"
    EDIT_CONTRACT = "edit_contract", "write or publish this recipient's contract"
    PACE = "pace", "pause or resume asking this recipient"
    MIND = "mind", "look after this recipient's cases"
    ADMINISTER = "administer", "change people, roles, keys and addresses"


class Role(StrEnum):
    """What somebody is trusted with; whoever holds any role for a recipient may read it."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    OPERATOR = "operator"
    AUTHORISER = "authoriser"
    RISK_OWNER = "risk owner"
    CONTRACT_EDITOR = "contract editor"
    ADMINISTRATOR = "administrator"


_REVIEWS: Final = frozenset(
    {May.ASK, May.INSPECT, May.REPAIR_RECORD, May.LEAVE_UNRESOLVED, May.PROPOSE_EXCEPTION, May.MIND}
)
HOLDS: Final[Mapping[Role, frozenset[May]]] = {
    Role.VIEWER: frozenset(),
    Role.REVIEWER: _REVIEWS,
    Role.OPERATOR: _REVIEWS | {May.REPEAT, May.CLOSE_ORIGINAL, May.PACE},
    Role.AUTHORISER: _REVIEWS | {May.AUTHORISE_NEW},
    Role.RISK_OWNER: frozenset({May.APPROVE_EXCEPTION, May.MIND}),
    Role.CONTRACT_EDITOR: frozenset({May.EDIT_CONTRACT}),
    Role.ADMINISTRATOR: frozenset({May.ADMINISTER, May.PACE}),
}


# What sends, makes a sending possible, takes a risk, or changes by what and by whom either may be done: it takes a fresh
# proof of who the person is (escalation/proof.py). Writing a contract's draft does not, publishing one does.
NEEDS_PROOF: Final = frozenset(
    {
        May.REPEAT,
        May.CLOSE_ORIGINAL,
        May.AUTHORISE_NEW,
        May.PROPOSE_EXCEPTION,
        May.APPROVE_EXCEPTION,
        May.EDIT_CONTRACT,
        May.ADMINISTER,
    }
)


def roles_of(person: User, *, recipient: int | None) -> frozenset[Role]:
    """Return the roles that somebody holds for a recipient (row id), those for every recipient included.

    Who was made administrator on the host itself (`manage.py sign_in_link --first`) holds them all; nobody inactive
    holds any.
    """
    if not person.is_active:
        return frozenset()
    if person.is_superuser:
        return frozenset(Role)
    grants = RoleGrant.objects.held().filter(person=person)
    return frozenset([Role(grant.role) for grant in grants if grant.recipient_id in (None, recipient)])


@dataclass(frozen=True, slots=True)
class Reads:
    """The recipients that somebody may read: those of `ids` (row ids), or every one where it is None."""

    ids: frozenset[int] | None

    def __bool__(self) -> bool:
        """Whether there may be anything to read."""
        return self.ids is None or bool(self.ids)

    def __contains__(self, recipient: int) -> bool:
        return self.ids is None or recipient in self.ids

    def at(self, column: str) -> Q:
        """Return the condition that `column`, which holds row ids of recipients, holds one of them; an index serves it."""
        return Q() if self.ids is None else Q(**{f"{column}__in": sorted(self.ids)})


EVERY_RECIPIENT: Final = Reads(None)


def reads(person: User) -> Reads:
    """Return which recipients somebody may read: those for which they hold any role. Every view asks this.

    What they may not read is to them as if it were not there.
    """
    if not person.is_active:
        return Reads(frozenset())
    if person.is_superuser:
        return EVERY_RECIPIENT
    held = set(RoleGrant.objects.held().filter(person=person).values_list("recipient_id", flat=True))
    return EVERY_RECIPIENT if None in held else Reads(frozenset(held))


def administrators() -> list[User]:
    """Return the active people who may change people, roles and keys, by name."""
    held = RoleGrant.objects.held().filter(role=Role.ADMINISTRATOR.value, recipient=None).values("person")
    people = User.objects.filter(Q(is_superuser=True) | Q(pk__in=held), is_active=True)
    return list(people.order_by("username"))


def who_may(what: May, *, recipient: int) -> list[User]:
    """Return the active people who may do this for a recipient (row id), by name."""
    holding = [role.value for role, holds in HOLDS.items() if what in holds]
    here = Q(recipient=None) | Q(recipient=recipient)
    held = RoleGrant.objects.held().filter(here, role__in=holding).values("person")
    return list(User.objects.filter(Q(is_superuser=True) | Q(pk__in=held), is_active=True).order_by("username"))


def who_may_somewhere(what: May, *, among: Reads) -> list[User]:
    """Return the active people who may do this for any of these recipients, by name."""
    holding = [role.value for role, holds in HOLDS.items() if what in holds]
    here = Q() if among.ids is None else Q(recipient=None) | among.at("recipient")
    held = RoleGrant.objects.held().filter(here, role__in=holding).values("person")
    return list(User.objects.filter(Q(is_superuser=True) | Q(pk__in=held), is_active=True).order_by("username"))


def why_not(person: User, what: May, *, recipient: int | None) -> str | None:
    """Return None, or the sentence that says why this person may not; `recipient` is a row id, None for every one."""
    if any(what in HOLDS[role] for role in roles_of(person, recipient=recipient)):
        return None
    wanted = " or ".join([f"“{role.value}”" for role, holds in HOLDS.items() if what in holds])
    return (
        f"You may read, but not {what.sentence}. It takes the role {wanted}; an administrator of this desk can give it."
    )


# The doors for which a rule may ask for a second person, as one goes on after "It takes two people to". Accepting a risk
# takes one by its nature.
DOORS: Final[Mapping[May, str]] = {
    May.REPAIR_RECORD: "repair our record",
    May.LEAVE_UNRESOLVED: "stop here with an unknown outcome",
    May.REPEAT: "have a request repeated",
    May.CLOSE_ORIGINAL: "have an operation closed at the recipient",
    May.AUTHORISE_NEW: "authorise a second operation",
}
# The doors that bring their second person themselves; at any other, one proposes and another signs where a rule asks.
BRING_TWO: Final = frozenset({May.PROPOSE_EXCEPTION, May.APPROVE_EXCEPTION})
ALWAYS_TWO: Final = "Accepting a risk takes two people: one who proposes it, and another who accepts it."


def second_person_needed(door: May, *, recipient: int, amount: Money | None) -> str | None:
    """Return None, or the sentence of the rule by which this door takes a second person here.

    `recipient` is a row id, `amount` what is at stake. Where it is not known, or is of another currency than a rule's,
    it can't be shown to be below it, and the rule holds.
    """
    if door in BRING_TWO:
        return ALWAYS_TWO
    rules = FourEyesRule.objects.filter(door=door.value, ended_at=None).filter(_here(recipient)).order_by("pk")
    for rule in rules:
        if rule.money is None:
            return f"By a rule of this desk it takes two people to {DOORS[door]}."
        if _reaches(rule.money, amount):
            return f"By a rule of this desk it takes two people to {DOORS[door]}, from {rule.money} on."
    return None


def _here(recipient: int) -> Q:
    return Q(recipient=None) | Q(recipient=recipient)


def _reaches(least: Money, amount: Money | None) -> bool:
    return amount is None or amount.currency != least.currency or amount.amount >= least.amount


def not_the_second(person: User, *, first: User) -> str | None:
    """Return None, or the sentence that says why this person can't be the second one."""
    if person.pk == first.pk:
        return "You proposed it yourself; another person has to accept it. Declining it takes it back."
    return None


def not_the_signer(person: User, *, first: User) -> str | None:
    """Return None, or the sentence that says why this person can't sign what `first` proposed; nobody is above it."""
    if person.pk == first.pk:
        return "You proposed it yourself; another person has to sign it. You may take it back."
    return None


def above_limit(person: User, *, recipient: int, exposure: Money | None) -> str | None:
    """Return None, or the sentence that says why accepting this exposure is beyond this person's limit.

    `exposure` is None where it is stated in words. A person's own limit holds in place of their roles', one for this
    recipient in place of one for every recipient; of several alike, the highest. Without a limit nothing is accepted.
    Nobody sets their own limit: one that they set for a role which they hold themselves is for the others.
    """
    limits = [limit for limit in _limits(recipient, exposure) if _is_of(limit, person, recipient=recipient)]
    what = "A risk that is stated in words" if exposure is None else str(exposure)
    if not limits:
        return f"{what} is beyond you: no limit is set for you here. {_who_reaches(recipient, exposure)}"
    if exposure is None:
        return None
    narrowest = max([_narrow(limit) for limit in limits])
    most = max([limit.money.amount for limit in limits if limit.money is not None and _narrow(limit) == narrowest])
    if exposure.amount <= most:
        return None
    return f"{what} is above your limit here, {Money(most, exposure.currency)}. {_who_reaches(recipient, exposure)}"


def _limits(recipient: int, exposure: Money | None) -> Iterable[RiskLimit]:
    currency = "" if exposure is None else exposure.currency
    held = RiskLimit.objects.filter(ended_at=None, currency=currency).filter(_here(recipient))
    return held.select_related("person").order_by("pk")


def _is_of(limit: RiskLimit, person: User, *, recipient: int) -> bool:
    if limit.person_id is not None:
        return limit.person_id == person.pk
    return limit.set_by_id != person.pk and limit.role in roles_of(person, recipient=recipient)


def own_limit(person: User, limit: RiskLimit) -> str | None:
    """Return None, or the sentence that says why this person does not end a limit: it holds for them.

    Without it a wider one may hold, so that ending it could let them accept more; nobody sets their own limit.
    """
    if limit.person_id is not None:
        holds = limit.person_id == person.pk
    else:
        holds = limit.set_by_id != person.pk and _holds_anywhere(person, limit)
    return (
        "This limit holds for you: without it you could accept more. Another administrator ends it." if holds else None
    )


def _holds_anywhere(person: User, limit: RiskLimit) -> bool:
    """Whether somebody holds a limit's role at any recipient that the limit is for."""
    if person.is_superuser:
        return True
    held = RoleGrant.objects.held().filter(person=person, role=limit.role)
    return (held if limit.recipient_id is None else held.filter(_here(limit.recipient_id))).exists()


def _narrow(limit: RiskLimit) -> tuple[bool, bool]:
    return limit.person_id is not None, limit.recipient_id is not None


def _who_reaches(recipient: int, exposure: Money | None) -> str:
    """Say whose limit reaches; the rules page says the rest."""
    reaching = [
        limit
        for limit in _limits(recipient, exposure)
        if exposure is None or (limit.money is not None and limit.money.amount >= exposure.amount)
    ]
    names = [limit.person.username if limit.person is not None else f"role “{limit.role}”" for limit in reaching]
    if not names:
        return "Nobody's limit reaches it; an administrator sets limits on the page of rules."
    return f"It takes somebody whose limit reaches it: {', '.join(dict.fromkeys(names))}."
