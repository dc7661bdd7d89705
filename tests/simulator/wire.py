"""The wire between a client and the simulated recipient, where a request or a reply gets lost.

A `Story` sends attempts over a wire that loses something, asks what can be asked afterwards, and keeps two books: the
facts as they are on record, and what really happened. Every story has ids of its own; `without_ids` takes them out.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from operations.core.facts import (
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    Contract,
    Correlation,
    Event,
    Facts,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
)
from tests.simulator.recipient import Answers, Copy, Recipient, Store, Submission, World

LAG: Final = 100.0  # seconds by which the copy of the record lags behind
TIMEOUT: Final = 30.0  # seconds after which the client stops waiting for a reply
CHANNELS: Final = {
    "ledger": Channel(authority=Authority.HISTORY, reads=Reads.STRONG),
    "copy of the ledger": Channel(authority=Authority.HISTORY, reads=Reads.EVENTUAL),
    "reply": Channel(authority=Authority.HISTORY, reads=Reads.UNORDERED, pollable=False),
    "gateway": Channel(authority=Authority.TRANSPORT),
    "client": Channel(authority=Authority.CLIENT),
}


@dataclass(slots=True)
class Story:
    """One run: `loses` is what the wire loses of the first attempt, "request" or "reply"."""

    loses: str
    terms: ProtectionTerms
    store: Store | None
    events: list[Event] = field(default_factory=list)
    submissions: list[Submission] = field(default_factory=list)

    def send(self, at: float, *, copies: tuple[Copy, ...]) -> str:
        """Record an attempt, send it, and return its id."""
        name = f"{self.loses}-lost-{len(self.submissions) + 1}"
        self.events.append(Attempt(at=at, id=name, sends=Sends.ONE, scope="live"))
        self.submissions.append(Submission(name, at, copies))
        return name

    def first(self) -> None:
        """Send the first attempt at 0 and lose its request, or the reply to it, at 1; the client waits in vain."""
        copies = () if self.loses == "request" else (Copy(1, acts=1),)
        name = self.send(0, copies=copies)
        self.learn(TIMEOUT, "client", "indeterminate", attempt=name)

    def learn(self, at: float, channel: str, says: str, *, attempt: str | None = None) -> None:
        """Put an observation on record."""
        self.events.append(
            Observation(
                at=at,
                channel=channel,
                says=says,
                attempt=attempt,
                authentic=True,
                correlation=Correlation.OPERATION,
            )
        )

    def read(self, at: float, channel: str, *, lag: float = 0) -> None:
        """Ask a channel, which answers as the record stood `lag` seconds ago."""
        applied = Answers(Recipient(self.world)).applied(at - lag)
        self.learn(at, channel, "applied" if applied else "absent")

    @property
    def world(self) -> World:
        """What really happened so far."""
        return World(tuple(self.submissions), self.store)

    @property
    def facts(self) -> Facts:
        """What is on record."""
        contract = Contract(protection=self.terms, closure=Closure(covers=ClosureCovers.IDENTITY), channels=CHANNELS)
        operation = Operation(attempts_complete=True, identity_known=True)
        return Facts(contract=contract, operation=operation, events=tuple(self.events))

    @property
    def effects(self) -> int:
        """How many effects there really are."""
        return len(Recipient(self.world).effects)


FollowUp = Callable[[Story], None]


def nothing_more(story: Story) -> None:
    """The client is left with its timeout."""


def the_gateway_answers(story: Story) -> None:
    """A gateway in between answers for the recipient that it does not know."""
    story.learn(40, "gateway", "indeterminate")


def a_lagging_copy_is_read(story: Story) -> None:
    """A copy of the record is asked which does not hold the last hundred seconds yet."""
    story.read(60, "copy of the ledger", lag=LAG)


def a_repeat_is_lost_too(story: Story) -> None:
    """The identical request goes out once more, and nothing comes back."""
    name = story.send(35, copies=())
    story.learn(35 + TIMEOUT, "client", "indeterminate", attempt=name)


def a_repeat_gets_an_answer_that_settles_nothing(story: Story) -> None:
    """The identical request goes out once more; the recipient answers with an error that tells nothing."""
    name = story.send(35, copies=(Copy(36),))
    story.learn(37, "reply", "indeterminate", attempt=name)


def a_repeat_is_turned_away_for_now(story: Story) -> None:
    """The identical request goes out once more; the recipient is busy and says so of this request alone."""
    name = story.send(35, copies=(Copy(36),))
    story.learn(37, "reply", "attempt_refused", attempt=name)
    story.read(60, "copy of the ledger", lag=LAG)


FOLLOW_UPS: Final[tuple[FollowUp, ...]] = (
    nothing_more,
    the_gateway_answers,
    a_lagging_copy_is_read,
    a_repeat_is_lost_too,
    a_repeat_gets_an_answer_that_settles_nothing,
    a_repeat_is_turned_away_for_now,
)


def told(loses: str, terms: ProtectionTerms, store: Store | None, follow_up: FollowUp) -> Story:
    """Run a story to its end."""
    story = Story(loses, terms, store)
    story.first()
    follow_up(story)
    return story


def without_ids(facts: Facts) -> Facts:
    """Return the facts with each attempt called by its place among the attempts."""
    names = {attempt.id: f"a{place}" for place, attempt in enumerate(facts.attempts, start=1)}
    events = [
        replace(event, id=names[event.id])
        if isinstance(event, Attempt)
        else replace(event, attempt=names.get(event.attempt or ""))
        for event in facts.events
        if isinstance(event, Attempt | Observation)
    ]
    return replace(facts, events=tuple(events))
