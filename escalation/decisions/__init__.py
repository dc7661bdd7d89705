"""One module a decision, each one transaction of one shape (design.md, rule 3)."""

from escalation.decisions.refused import NotAllowed, StaleView

__all__ = ["NotAllowed", "StaleView"]
