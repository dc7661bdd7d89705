"""A second reading of semantics.md, kept apart from the product so that the two can disagree.

The slowest, most literal transcription: its own words, the document's order, nothing shared with `operations.core`. Where the
text leaves freedom, the reading that permits less is taken; each such point is listed here, with the reading in capitals.

Fixed by the lead:
 F1 an `as_of` later than `at` is read as `at`; an `at` later than `now` is read as `now`, before anything else.
 F2 "settling" means "counts".
 F3 the `not_sent`s dropped for unexplained reports are dropped together: explained is judged once, after the first dropping.

Left open by the text:
 A1 a `not_sent` that was dropped: is it listed in `not_counted`? (a) NO: it met every condition of "counts" and lost afterwards;
    (b) yes: it counts for nothing any more.
 A2 an `attempt_refused` that names no attempt: (a) COUNTS, for it is dated before no attempt of its own, and refuses nothing;
    (b) does not count. Only `not_counted` could show the difference.
 A3 "answer of the recipient": (a) ANY COUNTING CLAIM BUT `not_sent`, a derived index included; (b) history and current only.
 A4 "dated before any attempt on record": (a) BEFORE EVERY ONE, an empty record included; (b) before some one.
 A5 "the last attempt that may have reached the recipient", when several share that date with different scopes:
    (a) EVERY CHOICE IS TRIED, one that differs from a live attempt is enough; (b) the later line of `events`.
 A6 a successor's states at one date: (a) `open` HOLDS; (b) the later line of `events`. Each id is judged apart; one open shuts.
 A7 an observation without `effect_ref`: (a) NAMES NO EFFECT, so it differs from none; (b) its silence is a third effect.
    `duplicate_effect` is said under a conflict too, `further_effect` is not (the examples).
 A8 `further_effect`, "under protection": the protection table without statements, read at each live attempt's sending, the first
    attempt's own clock included: (a) SENT BEFORE FIRST + `guaranteed_for` - `margin`, THE FIRST TOO (a window shorter than its
    margin protects nothing), and `identity_known`; (b) the first went out under "no end yet"; (c) the identity left aside.
 A9 "active until T": (a) NOW STRICTLY BEFORE T, as in the row that says so; (b) T included.
 A10 `settled` for `repeat` ("closed"): (a) WHERE A `closed` EXCLUDES; (b) wherever a `closed` counts. An example permits (a)'s repeat.
 A11 freshness of an `accepted`: as for a `pending` ("if any `pending` or `accepted` is fresh").
 A12 with no live attempt and an incomplete record, an `absent` is dated after every live attempt: (a) YES, VACUOUSLY; (b) no.
 A13 pacing binds the `repeat` that is a first send too ("`repeat` also needs pacing"); a fresh `pending` does not bind it.
 A14 "by the date of an `applied`": (a) BY THE NEWEST of them; (b) by the first. No refusal of kind `harm` meets one.
 A15 protection between one attempt and the repeat: the table without `record_incomplete` and `scope_differs`, and one scope.
     `?` is protected from nothing: its identity and scope are unknown.
 A16 "Under them a `repeat` ... is permitted only if it is harmless": (a) A CLAIM ABOUT THE TABLE, which decides; (b) one more
     condition. They part where a statement makes protection active although a live attempt was sent under none.
 A17 `scope_differs` because of a live attempt that a closure of earlier attempts covers: (a) IT IS LIVE by the definition, so
     `repeat` is refused with `harm`, though under A15 no compatible history shows a second effect; (b) it can't act, so its scope
     doesn't matter. `witnesses` is empty there and only there.
"""

from itertools import product
from typing import Any

from tests.core.oracle_reading import Row
from tests.core.oracle_verdict import ACTIONS, Case


def answer(scenario: Row) -> Row:
    """The keys of `expect` in the examples, and `not_counted` as the sorted indices of the observations that do not count."""
    case = Case(scenario)
    evidence, finality = case.evidence_and_finality()
    protection, until, reason = case.protection()
    permitted = case.permitted()
    return {
        "evidence": evidence,
        "finality": finality,
        "protection": protection,
        "protection_until": until,
        "protection_reason": reason,
        "conflict": case.conflict_kind() is not None,
        "conflict_kind": case.conflict_kind(),
        "duplicate_effect": case.duplicate_effect(),
        "further_effect": case.further_effect(),
        "permitted": permitted,
        "refusal_kinds": {action: case.refusal_kind(action) for action in ACTIONS if action not in permitted},
        "not_counted": sorted(row["index"] for row in case.observations if not case.counts(row)),
    }


def compatible(scenario: Row, history: list[Row]) -> str | None:
    """None where the history is compatible with the scenario (semantics.md, end of "Permitted actions"), else what it breaks."""
    case = Case(scenario)
    return wrong_lines(case, history) or next((wrong for line in history if (wrong := wrong_fate(case, line))), None)


def wrong_lines(case: Case, history: list[Row]) -> str | None:
    """A line for each attempt on record and, only where the record is not complete, one for `?`."""
    names = [line["attempt"] for line in history]
    due = [attempt["id"] for attempt in case.attempts] + ([] if case.record_is_complete() else ["?"])
    if sorted(names) != sorted(due):
        return f"a line for each attempt on record and `?` only where the record is not complete: {names} for {due}"
    keys = {key for line in history for key in line}
    return f"a line has attempt, fate and at: {sorted(keys)}" if keys - {"attempt", "fate", "at"} else None


def covered_by_a_closure(case: Case, name: str) -> bool:
    """The contract says whether closure covers the identity for good or only attempts sent by then."""
    sent = [attempt["at"] for attempt in case.attempts if attempt["id"] == name]  # none for `?`: "sent at any time"
    for closed in case.of("closed"):
        if case.closure_covers == "identity" or any(at <= closed["date"] for at in sent):
            return True
    return False


def wrong_fate(case: Case, line: Row) -> str | None:
    name, fate, at = line["attempt"], line["fate"], line["at"]
    if fate not in ("never_acts", "acted", "may_still_act"):
        return f"{fate} is no fate"
    spent = [attempt["id"] for attempt in case.attempts if attempt["id"] not in [one["id"] for one in case.live()]]
    # "an attempt that is unsent, refused with copies covered, or covered by a closure `never_acts`"
    if fate != "never_acts" and (name in spent or covered_by_a_closure(case, name)):
        return f"{name} is unsent, refused with copies covered, or covered by a closure: it never acts"
    if fate != "acted":  # "one that `may_still_act` has no time"
        return None if at is None else f"{name} {fate}, so it has no time"
    return wrong_time(case, name, at)


def wrong_time(case: Case, name: str, at: Any) -> str | None:
    """One that `acted` did so ..."""
    if at is None:
        return f"{name} acted at no time"
    if any(at < attempt["at"] for attempt in case.attempts if attempt["id"] == name):
        return f"{name} acted before its sending"  # "at or after its sending"
    if any(absent["date"] >= at for absent in case.of("absent")):
        return f"an absent is dated at or after the act of {name}"  # "after every `absent`"
    if at > case.now:  # "at most `now`"
        return f"{name} acted after now"
    applied = case.of("applied")
    if applied and all(row["date"] < at for row in applied):  # "by the date of an `applied` where there is one"
        return f"{name} acted after every applied"
    return None


def harmful(scenario: Row, action: str, history: list[Row]) -> bool:
    """Whether in this history `repeat` or `propose_new` leads to a second effect, under the assumptions and this contract."""
    case = Case(scenario)
    effects = [line for line in history if line["fate"] in ("acted", "may_still_act")]
    if action == "propose_new":  # another operation: no protection of this identity reaches it
        return bool(effects)
    # "while an identity is protected, all its copies together act at most once": that copy and the repeat are one effect
    return any(not protected_together(case, line["attempt"]) for line in effects)


def protected_together(case: Case, name: str) -> bool:
    """Protection holds between this attempt and the repeat: one identity, one scope, and a guarantee that holds now."""
    if case.terms["mechanism"] == "none" or case.operation["identity_known"] is not True:
        return False
    scopes = [attempt["scope"] for attempt in case.attempts if attempt["id"] == name]  # none for `?`: it may be any
    if not scopes or any(scope != scopes[0] for scope in case.repeat_scopes()):
        return False
    return case.protection_of_one_scope()[0] == "active"


def witnesses(scenario: Row, action: str) -> list[list[Row]]:
    """Every compatible harmful history in which nothing acted yet: an act at some time harms no more than one still to come."""
    case = Case(scenario)
    names = [attempt["id"] for attempt in case.attempts] + ([] if case.record_is_complete() else ["?"])
    histories = [
        [{"attempt": name, "fate": fate, "at": None} for name, fate in zip(names, fates, strict=True)]
        for fates in product(("never_acts", "may_still_act"), repeat=len(names))
    ]
    fitting = [history for history in histories if compatible(scenario, history) is None]
    return [history for history in fitting if harmful(scenario, action, history)]
