"""Who may get in and what they hold: changed by administrators at the screen alone, each change on record."""

from escalation.access.changing import By, NotChanged

__all__ = ["By", "NotChanged"]
