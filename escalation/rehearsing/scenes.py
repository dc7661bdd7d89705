"""The counterexample schedule: what an agent does and learns, and in which ways the desk can make each history of it so.

A scene is all that the agent knows; its ways can't be told apart from where it stands. Each way names the history that
it makes so. What comes unseen afterwards is part of the way.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from escalation.rehearsing.agent import Agent
from escalation.rehearsing.desk import KEY, OTHER, Desk
from operations.core.facts import Seconds
from operations.core.histories import HistoryKind

H = HistoryKind
Stage = Callable[[Desk], None]


def nothing(_: Desk) -> None:
    """The desk does as it always does."""


def told(**instruction: Any) -> Stage:
    """Return a stage: the desk is told what to do with the next request under the agent's number."""
    return lambda desk: desk.tell(key=KEY, **instruction)


def each(*stages: Stage) -> Stage:
    """Return one stage after the other: the first instruction meets the first attempt."""

    def all_of_them(desk: Desk) -> None:
        for stage in stages:
            stage(desk)

    return all_of_them


def somebody_else(stage: Stage, **instruction: Any) -> Stage:
    """Return a stage: another writer, which has not sealed its record, asks for the same under a number of its own."""

    def first(desk: Desk) -> None:
        stage(desk)
        desk.tell(key=OTHER, **{"reply": "lost", **instruction})
        desk.ask_for_ticket(OTHER)

    return first


LOST, REPLY_LOST, IN_WORK = told(request="lost"), told(reply="lost"), told(work="held")
ON_ITS_WAY, COMES_AND_IS_IN_WORK = told(request="held"), told(request="held", work="held")
FAILED_BEFORE = told(handling="fail_before", reply="lost")
FAILED_AFTER = told(handling="fail_after", reply="lost")
ACCEPTED = told(handling="accept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to make a history so: what the desk is told before, and what comes unseen after the agent's part.

    `unseen` is `issue` or `fail_before` for what was accepted for later, or `arrives`: the first that is held goes on;
    `copies`: late copies of everything arrive in the end. `most`: its effects are the most that the history allows.
    `only_on`: terms without which a desk can't do it. `unheard`: what the history is to somebody for whom the answer
    that sets it apart says nothing.
    """

    history: HistoryKind
    words: str
    stage: Stage
    unseen: str = ""
    copies: bool = False
    most: bool = True
    only_on: Mapping[str, str] = field(default_factory=dict)
    unheard: HistoryKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What the agent does, and the ways in which the desk may have done its part.

    `acts` is told the time (seconds) after which a number is no longer kept. `unplayed` are histories that the desk
    can't make so here; they are played in another scene. `grows_old`: the last report is left to grow stale.
    """

    name: str
    acts: Callable[[Agent, Seconds], None]
    ways: tuple[Way, ...]
    sealed: bool = True
    repeats_as: str = "one"
    grows_old: bool = False
    unplayed: frozenset[HistoryKind] = frozenset()


def never(_: Agent, __: Seconds) -> None:
    """The agent has not sent anything yet."""


def not_connected(agent: Agent, _: Seconds) -> None:
    """Nobody listened: not one byte was written."""
    agent.fail_to_connect()


def once(agent: Agent, _: Seconds) -> None:
    """One attempt."""
    agent.attempt()


def twice(agent: Agent, _: Seconds) -> None:
    """Two attempts, one soon after the other."""
    agent.attempt()
    agent.attempt()


def once_and_ask(agent: Agent, _: Seconds) -> None:
    """One attempt, and the record is asked."""
    agent.attempt()
    agent.ask()


def close(agent: Agent, _: Seconds) -> None:
    """One attempt, then the operation is closed and the record is asked."""
    agent.attempt()
    agent.desk.close(KEY)
    agent.ask()


def lapse(agent: Agent, window: Seconds) -> None:
    """One attempt, and then nothing until its number is no longer kept."""
    agent.attempt()
    agent.desk.advance(window)


UNKNOWN_ONE: Final = (
    Way(history=H.REQUEST_LOST, words="the request is lost on its way", stage=LOST),
    Way(history=H.REQUEST_LOST, words="it fails without a ticket, unheard", stage=FAILED_BEFORE, most=False),
    Way(history=H.UNDER_WAY, words="it is in work", stage=IN_WORK),
    Way(history=H.UNDER_WAY, words="it is on its way and comes last", stage=ON_ITS_WAY, most=False),
    Way(history=H.REPLY_LOST, words="the ticket is issued, the reply is lost", stage=REPLY_LOST),
    Way(history=H.REPLY_LOST, words="the ticket is issued, then an error is lost", stage=FAILED_AFTER, most=False),
)
TWICE: Final = (
    Way(history=H.REQUEST_LOST, words="both are lost on their way", stage=each(LOST, LOST)),
    Way(history=H.UNDER_WAY, words="one is in work, one is lost", stage=each(IN_WORK, LOST)),
    Way(history=H.REPLY_LOST, words="one acts, one is lost", stage=each(REPLY_LOST, LOST)),
    Way(history=H.ACTED_TWICE, words="both act", stage=each(REPLY_LOST, REPLY_LOST)),
    Way(
        history=H.ACTED_TWICE,
        words="one acts and its error is not kept, both act",
        stage=each(FAILED_AFTER, REPLY_LOST),
        most=False,
    ),
    Way(history=H.ACTED_AND_MAY_AGAIN, words="one acts, one is in work", stage=each(REPLY_LOST, IN_WORK)),
    Way(
        history=H.ACTED_AND_MAY_AGAIN,
        words="both are in work, and one of them acts",
        stage=each(IN_WORK, IN_WORK),
        unseen="arrives",
        only_on={"mechanism": "key", "concurrent_use": "unprotected"},
        most=False,
    ),
    Way(history=H.TWO_UNDER_WAY, words="both are in work", stage=each(IN_WORK, IN_WORK)),
)
OTHERS: Final = (
    *[way for way in UNKNOWN_ONE if way.most],
    Way(history=H.OFF_RECORD_ACTED, words="somebody else's request acts", stage=somebody_else(LOST)),
    Way(
        history=H.OFF_RECORD_UNDER_WAY,
        words="somebody else's request is in work",
        stage=somebody_else(LOST, work="held"),
    ),
    Way(history=H.ACTED_TWICE, words="ours and somebody else's act", stage=somebody_else(REPLY_LOST)),
    Way(
        history=H.ACTED_AND_MAY_AGAIN,
        words="ours acts, somebody else's is in work",
        stage=somebody_else(REPLY_LOST, work="held"),
    ),
    Way(
        history=H.TWO_UNDER_WAY,
        words="ours and somebody else's are in work",
        stage=somebody_else(IN_WORK, work="held"),
    ),
)
LATER: Final = (
    Way(
        history=H.CAME_TO_NOTHING,
        words="it ends without a ticket",
        stage=ACCEPTED,
        unseen="fail_before",
        unheard=H.REQUEST_LOST,
    ),
    Way(history=H.UNDER_WAY, words="it is carried out in the end", stage=ACCEPTED),
    Way(
        history=H.UNDER_WAY,
        words="it is carried out in the end, and its number guards nothing until then",
        stage=told(handling="accept", kept=False),
        only_on={"mechanism": "key", "concurrent_use": "unprotected"},
        most=False,
    ),
    Way(history=H.REPLY_LOST, words="it was carried out meanwhile", stage=ACCEPTED, unseen="issue"),
)
NOT_THERE: Final = (
    Way(history=H.REQUEST_LOST, words="the request was lost on its way", stage=LOST),
    Way(history=H.UNDER_WAY, words="the request comes last", stage=ON_ITS_WAY, most=False),
    Way(
        history=H.UNDER_WAY,
        words="the request came after the record was read and is in work",
        stage=COMES_AND_IS_IN_WORK,
        unseen="arrives",
    ),
    Way(history=H.REPLY_LOST, words="the request came after the record was read", stage=ON_ITS_WAY, unseen="arrives"),
)
AN_ERROR: Final = (
    Way(history=H.REQUEST_LOST, words="no ticket was issued", stage=told(handling="fail_before"), most=False),
    Way(history=H.REPLY_LOST, words="a ticket was issued before", stage=told(handling="fail_after")),
)
REFUSE: Final = told(handling="refuse")
CONTRADICTED: Final = told(door="operation", says="closed")
SCENES: Final = (
    Scene(name="Nothing was sent", acts=never, ways=(Way(history=H.NOTHING_SENT, words="nothing", stage=nothing),)),
    Scene(
        name="Nobody listened, no byte left",
        acts=not_connected,
        ways=(Way(history=H.NEVER_LEFT, words="nothing", stage=nothing, unheard=H.REQUEST_LOST),),
    ),
    Scene(name="No answer", acts=once, ways=UNKNOWN_ONE),
    Scene(name="No answer, and the time of the guarantee is over", acts=lapse, ways=UNKNOWN_ONE),
    Scene(
        name="No answer, and a repeat would go out under another account, credential or region",
        acts=once,
        ways=UNKNOWN_ONE,
        repeats_as="two",
    ),
    Scene(name="No answer twice", acts=twice, ways=TWICE),
    Scene(name="No answer, and others may have sent", acts=once, ways=OTHERS, sealed=False),
    Scene(name="An error was answered", acts=once, ways=AN_ERROR, unplayed=frozenset({H.UNDER_WAY})),
    Scene(name="Accepted for later", acts=once, ways=LATER),
    Scene(name="Accepted for later, and the report has grown old", acts=once, ways=LATER, grows_old=True),
    Scene(name="No answer, and the record shows nothing", acts=once_and_ask, ways=NOT_THERE),
    Scene(
        name="A receipt in the record",
        acts=once_and_ask,
        ways=(Way(history=H.ACTED, words="the reply was lost", stage=REPLY_LOST, unheard=H.REPLY_LOST),),
    ),
    Scene(
        name="A receipt in the reply",
        acts=once,
        ways=(Way(history=H.ACTED, words="the ticket is in the reply", stage=nothing, unheard=H.REPLY_LOST),),
    ),
    Scene(
        name="Closed at the desk",
        acts=close,
        ways=(
            Way(history=H.CLOSED, words="the request was lost before", stage=LOST, unheard=H.REQUEST_LOST),
            Way(
                history=H.CLOSED, words="the request comes after it", stage=ON_ITS_WAY, most=False, unheard=H.UNDER_WAY
            ),
        ),
    ),
    Scene(
        name="Refused for good",
        acts=once,
        ways=(
            Way(history=H.REFUSED, words="it is refused", stage=REFUSE, unheard=H.REQUEST_LOST),
            Way(
                history=H.REFUSED,
                words="it is refused, and a copy of it comes late",
                stage=REFUSE,
                copies=True,
                unheard=H.REQUEST_LOST,
            ),
        ),
    ),
    Scene(
        name="A ticket in the reply, and the record shows it closed",
        acts=once_and_ask,
        ways=(Way(history=H.ACTED, words="the reply is right", stage=CONTRADICTED, unheard=H.REPLY_LOST),),
        unplayed=frozenset({H.CLOSED}),
    ),
)
