"""Two statements of a recipient that cannot both hold, side by side, with the clause they break and what would resolve it.

semantics.md, Conflict: it stays until an observation is found not to count. Nobody picks one here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from escalation.screens.clauses import Clause, history, promises
from escalation.screens.seen import Seen, observations
from escalation.screens.sight import Sight
from operations.core.conflicts import ConflictKind

# Headers by which the recipient finds its own answer again; others may carry what is nobody else's business.
_TRACED: Final = ("date", "request-id", "x-request-id", "x-amzn-requestid", "x-correlation-id")


@dataclass(frozen=True, slots=True)
class Statement:
    """One of the contradicting statements as it came, as it was read, and with its links of the chain (hex)."""

    seen: Seen
    headers: tuple[tuple[str, str], ...]
    payload_sha256: str | None
    observation_digest: str
    reading_digest: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """What the recipient said, twice; `broken` says in words what of the contract can't hold, `clauses` quote it."""

    kind: ConflictKind
    broken: str
    clauses: tuple[Clause, ...]
    statements: tuple[Statement, ...]
    to_resolve: tuple[str, ...]


BROKEN: Final[Mapping[ConflictKind, str]] = {
    ConflictKind.APPLIED_AND_CLOSED: "What a closing covers has not acted and never can. One statement says that this was"
    " closed, another that it happened, and nothing that was sent after the closing accounts for it.",
    ConflictKind.APPLIED_THEN_ABSENT: "What happened stays in the record that was read. One statement says that it"
    " happened, and a later reading of the record does not hold it.",
    ConflictKind.ACTIVE_AFTER_CLOSED: "What a closing covers can no longer act. One statement says that this was closed,"
    " and a later one that it is under way, and nothing that was sent after the closing accounts for it.",
    ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED: "A request that was refused, late copies included, or never left can"
    " set nothing going. Every attempt on our complete record is such a one, and a statement says that it is under way.",
    ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED: "A request that was refused, late copies included, or never"
    " left can bring nothing about. Every attempt on our complete record is such a one, and a statement says that it"
    " happened.",
}
_TO_RESOLVE: Final = (
    "The recipient shows that one of these statements belongs to something else: another request, place or time.",
    "Or the contract turns out to read one of them wrongly: a corrected version reads all of them anew.",
    "A later answer resolves nothing by itself: what was said stays on record, and counts until it is found not to.",
)


def _hex(digest: bytes | memoryview) -> str:
    return bytes(digest).hex()


def _statement(seen: Seen) -> Statement:
    observation = seen.observation
    payload = observation.payload
    return Statement(
        seen=seen,
        headers=tuple([(name, value) for name, value in observation.headers if name.lower() in _TRACED]),
        payload_sha256=None if payload is None else sha256(bytes(payload)).hexdigest(),
        observation_digest=_hex(observation.digest),
        reading_digest=_hex(seen.row.digest),
    )


def _statements(sight: Sight) -> Iterator[Statement]:
    rests_on = frozenset(sight.standing.grounds.evidence.observations)
    grounds = {row.observation_id for index, row in sight.readings if index in rests_on}
    seen, notes = observations(sight)
    found = [one for one in [*seen, *notes] if one.observation.id in grounds]
    yield from [_statement(one) for one in sorted(found, key=lambda one: (one.row.as_of, one.number))]


def conflict(sight: Sight) -> Conflict | None:
    """Return the contradiction of this standing with every statement it rests on, by date; None where there is none."""
    kind = sight.standing.conflict
    if kind is None:
        return None
    terms = tuple(promises(sight, sight.standing.grounds.evidence.terms))
    return Conflict(
        kind=kind,
        broken=BROKEN[kind],
        clauses=terms if kind is not ConflictKind.APPLIED_THEN_ABSENT else (history(sight),),
        statements=tuple(_statements(sight)),
        to_resolve=_TO_RESOLVE,
    )
