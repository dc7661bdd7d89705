"""A scenario becomes facts whole, or the error names the field and the rule."""

import pytest

from operations.core.facts import (
    After,
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    FactError,
    Facts,
    Guarantee,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
    Successor,
    SuccessorState,
)
from operations.core.scenario import read_scenario

SENT = {"type": "attempt", "at": 1, "id": "a1"}
SAID = {"type": "observation", "at": 2, "channel": "ledger", "says": "applied"}
CARRIED = {"type": "successor", "at": 3, "id": "s1", "state": "open"}


def scenario(*events: object, now: object = 9, **parts: object) -> dict[str, object]:
    return {"events": list(events), "now": now, **parts}


def refusal(raw: object) -> tuple[str, str]:
    with pytest.raises(FactError) as refused:
        read_scenario(raw)
    return refused.value.field, refused.value.rule


def contract(**parts: object) -> dict[str, object]:
    return scenario(contract=parts)


@pytest.mark.parametrize(
    ("raw", "field", "rule"),
    [
        # not an object
        (None, "", "object"),
        ([], "", "object"),
        ("{}", "", "object"),
        (5, "", "object"),
        # a record that is left out must not read as a record that is empty
        ({"now": 9}, "events", "required"),
        ({"events": []}, "now", "required"),
        # unknown keys, at every depth
        (scenario(clock=9), "clock", "unknown_key"),
        (contract(channel={}), "contract.channel", "unknown_key"),
        (contract(protection={"window": 5}), "contract.protection.window", "unknown_key"),
        (contract(closure={"cover": "identity"}), "contract.closure.cover", "unknown_key"),
        (contract(channels={"ledger": {"authorities": []}}), "contract.channels.ledger.authorities", "unknown_key"),
        (scenario(operation={"complete": True}), "operation.complete", "unknown_key"),
        (scenario(SENT, {**SENT, "id": "a2", "as_of": 1}), "events[1].as_of", "unknown_key"),
        (scenario({**SAID, "scope": "live"}), "events[0].scope", "unknown_key"),
        (scenario({**CARRIED, "sends": "one"}), "events[0].sends", "unknown_key"),
        # wrong types where an object or a list belongs; null is not a part left out
        (scenario(contract=None), "contract", "object"),
        (contract(protection=[]), "contract.protection", "object"),
        (contract(closure="identity"), "contract.closure", "object"),
        (contract(channels=[]), "contract.channels", "object"),
        (contract(channels={"ledger": "history"}), "contract.channels.ledger", "object"),
        (scenario(operation=None), "operation", "object"),
        ({"events": {}, "now": 9}, "events", "list"),
        ({"events": None, "now": 9}, "events", "list"),
        ({"events": "ab", "now": 9}, "events", "list"),
        (scenario(SENT, ["attempt"]), "events[1]", "object"),
        # an event without what makes it one
        (scenario({"at": 1, "id": "a1"}), "events[0].type", "required"),
        (scenario({**SENT, "type": "sending"}), "events[0].type", "one_of"),
        (scenario({**SENT, "type": ["attempt"]}), "events[0].type", "one_of"),
        (scenario({"type": "attempt", "id": "a1"}), "events[0].at", "required"),
        (scenario({"type": "attempt", "at": 1}), "events[0].id", "required"),
        (scenario({"type": "observation", "channel": "ledger", "says": "applied"}), "events[0].at", "required"),
        (scenario({"type": "observation", "at": 1, "says": "applied"}), "events[0].channel", "required"),
        (scenario({"type": "observation", "at": 1, "channel": "ledger"}), "events[0].says", "required"),
        (scenario({"type": "successor", "id": "s1", "state": "open"}), "events[0].at", "required"),
        (scenario({"type": "successor", "at": 1, "state": "open"}), "events[0].id", "required"),
        (scenario({"type": "successor", "at": 1, "id": "s1"}), "events[0].state", "required"),
        # words that are no words of the list
        (contract(protection={"mechanism": "token"}), "contract.protection.mechanism", "one_of"),
        (contract(protection={"mechanism": None}), "contract.protection.mechanism", "one_of"),
        (contract(protection={"guaranteed_for": "a day"}), "contract.protection.guaranteed_for", "one_of"),
        (contract(protection={"after": "refuses"}), "contract.protection.after", "one_of"),
        (contract(protection={"covers": 1}), "contract.protection.covers", "one_of"),
        (contract(protection={"concurrent_use": True}), "contract.protection.concurrent_use", "one_of"),
        (contract(closure={"covers": "all"}), "contract.closure.covers", "one_of"),
        (contract(channels={"a.b": {"reads": "Strong"}}), "contract.channels.a.b.reads", "one_of"),
        (contract(channels={"ledger": {"authority": {}}}), "contract.channels.ledger.authority", "one_of"),
        (scenario({**SENT, "sends": "twice"}), "events[0].sends", "one_of"),
        (scenario({**SAID, "correlation": None}), "events[0].correlation", "one_of"),
        (scenario({**CARRIED, "state": "closed"}), "events[0].state", "one_of"),
        # values that no fact can have
        (contract(protection={"guaranteed_for": 60}), "contract.protection.margin", "required_with_number"),
        (contract(protection={"guaranteed_for": None, "margin": 1}), "contract.protection.guaranteed_for", "number"),
        (contract(protection={"guaranteed_for": True, "margin": 1}), "contract.protection.guaranteed_for", "number"),
        (contract(protection={"guaranteed_for": [], "margin": 1}), "contract.protection.guaranteed_for", "number"),
        (contract(protection={"min_interval": -1}), "contract.protection.min_interval", "not_negative"),
        (contract(protection={"pending_fresh_for": "1"}), "contract.protection.pending_fresh_for", "number"),
        (scenario(operation={"attempts_complete": 1}), "operation.attempts_complete", "flag"),
        (scenario({**SENT, "at": "1"}), "events[0].at", "number"),
        (scenario({**SENT, "id": "?"}), "events[0].id", "reserved"),
        (scenario({**SAID, "says": 5}), "events[0].says", "text"),
        (scenario({**SAID, "authentic": "yes"}), "events[0].authentic", "flag"),
        (scenario(SAID, SENT, SAID, SENT), "events[3].id", "unique"),
        (scenario(now=True), "now", "number"),
        (scenario(now=None), "now", "number"),
        (scenario(now=2**53 + 1), "now", "finite"),
    ],
)
def test_what_is_no_scenario_is_refused_where_it_stands(raw, field, rule):
    assert refusal(raw) == (field, rule)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({}, "events: is required"),
        (5, ": must be an object"),
        (scenario(clock=9), "clock: is not a key of this object; its keys are contract, operation, events, now"),
        (
            contract(close=1),
            "contract.close: is not a key of this object; its keys are protection, closure, channels",
        ),
        (contract(closure={"a": 1}), "contract.closure.a: is not a key of this object; its keys are covers"),
        (scenario({"type": "x"}), "events[0].type: must be one of attempt, observation, successor"),
        (scenario({}), "events[0].type: is required"),
        (scenario({"type": "attempt", "at": 1}), "events[0].id: is required"),
        ({"events": 5, "now": 9}, "events: must be a list"),
        (contract(closure={"covers": 1}), "contract.closure.covers: must be one of identity, earlier_attempts"),
        (scenario(now="9"), "now: must be a number of seconds"),
    ],
)
def test_a_refusal_says_what_would_be_right(raw, message):
    with pytest.raises(FactError) as refused:
        read_scenario(raw)
    assert str(refused.value) == message


def test_a_scenario_that_states_nothing_has_the_defaults_of_the_facts():
    assert read_scenario(scenario()) == (Facts(), 9)
    assert read_scenario(scenario(contract={}, operation={})) == (Facts(), 9)


def test_a_sparse_event_has_the_defaults_of_the_facts():
    found, _ = read_scenario(scenario(SENT, SAID, CARRIED))
    assert found.events == (
        Attempt(at=1, id="a1"),
        Observation(at=2, channel="ledger", says="applied"),
        Successor(at=3, id="s1", state=SuccessorState.OPEN),
    )


def test_every_key_of_the_format_is_read():
    found, now = read_scenario(
        {
            "contract": {
                "protection": {
                    "mechanism": "key",
                    "guaranteed_for": 60.5,
                    "margin": 5,
                    "after": "refused",
                    "covers": "every_outcome",
                    "concurrent_use": "protected",
                    "repeat_while_pending": True,
                    "pending_fresh_for": 30,
                    "min_interval": 7,
                },
                "closure": {"covers": "identity"},
                "channels": {
                    "search": {
                        "authority": "derived",
                        "reads": "strong",
                        "positive_is_conclusive": True,
                        "pollable": False,
                    }
                },
            },
            "operation": {"attempts_complete": True, "identity_known": True, "repeat_scope": "live"},
            "events": [
                {
                    "at": 4,
                    "type": "observation",
                    "channel": "search",
                    "says": "applied",
                    "attempt": "a1",
                    "as_of": 3,
                    "authentic": True,
                    "correlation": "arguments",
                    "effect_ref": "T-1",
                    "covers_copies": True,
                    "until": 90,
                },
                {"at": 1, "type": "attempt", "id": "a1", "sends": "one", "scope": "test"},
                {"at": 8, "type": "successor", "id": "s1", "state": "no_effect"},
            ],
            "now": 10.5,
        }
    )
    assert now == 10.5
    assert found == Facts(
        contract=Contract(
            protection=ProtectionTerms(
                mechanism=Mechanism.KEY,
                guaranteed_for=60.5,
                margin=5,
                after=After.REFUSED,
                covers=Covers.EVERY_OUTCOME,
                concurrent_use=ConcurrentUse.PROTECTED,
                repeat_while_pending=True,
                pending_fresh_for=30,
                min_interval=7,
            ),
            closure=Closure(covers=ClosureCovers.IDENTITY),
            channels={
                "search": Channel(
                    authority=Authority.DERIVED, reads=Reads.STRONG, positive_is_conclusive=True, pollable=False
                )
            },
        ),
        operation=Operation(attempts_complete=True, identity_known=True, repeat_scope="live"),
        events=(
            Observation(
                at=4,
                channel="search",
                says="applied",
                attempt="a1",
                as_of=3,
                authentic=True,
                correlation=Correlation.ARGUMENTS,
                effect_ref="T-1",
                covers_copies=True,
                until=90,
            ),
            Attempt(at=1, id="a1", sends=Sends.ONE, scope="test"),
            Successor(at=8, id="s1", state=SuccessorState.NO_EFFECT),
        ),
    )


@pytest.mark.parametrize("word", Guarantee)
def test_a_guarantee_may_be_a_word(word):
    found, _ = read_scenario(contract(protection={"guaranteed_for": word.value}))
    assert found.contract.protection.guaranteed_for is word


def test_a_null_reads_like_an_optional_value_left_out():
    nothing = dict.fromkeys(["attempt", "as_of", "effect_ref", "until"])
    found, _ = read_scenario(scenario({**SAID, **nothing}, operation={"repeat_scope": None}))
    assert found.events == (Observation(at=2, channel="ledger", says="applied"),)


def test_reading_leaves_the_scenario_as_it_was():
    raw = scenario(dict(SENT), dict(SAID))
    read_scenario(raw)
    assert raw == scenario(SENT, SAID)
