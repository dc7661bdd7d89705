"""Facts in few words: attempts are sent once, observations count, the record is complete, and a repeat is protected.

A test then states only what it is about. Times are seconds.
"""

from typing import Any, Final

from operations.core.facts import (
    Attempt,
    Authority,
    Channel,
    Claim,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    Event,
    Facts,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Seconds,
    Sends,
    Successor,
    SuccessorState,
)
from operations.core.standing import Standing, infer
from operations.core.weighed import Weighed

NOW: Final = 100
CHANNELS: Final = {
    "ledger": Channel(authority=Authority.HISTORY, reads=Reads.STRONG),
    "list": Channel(authority=Authority.CURRENT, reads=Reads.STRONG),
    "search": Channel(authority=Authority.DERIVED, reads=Reads.EVENTUAL, positive_is_conclusive=True),
    "hints": Channel(authority=Authority.DERIVED, reads=Reads.EVENTUAL),
    "webhook": Channel(authority=Authority.HISTORY, reads=Reads.UNORDERED, pollable=False),
    "gateway": Channel(authority=Authority.TRANSPORT),
    "client": Channel(authority=Authority.CLIENT, pollable=False),
    "note": Channel(authority=Authority.NONE, pollable=False),
}
# Protected for 1000 s less 10 s.
PROTECTED: Final[dict[str, Any]] = {
    "mechanism": Mechanism.KEY,
    "guaranteed_for": 1000,
    "margin": 10,
    "covers": Covers.EVERY_OUTCOME,
    "concurrent_use": ConcurrentUse.PROTECTED,
}


def attempt(at: Seconds = 0, name: str = "a1", *, sends: Sends = Sends.ONE, scope: str = "live") -> Attempt:
    return Attempt(at=at, id=name, sends=sends, scope=scope)


def said(says: str, at: Seconds, *, channel: str = "ledger", **more: Any) -> Observation:
    values = {"authentic": True, "correlation": Correlation.OPERATION, **more}
    return Observation(at=at, channel=channel, says=says, **values)


def applied(at: Seconds, **more: Any) -> Observation:
    return said(Claim.APPLIED, at, **more)


def closed(at: Seconds, **more: Any) -> Observation:
    return said(Claim.CLOSED, at, **more)


def absent(at: Seconds, **more: Any) -> Observation:
    return said(Claim.ABSENT, at, **more)


def pending(at: Seconds, **more: Any) -> Observation:
    return said(Claim.PENDING, at, **more)


def accepted(at: Seconds, **more: Any) -> Observation:
    return said(Claim.ACCEPTED, at, **more)


def refused(at: Seconds, name: str = "a1", *, covers_copies: bool = True, **more: Any) -> Observation:
    return said(Claim.ATTEMPT_REFUSED, at, attempt=name, covers_copies=covers_copies, **more)


def not_sent(at: Seconds, name: str = "a1", **more: Any) -> Observation:
    return said(Claim.NOT_SENT, at, channel="client", attempt=name, **more)


def kept(at: Seconds, *, until: Seconds | None, **more: Any) -> Observation:
    return said(Claim.PROTECTION_UNTIL, at, until=until, **more)


def lost(at: Seconds, **more: Any) -> Observation:
    return said(Claim.PROTECTION_LOST, at, **more)


def successor(at: Seconds = 0, name: str = "s1", *, state: SuccessorState = SuccessorState.OPEN) -> Successor:
    return Successor(at=at, id=name, state=state)


def facts(
    *events: Event,
    sealed: bool = True,
    known: bool = True,
    scope: str | None = None,
    closure: ClosureCovers = ClosureCovers.EARLIER_ATTEMPTS,
    channels: dict[str, Channel] = CHANNELS,
    **terms: Any,
) -> Facts:
    """Return facts with these terms of protection beside those of `PROTECTED`."""
    return Facts(
        contract=Contract(
            protection=ProtectionTerms(**{**PROTECTED, **terms}),
            closure=Closure(covers=closure),
            channels=channels,
        ),
        operation=Operation(attempts_complete=sealed, identity_known=known, repeat_scope=scope),
        events=events,
    )


def standing(*events: Event, now: Seconds = NOW, **more: Any) -> Standing:
    return infer(facts(*events, **more), now=now)


def weighed(*events: Event, now: Seconds = NOW, **more: Any) -> Weighed:
    return standing(*events, now=now, **more).weighed
