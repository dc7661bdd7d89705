"""What a tool call comes back with: stable JSON that a model may read and only code writes.

The words are those of docs/semantics.md. What the desk did not say is not made up: without its word the effect is
unknown, nothing is permitted, and `known_by` says that only the journal was asked.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from unresolved.kept import Begun, Known
from unresolved.request import Bound, Reply
from unresolved.words import MEANS, Next, Sent

LONGEST_REPLY: Final = 20_000  # characters of an answer that a model is shown
_STANDING: Final = ("evidence", "finality", "protection", "conflict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The outcome of a guarded call. `next` is the word to act on; see `words.Next`.

    `links` is there where something in it was owed to the agent (`results.fetched`): so much of the desk's record it covers.
    `successor` is the operation that carries the intent now, `closing` the request that would end this one: whoever is to
    send one of them calls `carry_out` with its id.
    """

    operation: str | None
    number: int | None = None
    identity: str
    tool: str
    bound_arguments: Any
    protected_effect: str | None = None
    attempt: str | None
    evidence: str = "unknown"
    finality: str = "unestablished"
    protection: str = "unestablished"
    protection_until: str | None = None
    conflict: bool = False
    observations: list[dict[str, Any]] = field(default_factory=list)
    permitted: list[str] = field(default_factory=list)
    refusals: dict[str, Any] = field(default_factory=dict)
    sent: Sent
    successor: dict[str, Any] | None = None
    closing: dict[str, Any] | None = None
    next: Next
    means: str
    look_again_at: str | None = None
    reason: str | None = None
    reply: dict[str, Any] | None = None
    links: int | None = None
    known_by: str

    def as_dict(self) -> dict[str, Any]:
        """Return it ready for JSON; every key is always there."""
        return asdict(self)

    def as_text(self) -> str:
        """Return it as the text of a tool's output."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False)


def from_journal(
    of: Known,
    attempt: Begun | None,
    *,
    next_word: Next,
    operation: str | None = None,
    reason: str | None = None,
    reply: Reply | None = None,
) -> Envelope:
    """Return what the journal knows of an operation."""
    return Envelope(
        operation=operation,
        identity=of.identity,
        tool=of.tool,
        bound_arguments=_arguments(of.arguments),
        attempt=None if attempt is None else attempt.id,
        sent=Sent.UNKNOWN if attempt is None else attempt.sent,
        next=next_word,
        means=MEANS[next_word],
        reason=reason,
        reply=None if reply is None else shown(reply),
        known_by="journal",
    )


def from_call(
    bound: Bound, attempt: Begun | None, *, next_word: Next, tool: str, reason: str, reply: Reply | None = None
) -> Envelope:
    """Return what is known of a call that no journal holds as an operation; without an attempt nothing was sent."""
    return Envelope(
        operation=None,
        identity=bound.identity,
        tool=tool,
        bound_arguments=_arguments(bound.arguments),
        attempt=None if attempt is None else attempt.id,
        sent=Sent.NO if attempt is None else attempt.sent,
        next=next_word,
        means=MEANS[next_word],
        reason=reason,
        reply=None if reply is None else shown(reply),
        known_by="journal",
    )


def _arguments(arguments: bytes | None) -> Any:
    return None if arguments is None else json.loads(arguments)


def from_desk(
    whole: Mapping[str, Any],
    of: Known,
    attempt: Begun | None,
    *,
    grant: Mapping[str, Any] | None,
    reason: str | None = None,
    reply: Reply | None = None,
) -> Envelope:
    """Return what the desk has on record and infers, now."""
    standing = whole["standing"]
    word = next_of(standing, granted=grant is not None)
    left = _left(standing)
    return Envelope(
        operation=str(whole["id"]),
        number=whole["number"],
        identity=of.identity,
        tool=of.tool,
        bound_arguments=_arguments(of.arguments),
        protected_effect=whole["effect"],
        attempt=None if attempt is None else attempt.id,
        **{name: standing[name] for name in _STANDING},
        protection_until=standing["protection_until_iso"],
        observations=[_observation(one) for one in whole["observations"]],
        permitted=standing["permitted"],
        refusals=standing["refusals"],
        sent=Sent.UNKNOWN if attempt is None else attempt.sent,
        successor=_successor(standing),
        closing=_named(standing, "closed_by"),
        next=word,
        means=MEANS[word],
        look_again_at=None if left is None or word is not Next.LEFT_UNRESOLVED else left["look_again_at_iso"],
        reason=reason,
        reply=None if reply is None else shown(reply),
        known_by="desk",
    )


def next_of(standing: Mapping[str, Any], *, granted: bool) -> Next:
    """Return the word to act on; what is established goes before what was decided, and a grant before what is left."""
    if standing["evidence"] == "applied":
        return Next.APPLIED
    if _successor(standing) is not None:
        return Next.SUPERSEDED
    if granted:
        return Next.REPEAT_GRANTED
    if standing["finality"] == "excluded":
        return Next.CLOSED if _refused_as(standing, "repeat") == "settled" else Next.NOT_SENT
    return Next.LEFT_UNRESOLVED if _left(standing) is not None else Next.HELD


def _refused_as(standing: Mapping[str, Any], action: str) -> str | None:
    refusal = standing["refusals"].get(action)
    return None if refusal is None else str(refusal["kind"])


def _successor(standing: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the operation that carries the intent now; one that ended without effect carries it no more.

    Of the refusals that of a new operation says so before any other reason but that the effect is there (semantics.md,
    Permitted actions).
    """
    return _named(standing, "superseded_by") if _refused_as(standing, "propose_new") == "successor" else None


def _named(standing: Mapping[str, Any], link: str) -> dict[str, Any] | None:
    """Return the newest operation that a decision names."""
    named = [one[link] for one in standing["decisions"] if one[link] is not None]
    return {name: named[-1][name] for name in ("operation", "number", "identity")} if named else None


def _left(standing: Mapping[str, Any]) -> Mapping[str, Any] | None:
    left = [one for one in standing["decisions"] if one["says"] == "left_unresolved" and one["stands"]]
    return left[-1] if left else None


def _observation(one: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: one[name] for name in ("channel", "authority", "says", "as_of", "counts")}
    return {**told, "digest": one["payload_sha256"]}


def shown(reply: Reply) -> dict[str, Any]:
    """Return an answer as a model may read it: what the recipient said, which proves nothing by itself."""
    text = reply.body[:LONGEST_REPLY].decode(errors="replace")
    return {"status": reply.status, "body": text, "truncated": reply.truncated or len(reply.body) > LONGEST_REPLY}
