"""Every field report is put to the core in the product's own scenario format, with only what was visible at the decision.

`cases.jsonl` holds the reports as they came; `field_scenarios.yaml` holds how we read each of them and where we differ.
`python -m tests.core.field_cases_page` prints docs/field-cases.md.
"""

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from operations.core.scenario import answer_of, read_scenario

_DATA: Final = Path(__file__).parents[1] / "data"
Json = dict[str, Any]


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> Json:
    """Return `base` with the members of `over` in it, object by object; neither is changed."""
    result = copy.deepcopy(dict(base))
    for key, value in over.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(value, dict) and isinstance(below, dict) else value
    return result


def answered(scenario: Mapping[str, Any]) -> Json:
    """Return the core's answer to a scenario."""
    facts, now = read_scenario(dict(scenario))
    return answer_of(facts, now=now)


class FieldCase(NamedTuple):
    """A report (`case`) and our reading of it (`reading`)."""

    case: Json
    reading: Json

    @property
    def name(self) -> str:
        return str(self.case["id"])

    @property
    def disagrees(self) -> dict[str, str]:
        """Where ours differs from what the case expects: facet and reason."""
        return dict(self.reading["disagrees"] or {})

    def scenario(self, *, later: bool = False, over: Mapping[str, Any] | None = None) -> Json:
        """Return the scenario of the decision, or with `later` of the whole history; with other terms in `over`."""
        told = zip(self.case["events"], self.reading["events"], strict=True)
        events = [one for event, ours in told if later or event["visible_at_decision"] for one in ours.get("read", [])]
        now = self.reading["later"]["now"] if later and "later" in self.reading else self.reading["scenario"]["now"]
        return {**merged(self.reading["scenario"], over or {}), "events": events, "now": now}

    def variant(self, variant: Mapping[str, Any]) -> Json:
        """Return the scenario of one of the pairs and triples that a note asks for."""
        over = {part: variant.get(part, {}) for part in ("contract", "operation")}
        return {**self.scenario(over=over), "events": variant["events"]}


def field_cases() -> list[FieldCase]:
    """Return every report with the reading beside it; both files list the same ones in the same order."""
    cases = [json.loads(line) for line in (_DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    readings = yaml.safe_load((_DATA / "field_scenarios.yaml").read_text(encoding="utf-8"))
    return [FieldCase(case, reading) for case, reading in zip(cases, readings, strict=True)]


class Seen(NamedTuple):
    """What a word of a case is compared with."""

    scenario: Json
    found: Json
    permits: frozenset[str]  # the words that the case permits

    def may(self, action: str) -> bool:
        return action in self.found["permitted"]

    def unmoved_without(self, drop: Callable[[Json], bool]) -> bool:
        """Whether evidence and permitted actions are the same without the events that `drop` names."""
        kept = [event for event in self.scenario["events"] if not drop(event)]
        without = answered({**self.scenario, "events": kept})
        return all(without[key] == self.found[key] for key in ("evidence", "permitted"))


def _is_replay(event: Json) -> bool:
    return bool(event.get("as_of", event["at"]) < event["at"])


def _is_report(event: Json) -> bool:
    return event.get("says") in ("pending", "accepted")


def _new_is_shut(seen: Seen) -> bool:
    return not seen.may("propose_new") or "propose_new_operation" in seen.permits


def _receipt_counts(seen: Seen) -> bool:
    return bool(seen.found["conflict"]) or seen.found["evidence"] == "applied"


def _not_recorded_as(evidence: str) -> Callable[[Seen], bool]:
    return lambda seen: not (seen.may("record") and seen.found["evidence"] == evidence)


class Word(NamedTuple):
    """A word of the cases: what it is in ours, and whether ours is as the case expects."""

    ours: str
    holds: Callable[[Seen], bool]


FINALITY: Final = {
    "closed": ("settled", "excluded"),
    "open": ("possible", "unestablished"),
    "unknown": ("unestablished",),
}
PERMITTED: Final = {
    "observe": Word("`observe` is permitted", lambda seen: seen.may("observe")),
    "protected_repeat": Word("`repeat` is permitted", lambda seen: seen.may("repeat")),
    "propose_new_operation": Word("`propose_new` is permitted", lambda seen: seen.may("propose_new")),
    "record_completion": Word("`record` is permitted", lambda seen: seen.may("record")),
    "escalate": Word(
        "`leave_unresolved` is permitted: people hold an open question", lambda seen: seen.may("leave_unresolved")
    ),
}
_NEW_SHUT: Final = Word("`propose_new` is not permitted, unless the case permits a new operation", _new_is_shut)
FORBIDDEN: Final = {
    "mark_failed": Word("`record` of `not_applied` is not permitted", _not_recorded_as("not_applied")),
    "mark_completed": Word("`record` of `applied` is not permitted", _not_recorded_as("applied")),
    "adopt_without_match": Word("`record` of `applied` is not permitted", _not_recorded_as("applied")),
    "protected_repeat": Word("`repeat` is not permitted", lambda seen: not seen.may("repeat")),
    "unprotected_repeat": Word(
        "`repeat` is not permitted, unless protection is active",
        lambda seen: not seen.may("repeat") or seen.found["protection"] == "active",
    ),
    "repeat_with_new_key": _NEW_SHUT,
    "repeat_with_changed_parameters": _NEW_SHUT,
    "propose_new_operation": _NEW_SHUT,
    "compensate": _NEW_SHUT,
    "destroy_or_clean_up": _NEW_SHUT,
    "discard_receipt": Word("the receipt counts: `applied`, or a conflict", _receipt_counts),
    "drop_result": Word("the receipt counts: `applied`, or a conflict", _receipt_counts),
    "treat_replay_as_fresh": Word(
        "without the replays evidence and permitted actions are the same", lambda seen: seen.unmoved_without(_is_replay)
    ),
    "regress_state": Word(
        "without every `pending` and `accepted` evidence and permitted actions are the same",
        lambda seen: seen.unmoved_without(_is_report),
    ),
}
# Whatever else a case permits or forbids: a send that it does not permit is one it did not think of.
SENDS: Final = {"repeat": "protected_repeat", "propose_new": "propose_new_operation"}
FACETS: Final = ("effect", "finality", "protection", "permitted", "forbidden", "conflict")


def _finality(expected: Json, found: Json) -> bool:
    """`closed` is said of an effect that happened (settled) or can't any more (excluded)."""
    return found["finality"] in FINALITY[expected["finality"]]


def _permitted(expected: Json, seen: Seen) -> bool:
    return all(PERMITTED[word].holds(seen) for word in expected["permitted"])


def _forbidden(expected: Json, seen: Seen) -> bool:
    beyond = [action for action, word in SENDS.items() if seen.may(action) and word not in seen.permits]
    return not beyond and all(FORBIDDEN[word].holds(seen) for word in expected["forbidden"])


def differing(field: FieldCase, scenario: Json) -> frozenset[str]:
    """Return the facets in which our answer to `scenario` is not what the case expects or also accepts."""
    expected, found = field.case["expected"], answered(scenario)
    accepted = {facet: [expected[facet]] for facet in ("effect", "conflict")}
    for facet in field.reading.get("accepts", {}).get("facets", []):
        accepted[facet] += expected["also_acceptable"][facet]
    seen = Seen(scenario, found, frozenset(expected["permitted"]))
    agrees = {
        "effect": found["evidence"] in accepted["effect"],
        "finality": _finality(expected, found),
        "protection": found["protection"] == expected["protection"],
        "permitted": _permitted(expected, seen),
        "forbidden": _forbidden(expected, seen),
        "conflict": found["conflict"] in accepted["conflict"],
    }
    return frozenset([facet for facet in FACETS if not agrees[facet]])


def rests_on_record(field: FieldCase) -> list[str]:
    """Return the facets that agree only because the record is read as complete."""
    scenario = field.scenario()
    if not scenario["operation"].get("attempts_complete"):
        return []
    open_record = field.scenario(over={"operation": {"attempts_complete": False}})
    lost = differing(field, open_record) - differing(field, scenario)
    return [facet for facet in FACETS if facet in lost]
