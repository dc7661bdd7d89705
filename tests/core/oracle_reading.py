"""What counts, what can still act, conflict, evidence: the first half of semantics.md, sentence by sentence (see oracle.py)."""

from typing import Any

Row = dict[str, Any]

REPORTS = ("pending", "accepted", "applied")
ACTIVITY = ("pending", "accepted")
CLAIMS = (
    *("applied", "closed", "absent", "pending", "accepted", "attempt_refused", "indeterminate", "not_sent"),
    *("protection_until", "protection_lost"),
)


class Reading:
    """One scenario, its defaults applied and its dates read; every method is one sentence of semantics.md."""

    def __init__(self, scenario: Row) -> None:
        self.now = scenario["now"]
        contract = scenario["contract"]
        # The text: "Defaults are never permissive (pacing and pollable aside)".
        self.terms: Row = {
            "mechanism": "undocumented",
            "guaranteed_for": "undocumented",
            "after": "undocumented",
            "covers": "undocumented",
            "concurrent_use": "undocumented",
            "margin": None,
            "repeat_while_pending": False,
            "pending_fresh_for": None,
            "min_interval": 0,
            **contract.get("protection", {}),
        }
        self.closure_covers = contract.get("closure", {}).get("covers", "earlier_attempts")
        quiet = {"authority": "none", "reads": "unordered", "positive_is_conclusive": False, "pollable": True}
        self.channels: dict[str, Row] = {name: {**quiet, **row} for name, row in contract.get("channels", {}).items()}
        self.operation = {"attempts_complete": False, "identity_known": False, **scenario.get("operation", {})}
        # The text: "Nothing on record is ignored: an `at` later than `now` is read as `now`".
        rows = [{**row, "index": index, "at": min(row["at"], self.now)} for index, row in enumerate(scenario["events"])]
        self.attempts = [{"sends": "many", "scope": "", **row} for row in rows if row["type"] == "attempt"]
        self.successors = [row for row in rows if row["type"] == "successor"]
        self.observations = [self.dated(row) for row in rows if row["type"] == "observation"]
        self.counting = [row for row in self.observations if self.counts(row)]
        self.unsent_ids = self.unsent_after_dropping()

    @staticmethod
    def dated(row: Row) -> Row:
        """`as_of` dates a statement ... It is never later than `at`."""
        blank = {"attempt": None, "authentic": False, "correlation": "weak", "effect_ref": None}
        as_of = row.get("as_of")
        date = row["at"] if as_of is None else min(as_of, row["at"])
        return {**blank, "covers_copies": False, "until": None, **row, "date": date}

    # -- Claims, and which authority can make them count

    def authority_can_make(self, row: Row) -> bool:
        channel, claim = self.channels[row["channel"]], row["says"]
        if claim not in CLAIMS:  # "Unknown claims do not count"
            return False
        if channel["authority"] == "history":  # "all but `not_sent`"
            return bool(claim != "not_sent")
        if channel["authority"] == "current":  # "all but `not_sent` and `absent`"
            return claim not in ("not_sent", "absent")
        # "`applied`, and only where the contract states `positive_is_conclusive`"
        if channel["authority"] == "derived":
            return bool(claim == "applied" and channel["positive_is_conclusive"])
        if channel["authority"] == "client":  # "`not_sent`"
            return bool(claim == "not_sent")
        return False  # transport, none: "none"

    def correlates(self, row: Row) -> bool:
        """`operation` (... on the client's channel anything but `mismatch`)."""
        if self.channels[row["channel"]]["authority"] == "client":
            return bool(row["correlation"] != "mismatch")
        return bool(row["correlation"] == "operation")

    def meets_its_own_condition(self, row: Row) -> bool:
        """Also: `absent` counts only where `reads` are `strong`; ..."""
        claim = row["says"]
        named = [attempt for attempt in self.attempts if attempt["id"] == row["attempt"]]
        if claim == "absent":
            return self.strong(row)
        if claim == "attempt_refused":  # "must not be dated before their attempt was sent"
            return all(row["date"] >= attempt["at"] for attempt in named)
        if claim == "not_sent":  # ... "only for an attempt on record with `sends: one`"
            return bool(named) and all(row["date"] >= attempt["at"] and attempt["sends"] == "one" for attempt in named)
        if claim == "protection_until":  # "needs its `until` and a contract that states a `margin`"
            return row["until"] is not None and self.terms["margin"] is not None
        return True

    def counts(self, row: Row) -> bool:
        """An observation counts only if its channel is in the contract, its authority can make the claim, ..."""
        if row["channel"] not in self.channels:
            return False
        made = self.authority_can_make(row) and row["authentic"] is True and self.correlates(row)
        return made and self.meets_its_own_condition(row)

    def strong(self, row: Row) -> bool:
        return bool(self.channels[row["channel"]]["reads"] == "strong")

    def of(self, *claims: str) -> list[Row]:
        return [row for row in self.counting if row["says"] in claims]

    # -- What can still act

    def refusal_dates(self, attempt: Row) -> list[Any]:
        """The dates at which this attempt was refused with copies covered."""
        refusals = [row for row in self.of("attempt_refused") if row["attempt"] == attempt["id"]]
        return [row["date"] for row in refusals if row["covers_copies"] is True]

    def explains(self, attempt: Row, report: Row, *, unsent: set[str]) -> bool:
        if attempt["at"] > report["date"]:  # "if it was sent by d"
            return False
        if attempt["id"] in unsent:  # "is not unsent"
            return False
        refused = self.refusal_dates(attempt)
        if refused:  # "d is not later than its first such refusal and the claim is not `applied`"
            return bool(report["date"] <= min(refused) and report["says"] != "applied")
        return True

    def unsent_after_dropping(self) -> set[str]:
        """The recipient's word beats the client's."""
        unsent = {row["attempt"] for row in self.of("not_sent")}
        # "a `not_sent` is dropped if any counting answer of the recipient names that attempt"
        unsent -= {row["attempt"] for row in self.counting if row["says"] != "not_sent"}
        # "then, for each ... dated d that no attempt explains, every `not_sent` of an attempt sent by d is dropped"
        dropped: set[str] = set()
        for report in self.of(*REPORTS):
            if not any(self.explains(attempt, report, unsent=unsent) for attempt in self.attempts):
                dropped |= {attempt["id"] for attempt in self.attempts if attempt["at"] <= report["date"]}
        return unsent - dropped

    def explainers(self, report: Row) -> list[Row]:
        return [attempt for attempt in self.attempts if self.explains(attempt, report, unsent=self.unsent_ids)]

    def record_is_complete(self) -> bool:
        if self.operation["attempts_complete"] is not True:  # "if `attempts_complete` says so"
            return False
        on_record = [attempt["id"] for attempt in self.attempts]
        for row in self.counting:  # "unless the recipient's answer names an attempt that is not on record"
            if row["says"] != "not_sent" and row["attempt"] is not None and row["attempt"] not in on_record:
                return False
        # "or reports `pending`, `accepted` or `applied` dated before any attempt on record"
        early = [r for r in self.of(*REPORTS) if all(r["date"] < attempt["at"] for attempt in self.attempts)]
        return not early

    def may_have_reached(self) -> list[Row]:
        """Refused attempts start the clock, unsent ones do not."""
        return [attempt for attempt in self.attempts if attempt["id"] not in self.unsent_ids]

    def live(self) -> list[Row]:
        """Those neither refused with copies covered nor `not_sent`."""
        return [attempt for attempt in self.may_have_reached() if not self.refusal_dates(attempt)]

    def nothing_can_act(self) -> bool:
        """The record is complete and no attempt is live (an operation never attempted included)."""
        return self.record_is_complete() and not self.live()

    def a_closed_excludes(self) -> bool:
        for closed in self.of("closed"):
            if self.closure_covers == "identity":  # "if closure covers the identity"
                return True
            # "if the record is complete and every live attempt was sent by its date"
            if self.record_is_complete() and all(attempt["at"] <= closed["date"] for attempt in self.live()):
                return True
        return False

    # -- Conflict, first that holds

    def exempt(self, closed: Row, report: Row) -> bool:
        """Closure covers earlier attempts only and an attempt sent after the closure explains the `applied`."""
        later = [attempt for attempt in self.explainers(report) if attempt["at"] > closed["date"]]
        return self.closure_covers == "earlier_attempts" and bool(later)

    def conflict_kind(self) -> str | None:
        applied, closeds = self.of("applied"), self.of("closed")
        activity = [row for row in self.of(*ACTIVITY) if self.strong(row)]
        if any(not self.exempt(closed, row) for closed in closeds for row in applied):
            return "applied_and_closed"
        if any(absent["date"] >= row["date"] for absent in self.of("absent") for row in applied):
            return "applied_then_absent"
        later = [(closed, row) for closed in closeds for row in activity if row["date"] > closed["date"]]
        if any(not self.exempt(closed, row) for closed, row in later):
            return "active_after_closed"
        if self.record_is_complete() and any(not self.explainers(row) for row in activity):
            return "active_after_every_attempt_refused"
        if self.record_is_complete() and any(not self.explainers(row) for row in applied):
            return "applied_though_every_attempt_was_refused"
        return None

    # -- Evidence and finality

    def fresh(self, row: Row) -> bool:
        """Not older than the contract's `pending_fresh_for`, if it gives one."""
        limit = self.terms["pending_fresh_for"]
        return limit is None or self.now - row["date"] <= limit

    def evidence_row(self) -> str:
        if self.conflict_kind():
            return "conflict"
        if self.of("applied"):
            return "applied"
        if self.a_closed_excludes():  # "a `closed` excludes"
            return "excluded by closure"
        if self.nothing_can_act():  # "or nothing can act"
            return "nothing can act"
        pendings = [row for row in self.of("pending") if self.fresh(row)]
        among = pendings + self.of("absent")
        newest = [row for row in among if all(row["date"] >= other["date"] for other in among)]
        # The text: "the newest by date is a `pending` (at the same date too)".
        if any(row["says"] == "pending" for row in newest):
            return "pending"
        # "it is an `absent` dated at or after every live attempt on record was sent"
        if newest and all(newest[0]["date"] >= attempt["at"] for attempt in self.live()):
            return "absent"
        return "otherwise"

    def evidence_and_finality(self) -> tuple[str, str]:
        likewise = "possible" if self.of(*ACTIVITY) else "unestablished"
        table = {
            "conflict": ("unknown", "unestablished"),
            "applied": ("applied", "settled"),
            "excluded by closure": ("not_applied", "excluded"),
            "nothing can act": ("not_applied", "excluded"),
            "pending": ("pending", "possible"),
            "absent": ("not_applied", likewise),
            "otherwise": ("unknown", likewise),
        }
        return table[self.evidence_row()]

    def duplicate_effect(self) -> bool:
        """Two different `effect_ref`s among the `applied`."""
        named = [row["effect_ref"] for row in self.of("applied") if row["effect_ref"] is not None]
        return any(one != other for one in named for other in named)

    def further_effect(self) -> str | None:
        if self.evidence_row() != "applied":  # "only where applied, else null"
            return None
        live = self.live()
        if not self.record_is_complete():
            return "possible"
        if len(live) <= 1 and all(attempt["sends"] == "one" for attempt in live):
            return "excluded"
        one_scope = all(one["scope"] == other["scope"] for one in live for other in live)
        return "excluded" if one_scope and all(self.sent_under_contract(attempt) for attempt in live) else "possible"

    def sent_under_contract(self, attempt: Row) -> bool:
        """By the contract's own terms (statements aside), under protection."""
        terms = self.terms
        if terms["mechanism"] != "key" or self.operation["identity_known"] is not True:
            return False
        if terms["covers"] != "every_outcome" or terms["concurrent_use"] != "protected":
            return False
        if terms["guaranteed_for"] == "unlimited" or terms["after"] == "refused":
            return True
        if terms["guaranteed_for"] in ("while_exists", "undocumented"):
            return False
        first = min(other["at"] for other in self.may_have_reached())
        return bool(attempt["at"] < first + terms["guaranteed_for"] - terms["margin"])
