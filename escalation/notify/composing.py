"""What a notice says: the effect, the three answers, the time left and where to go, as it stands when it is sent.

A notice is read later than it is written, so its times carry their date, never "today". What others wrote is made one
line here; each way escapes it for its medium.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.urls import reverse

from escalation.access.confirming import LASTS, link_token
from escalation.cases.attending import is_open
from escalation.models import Case, Telling
from escalation.models.case import BY_WORD
from escalation.models.notice import KINDS, Kind
from escalation.notify.message import MOST_ROWS, Answered, Message, Told
from escalation.notify.plain import told
from escalation.notify.readers import Reader, why
from escalation.screens.answers import answers
from escalation.screens.sight import Sight, is_established, sight_of
from escalation.screens.times import distance
from operations import reading

if TYPE_CHECKING:
    from operations.models import Operation

LONGEST_EFFECT = 300
_UNTIL = "Yes, until "
_AFTER_QUIET = "It came up inside {whose} quiet hours and waited for their end."
_ANYWAY = "You get this inside {whose} quiet hours: after them it would be too late."
_AGAIN = "This desk doesn't know whether this reached you before; it is the same message."


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """The circumstances of one notice: under which id, to whom, when; `anyway` and `waited` are about quiet hours."""

    id: UUID
    reader: Reader
    now: datetime
    anyway: bool = False
    waited: bool = False
    again: bool = False


def ends_at(operation: "Operation", *, now: datetime) -> datetime | None:
    """Return when the first of protection and deadline ends that can still be acted before; None: neither does."""
    if not is_open(operation):
        return None
    window = operation.protection_until if operation.protection == "active" else None
    return min([at for at in (operation.deadline, window) if at is not None and at > now], default=None)


def stamp(at: datetime, *, zone: ZoneInfo) -> str:
    """Return a time as it is read on any day: "30 Nov 14:41 UTC", and by the reader's own clock where that is another."""
    there = at.astimezone(UTC)
    written = f"{there.day} {there:%b %H:%M} UTC"
    here = at.astimezone(zone)
    if here.utcoffset() == there.utcoffset():
        return written
    return f"{written} ({here.day} {here:%b %H:%M} {zone.key})"


def composed(some: Sequence[Telling], *, on: Occasion) -> Message:
    """Return the notice about these, which are of one kind and, but for tests and links to confirm by, of one recipient."""
    kind = KINDS[some[0].kind]
    if kind is Kind.TEST:
        return _test(some[0], on)
    if kind is Kind.CONFIRM:
        return _confirm(some[0], on)
    cases = _soonest([one.case for one in some if one.case is not None], now=on.now)
    if len(cases) > 1:
        return _group(kind, cases, some, on)
    return _single(kind, cases[0], some[0], on)


def _soonest(cases: Sequence[Case], *, now: datetime) -> list[Case]:
    """Return each case once, what ends first before what ends later or never."""
    each = {case.pk: case for case in cases}.values()
    ends = {case.pk: ends_at(case.operation, now=now) for case in each}
    return sorted(each, key=lambda case: (ends[case.pk] is None, ends[case.pk] or now, case.operation.number))


def _test(telling: Telling, on: Occasion) -> Message:
    sentence = "This is a test. If you read it, this desk reaches you here; nothing has to be done."
    return Message(
        id=on.id,
        kind=Kind.TEST,
        at=on.now,
        subject="Can this desk reach you?",
        lead=(sentence,),
        link=_url(reverse("notices")),
        link_name="Open the log of notices",
        why=why(telling),
    )


def _confirm(telling: Telling, on: Occasion) -> Message:
    """Say nothing of the desk's operations: who reads this may be anybody."""
    address = telling.address
    assert address is not None  # noqa: S101  # the database has no link to confirm by without one
    path = reverse("confirm_address", args=[link_token(address, now=on.now)])
    link = _url(path)
    until = stamp(on.now + LASTS, zone=on.reader.zone)
    whom = f"The team {told(address.team.name)}" if address.team is not None else told(str(address.person))
    return Message(
        id=on.id,
        kind=Kind.CONFIRM,
        at=on.now,
        subject="Confirm this address",
        lead=(
            f"{whom} is to be told at this address when this desk needs a person. Nothing is told here before it is confirmed.",
            f"Whoever it is for opens the link until {until}, signs in, and presses the button there.",
            *(() if link else (f"At the address of the desk its page is {path}",)),
            "If nobody here knows of it, nothing has to be done.",
        ),
        link=link,
        link_name="Confirm this address" if link else "",
        why=why(telling),
    )


def _single(kind: Kind, case: Case, telling: Telling, on: Occasion) -> Message:
    sight = _sight(case, now=on.now)
    one = _told(sight, case, on)
    ends = ends_at(case.operation, now=on.now)
    by = "A person is needed" if ends is None else f"Act before {stamp(ends, zone=on.reader.zone)}"
    subject = f"{by}: {one.effect}" if kind is Kind.CALL else f"{_settled(sight)}: {one.effect}"
    return Message(
        id=on.id,
        kind=kind,
        at=on.now,
        subject=subject,
        lead=(*_lead(kind, case, sight), *_circumstances(on)),
        about=(one,),
        count=1,
        link=one.link,
        link_name=f"Open operation {one.number}",
        why=why(telling),
        data=_data([telling]),
    )


def _group(kind: Kind, cases: Sequence[Case], some: Sequence[Telling], on: Occasion) -> Message:
    name = told(cases[0].recipient.name, most=100)
    first = ends_at(cases[0].operation, now=on.now)
    what = f"{len(cases)} operations at {name}"
    lapses = "a person is needed" if first is None else f"first lapses {stamp(first, zone=on.reader.zone)}"
    subject = f"{what}, {lapses}" if kind is Kind.CALL else f"{what} need nobody any more"
    named = cases[:MOST_ROWS]
    lead = f"{what} {'wait for a person' if kind is Kind.CALL else 'need nobody any more'}. These end first:"
    return Message(
        id=on.id,
        kind=kind,
        at=on.now,
        subject=subject,
        lead=(lead if kind is Kind.CALL else f"{lead.partition('.')[0]}. Some of them:", *_circumstances(on)),
        about=tuple([_told(_sight(case, now=on.now), case, on) for case in named]),
        count=len(cases),
        link=_url(f"{reverse('queue')}?{urlencode({'recipient': cases[0].recipient.key})}"),
        link_name=f"Open the queue of {name}",
        why=why(some[0]),
        data=_data(some),
    )


def _sight(case: Case, *, now: datetime) -> Sight:
    read = reading.operation(case.operation_id)
    return sight_of(read, read.operation.completions.order_by("position").last(), now=now)


def _told(sight: Sight, case: Case, on: Occasion) -> Told:
    operation = sight.operation
    until = reading.moment(sight.standing.protection_until)
    happened, still, safe = answers(sight)
    word = safe.word
    if until is not None and word.startswith(_UNTIL):
        word = _UNTIL + stamp(until, zone=on.reader.zone)
    return Told(
        number=operation.number,
        effect=told(operation.effect, most=LONGEST_EFFECT),
        recipient=told(case.recipient.name, most=100),
        answers=(
            Answered(question=happened.question, word=happened.word),
            Answered(question=still.question, word=still.word),
            Answered(question=safe.question, word=word),
        ),
        time=_time(operation, on),
        link=_url(reverse("operation", args=[operation.number])),
    )


def _time(operation: "Operation", on: Occasion) -> str:
    if not is_open(operation):
        return "none is needed; the outcome is known"
    ends = ends_at(operation, now=on.now)
    if ends is not None:
        return f"act before {stamp(ends, zone=on.reader.zone)}, {distance(ends, now=on.now)}"
    if operation.deadline is not None:
        return f"the deadline was {stamp(operation.deadline, zone=on.reader.zone)}, {distance(operation.deadline, now=on.now)}"
    return "no end is known"


def _lead(kind: Kind, case: Case, sight: Sight) -> tuple[str, ...]:
    where = f"Operation {sight.operation.number} at {told(case.recipient.name, most=100)}."
    if kind is Kind.SETTLED:
        return (where, "Nobody is needed any more.")
    reasons = case.reasons.filter(ended_at=None).order_by("since", "pk").values_list("reason", flat=True)
    owner = "Nobody looks after it yet." if case.owner is None else f"{told(case.owner.username)} looks after it."
    return (where, *[BY_WORD[word].sentence for word in reasons], owner)


def _settled(sight: Sight) -> str:
    return "Settled" if is_established(sight.standing) else "Nobody is needed any more"


def _circumstances(on: Occasion) -> tuple[str, ...]:
    said = {_ANYWAY: on.anyway, _AFTER_QUIET: on.waited, _AGAIN: on.again}
    return tuple([sentence.format(whose=on.reader.whose) for sentence, holds in said.items() if holds])


def _data(some: Sequence[Telling]) -> dict[str, object]:
    """What programs know it by: the operations, and which step of which round called for each."""
    calls = [one.call for one in some if one.call is not None]
    return {
        "numbers": sorted({one.case.operation.number for one in some if one.case is not None}),
        "calls": [{"case": call.case_id, "round": call.round, "step": call.step} for call in calls],
    }


def _url(path: str) -> str:
    return settings.PUBLIC_URL.rstrip("/") + path if settings.PUBLIC_URL else ""
