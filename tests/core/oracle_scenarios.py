"""Random valid scenarios in which every row and every tie of semantics.md is common, and a report of what they reach.

Run as `python -m tests.core.oracle_scenarios 20000` for the report.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.core.oracle import answer
from tests.core.oracle_reading import ACTIVITY, CLAIMS, REPORTS, Row
from tests.core.oracle_verdict import Case

CHANNELS: dict[str, Row] = {
    "ledger": {"authority": "history", "reads": "strong"},
    "reply": {"authority": "history", "reads": "unordered", "pollable": False},
    "lagging": {"authority": "history", "reads": "eventual"},
    "list": {"authority": "current", "reads": "strong"},
    "index": {"authority": "derived", "reads": "eventual", "positive_is_conclusive": True},
    "cache": {"authority": "derived", "reads": "strong"},
    "gateway": {"authority": "transport", "reads": "strong", "pollable": False},
    "client": {"authority": "client", "pollable": False},
    "note": {"authority": "none"},
    "bare": {},
}
HEARD = {"ledger": 30, "reply": 20, "lagging": 6, "list": 8, "index": 5, "cache": 2, "client": 14}
HEARD |= {"gateway": 2, "note": 1, "bare": 1}
SAID = {
    "applied": 14,
    "closed": 12,
    "absent": 16,
    "pending": 20,
    "accepted": 10,
    "attempt_refused": 14,
    "indeterminate": 5,
    "not_sent": 1,
    "protection_until": 8,
    "protection_lost": 4,
    "sneezed": 1,
}
QUIET = {
    "indeterminate": 5,
    "attempt_refused": 14,
    "absent": 14,
    "pending": 10,
    "accepted": 6,
    "protection_until": 10,
    "protection_lost": 4,
}


REOPENED = {"closed": 8, "applied": 5, "pending": 8, "accepted": 8, "indeterminate": 2}
UNDER_WAY = {"absent": 14, "accepted": 6, "pending": 4, "indeterminate": 2}


def weighted(rng: Random, weights: dict[Any, int]) -> Any:
    return rng.choices(list(weights), list(weights.values()))[0]


def without_some(rng: Random, row: Row, *, share: float) -> Row:
    """The row with some keys left out, so that defaults are met."""
    return {key: value for key, value in row.items() if rng.random() >= share}


def random_protection(rng: Random) -> Row:
    numbers = {20: 2, 45: 4, 60: 4, 95: 4, 1000: 12}
    terms = {
        "mechanism": weighted(rng, {"key": 18, "none": 1, "undocumented": 2}),
        "guaranteed_for": weighted(rng, {**numbers, "unlimited": 4, "while_exists": 4, "undocumented": 3}),
        "after": weighted(rng, {"runs_as_new": 6, "refused": 2, "undocumented": 2}),
        "covers": weighted(rng, {"every_outcome": 25, "success_only": 1, "undocumented": 1}),
        "concurrent_use": weighted(rng, {"protected": 15, "undocumented": 1}),
        "repeat_while_pending": rng.random() < 0.4,
        "pending_fresh_for": weighted(rng, {None: 5, 10: 2, 30: 2, 0: 1}),
        "min_interval": weighted(rng, {0: 5, 10: 2, 35: 4}),
    }
    terms = without_some(rng, terms, share=0.03)
    if not isinstance(terms.get("guaranteed_for", ""), str) or rng.random() < 0.7:
        terms["margin"] = weighted(rng, {0: 3, 5: 3, 10: 3, 25: 1})
    return terms


def random_contract(rng: Random) -> Row:
    kept = {name: dict(row) for name, row in CHANNELS.items() if rng.random() < 0.95}
    for row in kept.values():
        if rng.random() < 0.05:
            row["reads"] = rng.choice(["strong", "eventual", "unordered"])
        if rng.random() < 0.1:
            row["pollable"] = rng.random() < 0.5
    if rng.random() < 0.06:  # no channel that can be polled
        kept = {name: {**row, "pollable": False} for name, row in kept.items()}
    closure = {"covers": rng.choice(["identity", "earlier_attempts", "earlier_attempts"])}
    return {"protection": random_protection(rng), "closure": without_some(rng, closure, share=0.1), "channels": kept}


def random_operation(rng: Random) -> Row:
    operation: Row = {"attempts_complete": rng.random() < 0.82, "identity_known": rng.random() < 0.92}
    if rng.random() < 0.15:
        operation["repeat_scope"] = rng.choice(["", "live", "backup"])
    return without_some(rng, operation, share=0.02)


def random_attempt(rng: Random, name: str, *, dates: list[int], scope: str) -> Row:
    row: Row = {
        "at": rng.choice([dates[0], *dates]),
        "type": "attempt",
        "id": name,
        "sends": weighted(rng, {"one": 4, "many": 1}),
    }
    row["scope"] = scope if rng.random() < 0.85 else rng.choice(["", "live", "backup"])
    return row if rng.random() < 0.93 else {key: row[key] for key in ("at", "type", "id")}


def random_observation(rng: Random, *, attempts: list[Row], dates: list[int], said: dict[str, int]) -> Row:
    channel = "somebody" if rng.random() < 0.02 else weighted(rng, HEARD)
    claim = "not_sent" if channel == "client" and rng.random() < 0.85 else weighted(rng, said)
    if channel in ("index", "cache") and rng.random() < 0.6:
        claim = "applied" if "applied" in said else claim
    row: Row = {
        "at": max(rng.choice(dates), rng.choice(dates)),
        "type": "observation",
        "channel": channel,
        "says": claim,
    }
    row["authentic"] = rng.random() < 0.94
    row["correlation"] = weighted(rng, {"operation": 30, "arguments": 1, "weak": 1, "mismatch": 1})
    if rng.random() < (0.93 if claim in ("attempt_refused", "not_sent") else 0.25):
        names = [attempt["id"] for attempt in attempts]
        row["attempt"] = "a9" if not names or rng.random() < 0.05 else rng.choice(names)
        sent = [attempt["at"] for attempt in attempts if attempt["id"] == row["attempt"]]
        row["at"] = max([row["at"], *sent]) if rng.random() < 0.8 else row["at"]
    if rng.random() < 0.25:
        row["as_of"] = rng.choice([*dates, -10, row["at"], row["at"] + 5])
    return with_details(rng, row, dates=dates)


def with_details(rng: Random, row: Row, *, dates: list[int]) -> Row:
    if row["says"] == "applied" and rng.random() < 0.8:
        row["effect_ref"] = weighted(rng, {"T-1": 3, "T-2": 1})
    if row["says"] == "attempt_refused":
        row["covers_copies"] = rng.random() < 0.75
    if row["says"] == "protection_until" and rng.random() < 0.95:
        row["until"] = rng.choice([*dates, 70, 100, 300, 301, 300])
    bound = {key: row[key] for key in ("at", "type", "channel", "says")}
    return {**bound, **without_some(rng, row, share=0.03)}


def spent(rng: Random, attempt: Row, *, dates: list[int]) -> Row:
    """An observation after which this attempt can't act."""
    at = max(attempt["at"], rng.choice(dates))
    row: Row = {
        "at": at,
        "type": "observation",
        "attempt": attempt["id"],
        "authentic": True,
        "correlation": "operation",
    }
    if rng.random() < 0.5:
        return {**row, "channel": "reply", "says": "attempt_refused", "covers_copies": True}
    attempt["sends"] = "one"
    return {**row, "channel": "client", "says": "not_sent"}


def random_successors(rng: Random, *, dates: list[int]) -> list[Row]:
    ids, states = ["b1", "b1", "b2"], ["open", "no_effect", "no_effect"]
    number = weighted(rng, {0: 20, 1: 2, 2: 2, 3: 1})
    return [
        {"at": rng.choice(dates), "type": "successor", "id": rng.choice(ids), "state": rng.choice(states)}
        for _ in range(number)
    ]


def random_dates(rng: Random, *, terms: Row) -> list[int]:
    """A few dates, so that equal ones are common, and often the end of the contract's window."""
    dates = rng.sample(range(0, 100, 10), rng.choice([2, 3, 3, 4, 6]))
    window = terms.get("guaranteed_for", "")
    end = [] if isinstance(window, str) or window > 100 else [max(window - terms["margin"], 0) + min(dates)]
    return sorted({*dates, *end})


def random_scenario(rng: Random, *, size: int) -> Row:
    """A valid scenario with at most 4 attempts and `size` random observations (at most four more that spend attempts)."""
    contract = random_contract(rng)
    dates = random_dates(rng, terms=contract["protection"])
    scope = rng.choice(["live", "live", ""])
    names = ["a1", "a2", "a3", "a4"][: weighted(rng, {0: 2, 1: 5, 2: 6, 3: 3, 4: 1})]
    attempts = [random_attempt(rng, name, dates=dates, scope=scope) for name in names]
    said = rng.choice([SAID, SAID, SAID, SAID, QUIET, QUIET, REOPENED, UNDER_WAY])
    heard = [random_observation(rng, attempts=attempts, dates=dates, said=said) for _ in range(rng.randint(0, size))]
    share = rng.choice([0.0, 0.0, 0.5, 1.0])
    ends = [spent(rng, attempt, dates=dates) for attempt in attempts if rng.random() < share]
    events = attempts + heard + ends + random_successors(rng, dates=dates)
    rng.shuffle(events)
    now = rng.choice([*(dates[-1] + wait for wait in (0, 5, 5, 30)), rng.choice(dates), weighted(rng, {400: 1, 95: 4})])
    return {"contract": contract, "operation": random_operation(rng), "events": events, "now": now}


# -- What is reached

PAIRS = [("pending", "absent"), ("absent", "applied"), ("closed", "applied"), ("protection_until", "protection_lost")]


def protection_row(case: Case, answered: Row) -> str:
    reason = answered["protection_reason"] or ("no end" if answered["protection_until"] is None else "until")
    if reason in ("lapsed", "until"):
        return f"{reason}, stated" if case.of("protection_until", "protection_lost") else f"{reason}, by contract"
    if reason == "undocumented":
        return f"{reason} {'mechanism' if case.terms['mechanism'] == 'undocumented' else 'time'}"
    unlimited = case.terms["guaranteed_for"] == "unlimited" or case.terms["after"] == "refused"
    return "no end yet" if reason == "no end" and not unlimited else reason


def rows_reached(case: Case, answered: Row) -> Iterator[str]:
    row = case.evidence_row()
    yield f"evidence {row}: {answered['evidence']}/{answered['finality']}"
    yield f"protection {answered['protection']}: {protection_row(case, answered)}"
    yield f"conflict {answered['conflict_kind']}"
    if row == "applied":
        yield f"further_effect {answered['further_effect']}, {min(len(case.live()), 2)} live"
    yield from (f"refusal {action}: {kind} ({row})" for action, kind in answered["refusal_kinds"].items())
    yield from (f"permitted {action} ({row})" for action in answered["permitted"])
    if answered["duplicate_effect"]:
        yield "duplicate_effect"


def not_counted_reached(case: Case) -> Iterator[str]:
    for row in case.observations:
        if row["channel"] not in case.channels:
            yield "not counted: channel"
        elif not case.authority_can_make(row):
            yield "not counted: authority" if row["says"] in CLAIMS else "not counted: unknown claim"
        elif row["authentic"] is not True:
            yield "not counted: authentic"
        elif not case.correlates(row):
            yield "not counted: correlation"
        elif not case.meets_its_own_condition(row):
            yield f"not counted: {row['says']}"
        else:
            yield f"counts: {row['says']}"


def unsent_reached(case: Case) -> Iterator[str]:
    unsent = {row["attempt"] for row in case.of("not_sent")}
    named = unsent & {row["attempt"] for row in case.counting if row["says"] != "not_sent"}
    if named:
        yield "not_sent dropped: named"
    if unsent - named - case.unsent_ids:
        yield "not_sent dropped: unexplained"
    if case.unsent_ids:
        yield "not_sent stands"


def ties_reached(case: Case) -> Iterator[str]:
    for first, second in PAIRS:
        if {row["date"] for row in case.of(first)} & {row["date"] for row in case.of(second)}:
            yield f"tie {first} {second}"
    if {row["date"] for row in case.of(*REPORTS, "absent")} & {attempt["at"] for attempt in case.attempts}:
        yield "tie report and attempt"
    if len(case.repeat_scopes()) > 1:
        yield "tie last attempts" if len(set(case.repeat_scopes())) == 1 else "tie last attempts in two scopes"


def record_reached(case: Case) -> Iterator[str]:
    for closed in case.of("closed"):
        yield from (f"exempt {row['says']}" for row in case.of(*REPORTS) if case.exempt(closed, row))
    if any(not case.fresh(row) for row in case.of(*ACTIVITY)):
        yield "stale activity"
    if not case.record_is_complete() and case.operation["attempts_complete"]:
        yield "record incomplete by an answer"
    if case.nothing_can_act() and case.attempts:
        yield "nothing can act, though attempted"


def what_is_reached(case: Case, answered: Row) -> set[str]:
    met = {*rows_reached(case, answered), *not_counted_reached(case)}
    return met | {*unsent_reached(case), *ties_reached(case), *record_reached(case)}


def reached(count: int, *, seed: int = 1, size: int = 8) -> Counter[str]:
    """In how many of `count` scenarios each row, refusal, protection reason, conflict and tie is reached."""
    rng, seen = Random(seed), Counter[str]()  # noqa: S311 - a seeded search, not a secret
    for _ in range(count):
        scenario = random_scenario(rng, size=size)
        case, answered = Case(scenario), answer(scenario)
        seen.update(what_is_reached(case, answered))
    return seen


if __name__ == "__main__":
    total = int(sys.argv[1])
    for what, times in sorted(reached(total).items(), key=lambda item: item[1]):
        print(f"{100 * times / total:6.2f} %  {what}")  # noqa: T201
