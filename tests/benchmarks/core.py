"""What a decision of the core costs: beside a bare loop, beside reading JSON, and as the observations grow."""

import io
import json
from collections.abc import Callable, Iterator

from operations.core.assessing import Assessed, assess
from operations.core.facts import Attempt, Contract, Event, Facts, Observation, Operation, Sends
from operations.core.missing import missing
from operations.core.permitted import permitted
from operations.core.scenario import answer, read_scenario
from operations.core.standing import infer
from tests.benchmarks.measure import Figure, compare, cost, speed

NOW = 90_000
SAID = (
    ("client", "indeterminate"),
    ("ledger", "pending"),
    ("webhook", "pending"),
    ("ledger", "absent"),
    ("search", "absent"),
    ("ledger", "pending"),
    ("note", "applied"),
    ("reply", "indeterminate"),
    ("gateway", "applied"),
    ("ledger", "pending"),
)
CONTRACT = {
    "protection": {
        "mechanism": "key",
        "guaranteed_for": 86_400,
        "margin": 60,
        "covers": "every_outcome",
        "concurrent_use": "protected",
    },
    "closure": {"covers": "identity"},
    "channels": {
        "ledger": {"authority": "history", "reads": "strong"},
        "list": {"authority": "current", "reads": "strong"},
        "search": {"authority": "derived", "reads": "eventual"},
        "webhook": {"authority": "history", "pollable": False},
        "reply": {"authority": "history", "pollable": False},
        "gateway": {"authority": "transport", "pollable": False},
        "client": {"authority": "client", "pollable": False},
        "note": {"authority": "none", "pollable": False},
    },
}


def scenario(observations: int, *, shift: int = 0) -> dict[str, object]:
    """One lapsed, still undecided operation: the case in which the most has to be explained."""
    events: list[dict[str, object]] = [{"at": shift, "type": "attempt", "id": "a1", "sends": "one", "scope": "live"}]
    for number in range(observations):
        channel, says = SAID[number % len(SAID)]
        tied = {"authentic": True, "correlation": "operation", "attempt": "a1"}
        at = shift + 30 + number
        events.append({"at": at, "type": "observation", "channel": channel, "says": says, **tied})
    operation = {"attempts_complete": True, "identity_known": True}
    return {"contract": CONTRACT, "operation": operation, "events": events, "now": shift + NOW}


def decide(facts: Facts, now: float) -> object:
    """A decision with its explanation: standing and grounds, verdict with witnesses, what is missing."""
    standing = infer(facts, now=now)
    return permitted(standing), missing(standing)


def bare(observations: list[Observation]) -> int:
    """The least that anything can do with the same items: look at one field of each."""
    found = 0
    for observation in observations:
        if observation.says == "applied":
            found += 1
    return found


def fields(observations: list[Observation]) -> int:
    """A loop that does no more than look at the fields which a decision has to look at."""
    found = 0
    for seen in observations:
        if seen.says == "applied" and seen.channel == "ledger" and seen.authentic and seen.correlation == "operation":
            found += seen.at <= NOW and seen.as_of is None and seen.attempt is None
    return found


def each_second(work: Callable[[], object], items: int = 1) -> Callable[[], float]:
    """One round of `work`."""
    return lambda: speed(work, items=items)


def assess_lines(lines: bytes) -> int:
    """`assess` end to end: parse, read, infer, explain, write."""
    written = 0
    for found in assess(io.BytesIO(lines)):
        assert isinstance(found, Assessed)
        written += len(json.dumps(answer(found.standing), ensure_ascii=False))
    return written


def round_trip(lines: bytes) -> int:
    """The same lines through json.loads and json.dumps and nothing between."""
    return sum(len(json.dumps(json.loads(line))) for line in io.BytesIO(lines))


def many_facts(attempts: int, observations: int) -> tuple[Facts, float]:
    """`attempts` attempts in one scope and the observations of `scenario` after them."""
    facts, now = read_scenario(scenario(observations))
    sent: list[Event] = [
        Attempt(at=number / attempts, id=f"b{number}", sends=Sends.ONE, scope="live") for number in range(attempts)
    ]
    contract: Contract = facts.contract
    operation: Operation = facts.operation
    return Facts(contract=contract, operation=operation, events=(*sent, *facts.events)), now


def figures() -> Iterator[Figure]:
    """Decisions to a bare loop, `assess` to JSON, the cost an observation as they grow."""
    facts, now = read_scenario(scenario(10))
    ten = [observation for _, observation in facts.observations]
    decision = each_second(lambda: decide(facts, now))
    yield compare(
        "core.decision to a bare loop over 10", ours=decision, peer=each_second(lambda: bare(ten)), target=0.05
    )
    yield compare(
        "core.decision to a loop over 7 fields of 10", ours=decision, peer=each_second(lambda: fields(ten)), target=0.05
    )
    lines = b"".join(json.dumps(scenario(10, shift=number)).encode() + b"\n" for number in range(100_000))
    yield compare(
        "core.assess of 100,000 to json.loads + json.dumps",
        ours=each_second(lambda: assess_lines(lines), 100_000),
        peer=each_second(lambda: round_trip(lines), 100_000),
        target=0.08,
        rounds=3,
    )
    grown, then = read_scenario(scenario(10_000))
    yield compare(
        "core.cost an observation at 10,000 to 10",
        unit="s/observation",
        ours=lambda: cost(lambda: decide(grown, then), items=10_000),
        peer=lambda: cost(lambda: decide(facts, now), items=10),
        target=1.5,
        at_most=True,
    )
    crowd, at = many_facts(1_000, 10_000)
    yield compare(
        "core.cost an event at 1,000 attempts and 10,000 observations to 1 and 10",
        unit="s/event",
        ours=lambda: cost(lambda: decide(crowd, at), items=11_000),
        peer=lambda: cost(lambda: decide(facts, now), items=11),
        target=1.5,
        at_most=True,
    )
