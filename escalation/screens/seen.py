"""What was seen and what was sent: observations with their provenance and whether they settle it, attempts, notes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from escalation.screens.clauses import Clause, read_by
from escalation.screens.sight import Sight
from escalation.screens.times import clock
from operations import reading
from operations.contracts.rule import Boundary
from operations.core.facts import Authority, Claim
from operations.core.sifting import WhyNot
from operations.core.standing import Situation

if TYPE_CHECKING:
    from operations import models

SHOWN: Final = 20_000  # characters of a payload that a page carries
PAGE: Final = 50  # observations on a page
MOST_SETTLING: Final = 20  # of those before it, how many that settle it stand on the first page all the same


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation: what it says, whether that settles it and why, and everything that came with it."""

    number: int
    row: "models.Reading"
    about: str
    authority: str
    says: str
    settles: bool
    why: str
    payload: str
    cut: bool
    clause: Clause | None

    @property
    def reaches(self) -> str:
        """How far what it says reaches, in words (the reading's boundary)."""
        return _REACHES.get(self.row.reaches, self.row.reaches)

    @property
    def observation(self) -> "models.Observation":
        """The raw thing."""
        return self.row.observation


# An observation: its number on the page, its index in the facts, and its reading.
_Told: TypeAlias = "tuple[int, int, models.Reading]"


@dataclass(frozen=True, slots=True)
class Sent:
    """One attempt and what is known of it."""

    row: "models.Attempt"
    fate: str


_REACHES: Final[Mapping[str, str]] = {
    Boundary.TRANSPORT: "the wire: anything on the way could have written it",
    Boundary.ACCEPTED: "the recipient's door: the request was admitted",
    Boundary.HANDLER_FINISHED: "the recipient's work: the request was handled",
    Boundary.PROTECTED_EFFECT: "the effect itself",
}
SAYS: Final[Mapping[str, str]] = {
    Claim.APPLIED: "it happened",
    Claim.CLOSED: "ended without effect",
    Claim.ABSENT: "not there",
    Claim.PENDING: "under way",
    Claim.ACCEPTED: "request admitted",
    Claim.ATTEMPT_REFUSED: "this attempt refused",
    Claim.INDETERMINATE: "nothing clear",
    Claim.NOT_SENT: "nothing was sent",
    Claim.PROTECTION_UNTIL: "request number kept",
    Claim.PROTECTION_LOST: "request number no longer kept",
}
_COUNTS_BUT: Final[Mapping[str, str]] = {
    Claim.CLOSED: "A closing covers what was sent before it; something may have been sent after.",
    Claim.ABSENT: "Not there then; what was sent may still act.",
    Claim.PENDING: "Under way can end either way.",
    Claim.ACCEPTED: "Admitted is not done.",
    Claim.ATTEMPT_REFUSED: "It speaks of one attempt; others, or copies, may act.",
    Claim.NOT_SENT: "It speaks of one attempt; others may act.",
    Claim.PROTECTION_UNTIL: "It speaks of the request number, not of the effect.",
    Claim.PROTECTION_LOST: "It speaks of the request number, not of the effect.",
}
_OVERRULED: Final = "The recipient's own word shows otherwise."


def says(row: "models.Reading") -> str:
    """Return what a reading says, in words."""
    word = SAYS.get(row.says, row.says)
    if row.says == Claim.ATTEMPT_REFUSED and row.covers_copies:
        return f"{word}, late copies too"
    return f"{word}: {', '.join(row.effect_refs)}" if row.effect_refs else word


def _text(payload: bytes | memoryview | None) -> str:
    return "" if payload is None else bytes(payload).decode("utf-8", errors="backslashreplace")


@dataclass(frozen=True, slots=True)
class _Judged:
    """What of an operation's standing says whether an observation settles it, gathered once for all of them."""

    sight: Sight
    why_not: Mapping[int, WhyNot]
    grounds: frozenset[int]


def _judged(sight: Sight) -> _Judged:
    return _Judged(sight, dict(sight.standing.not_counted), frozenset(sight.standing.grounds.evidence.observations))


def _why(judged: _Judged, row: "models.Reading", index: int) -> tuple[bool, str]:
    standing = judged.sight.standing
    if row.says == Claim.INDETERMINATE:
        return False, row.because
    if index in judged.why_not:
        return False, judged.why_not[index].sentence
    if index in standing.weighed.went.overruled:
        return False, _OVERRULED
    if standing.situation is Situation.CONFLICT and index in judged.grounds:
        return False, "It contradicts another statement that counts as much."
    if row.says == Claim.APPLIED:
        return standing.situation is Situation.APPLIED, "It is a receipt: the recipient's own word for this request."
    if index in judged.grounds and standing.situation is not Situation.OPEN:
        return True, "It is a final answer: " + row.because
    return False, _COUNTS_BUT.get(row.says, row.because)


def _seen(judged: _Judged, number: int, index: int, row: "models.Reading") -> Seen:
    sight = judged.sight
    channel = sight.document.channels.get(row.observation.channel)
    settles, why = _why(judged, row, index)
    text = _text(row.observation.payload)
    return Seen(
        number=number,
        row=row,
        about="" if channel is None else channel.about,
        authority="none" if channel is None else channel.authority,
        says=says(row),
        settles=settles,
        why=why,
        payload=text[:SHOWN],
        cut=len(text) > SHOWN or row.observation.truncated,
        clause=read_by(row, name=sight.operation.recipient.name),
    )


def _each(sight: Sight) -> list[_Told]:
    """Return every observation once, the newest first."""
    names = sight.names
    found: dict[int, tuple[int, int, models.Reading]] = {}
    for index, row in sight.readings:
        found.setdefault(names[row.observation_id], (names[row.observation_id], index, row))
    return [found[number] for number in sorted(found, reverse=True)]


def _is_note(sight: Sight, told: _Told) -> bool:
    """Whether it is somebody's words: never evidence, shown apart."""
    row = told[2].observation
    channel = sight.document.channels.get(row.channel)
    nobodys = channel is None or channel.authority == Authority.NONE
    return bool(row.words) or (nobodys and row.status is None)


def observations(sight: Sight) -> tuple[list[Seen], list[Seen]]:
    """Return the observations, newest first, and the notes apart from them."""
    judged, found = _judged(sight), _each(sight)
    seen = [_seen(judged, *one) for one in found if not _is_note(sight, one)]
    return seen, [_seen(judged, *one) for one in found if _is_note(sight, one)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the observations, newest first, and the notes; `count` there are, `settling` of them settle it.

    `older` is the number before which the next page begins, None where it ends; `newest` is the newest of all, and
    `later` says that this page is not the first.
    """

    seen: tuple[Seen, ...]
    notes: tuple[Seen, ...]
    count: int
    settling: int
    older: int | None
    newest: Seen | None
    later: bool


def page(sight: Sight, *, before: int | None) -> Page:
    """Return the page of those before a number (None: the newest), read with no more answers than it shows.

    What settles it stands on the first page, however old it is.
    """
    judged, each = _judged(sight), _each(sight)
    told = [one for one in each if not _is_note(sight, one)]
    notes = [one for one in each if _is_note(sight, one)][:PAGE]
    settling = [one for one in told if _why(judged, one[2], one[1])[0]]
    upto = [one for one in told if before is None or one[0] < before]
    shown, more = upto[:PAGE], upto[PAGE:]
    if before is None and more:
        shown += [one for one in settling if one[0] <= more[0][0]][:MOST_SETTLING]
    reading.fetch_answers([row for _, _, row in [*shown, *notes, *told[:1]]])
    return Page(
        seen=tuple([_seen(judged, *one) for one in shown]),
        notes=tuple([_seen(judged, *one) for one in notes]),
        count=len(told) + sight.read.left_out,
        settling=len(settling),
        older=upto[PAGE - 1][0] if more else None,
        newest=_seen(judged, *told[0]) if told else None,
        later=before is not None,
    )


def fate_of(sight: Sight, attempt: str) -> str:
    """Return what is known of one attempt."""
    said, went = sight.standing.weighed.said, sight.standing.weighed.went
    if attempt in went.unsent:
        return "Never left: not one byte was written."
    if attempt in said.refused:
        return "Refused; copies that come late are refused too."
    if sight.standing.situation is Situation.CLOSED:
        return "Closed by the recipient: it can no longer act."
    return (
        "May have acted, and may still act." if sight.standing.situation is not Situation.APPLIED else "May have acted."
    )


def attempts(sight: Sight) -> list[Sent]:
    """Return the attempts, newest first."""
    return [Sent(row, fate_of(sight, row.attempt)) for row in reversed(sight.attempts)]


def last_act(sight: Sight) -> str:
    """Return what was recorded last, in a few words with its time."""
    sent, read = sight.attempts[-1:], [row for _, row in sight.readings[-1:]]
    if sent and (not read or sent[0].position > read[0].position):
        return f"attempt {sent[0].number} begun {clock(sent[0].begun_at, now=sight.now)}"
    if not read:
        return "nothing was sent"
    row = read[0]
    if row.observation.words:
        return f"words of {row.observation.source}, {clock(row.observation.received_at, now=sight.now)}"
    return f"{row.observation.channel}, {clock(row.observation.received_at, now=sight.now)}: {says(row)}"
