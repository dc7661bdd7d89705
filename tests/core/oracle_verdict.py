"""Protection and permitted actions: the second half of semantics.md, sentence by sentence (see oracle.py)."""

from typing import Any

from tests.core.oracle_reading import ACTIVITY, Reading

ACTIONS = ("observe", "record", "repeat", "propose_new", "except", "leave_unresolved")


class Case(Reading):
    """One scenario, judged."""

    # -- Protection, first that holds: (protection, until, reason)

    def protection(self) -> tuple[str, Any, str | None]:
        if self.terms["mechanism"] == "none":
            return "absent", None, "contract_has_none"
        if self.operation["identity_known"] is not True:
            return "unestablished", None, "identity_unknown"
        if not self.record_is_complete():
            return "unestablished", None, "record_incomplete"
        if self.scope_differs():
            return "unestablished", None, "scope_differs"
        return self.protection_of_one_scope()

    def repeat_scopes(self) -> list[str]:
        """`repeat_scope` that of the last attempt that may have reached the recipient: every one that may be the last."""
        if self.operation.get("repeat_scope") is not None:
            return [self.operation["repeat_scope"]]
        reached = self.may_have_reached()
        return [one["scope"] for one in reached if all(one["at"] >= other["at"] for other in reached)]

    def scope_differs(self) -> bool:
        """A live attempt went out in another scope than the repeat would."""
        return any(attempt["scope"] != scope for attempt in self.live() for scope in self.repeat_scopes())

    def protection_of_one_scope(self) -> tuple[str, Any, str | None]:
        if self.terms["covers"] != "every_outcome":
            return "unestablished", None, "outcomes_not_covered"
        if self.terms["concurrent_use"] != "protected":
            return "unestablished", None, "concurrency_undocumented"
        if self.of("protection_until", "protection_lost"):
            return self.protection_as_stated()
        if self.terms["mechanism"] == "undocumented":
            return "unestablished", None, "undocumented"
        return self.protection_by_contract()

    def protection_as_stated(self) -> tuple[str, Any, str | None]:
        """The newest `protection_until` / `protection_lost` (same date: lost first, then the earlier end)."""
        stated = self.of("protection_until", "protection_lost")
        newest = [row for row in stated if all(row["date"] >= other["date"] for other in stated)]
        if any(row["says"] == "protection_lost" for row in newest):
            return "unestablished", None, "withdrawn"
        end = min(row["until"] for row in newest) - self.terms["margin"]  # "active until `until` - margin"
        return ("active", end, None) if self.now < end else ("unestablished", None, "lapsed")

    def protection_by_contract(self) -> tuple[str, Any, str | None]:
        if self.terms["guaranteed_for"] == "unlimited" or self.terms["after"] == "refused":
            return "active", None, None  # "active, no end"
        if self.terms["guaranteed_for"] == "while_exists":
            return "unestablished", None, "depends_on_existence"
        if self.terms["guaranteed_for"] == "undocumented":
            return "unestablished", None, "undocumented"
        reached = self.may_have_reached()
        if not reached:
            return "active", None, None  # "active, no end yet": "no attempt may have reached the recipient"
        end = min(one["at"] for one in reached) + self.terms["guaranteed_for"] - self.terms["margin"]
        return ("active", end, None) if self.now < end else ("unestablished", None, "lapsed")

    # -- Permitted actions (first row that holds)

    def pollable(self) -> bool:
        """`observe` always, given a pollable channel of authority history, current or derived."""
        asked = [row for row in self.channels.values() if row["authority"] in ("history", "current", "derived")]
        return any(row["pollable"] for row in asked)

    def paced(self) -> bool:
        """Now at least `min_interval` after the last attempt that may have reached the recipient."""
        return all(self.now >= attempt["at"] + self.terms["min_interval"] for attempt in self.may_have_reached())

    def welcome(self) -> bool:
        """If any `pending` or `accepted` is fresh, the contract allows repeating meanwhile."""
        return self.terms["repeat_while_pending"] is True or not any(self.fresh(row) for row in self.of(*ACTIVITY))

    def successor_is_open(self) -> bool:
        """A successor's newest state holds."""
        for row in self.successors:
            same = [other for other in self.successors if other["id"] == row["id"]]
            if row["state"] == "open" and all(row["at"] >= other["at"] for other in same):
                return True
        return False

    def permitted(self) -> list[str]:
        table = {
            "conflict": {"leave_unresolved", "except"},
            "applied": {"record"},
            "excluded by closure": {"record", "propose_new"},
            "nothing can act": {"record", "propose_new", "repeat"},
        }
        allowed = table.get(self.evidence_row())
        if allowed is None:  # "anything else"
            allowed = {"leave_unresolved", "except"}
            if self.protection()[0] == "active" and self.welcome():
                allowed.add("repeat")
        if not self.paced():  # "`repeat` also needs pacing"
            allowed -= {"repeat"}
        if self.successor_is_open():  # "`repeat`, `propose_new` and `except` are shut"
            allowed -= {"repeat", "propose_new", "except"}
        return sorted(allowed | ({"observe"} if self.pollable() else set()))

    def refusal_kind(self, action: str) -> str:
        """Of an action that is not permitted: the first of its kinds, in the order of the text, that holds."""
        row = self.evidence_row()
        excluded = row in ("excluded by closure", "nothing can act")
        unprotected = row != "nothing can act" and self.protection()[0] != "active"
        shut = ("successor", self.successor_is_open())
        orders: dict[str, list[tuple[str, bool]]] = {
            "repeat": [
                ("conflict", row == "conflict"),
                ("settled", row in ("applied", "excluded by closure")),
                shut,
                ("harm", unprotected),
                ("manners", True),
            ],
            "propose_new": [("conflict", row == "conflict"), ("settled", row == "applied"), shut, ("harm", True)],
            "record": [("conflict", row == "conflict"), ("unproven", True)],
            "except": [("settled", row == "applied" or excluded), shut],
            "leave_unresolved": [("settled", True)],
            "observe": [("no_channel", True)],
        }
        return next(kind for kind, holds in orders[action] if holds)
