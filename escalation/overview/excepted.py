"""Accepted risks that were taken, and how many came true: the rule is `decisions.came_true`'s."""

from dataclasses import dataclass

from django.db.models import Count, Q

from escalation.decisions.came_true import Score, scored
from escalation.models import BusinessException
from escalation.overview.ranges import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Excepted:
    """The risks that were taken at one recipient in the time, and what is known of them by now."""

    recipient: str
    came_true: int
    did_not: int
    unknown: int

    @property
    def number(self) -> int:
        """How many were taken."""
        return self.came_true + self.did_not + self.unknown

    @property
    def share(self) -> float | None:
        """Which part of those of which it is known came true; None: it is known of none."""
        known = self.came_true + self.did_not
        return self.came_true / known if known else None


def excepted(asked: Asked) -> tuple[Excepted, ...]:
    """Return the risks that were taken, by recipient, most first."""
    taken = BusinessException.objects.filter(asked.reads.at("operation__recipient_id"), asked.span.on("used_at"))
    rows = scored(taken).order_by().values("operation__recipient_id", "operation__recipient__name")
    found = rows.annotate(
        came_true=Count("pk", filter=Q(score=Score.CAME_TRUE.value)),
        did_not=Count("pk", filter=Q(score=Score.DID_NOT.value)),
        unknown=Count("pk", filter=Q(score=Score.UNKNOWN.value)),
    )
    every = [
        Excepted(
            recipient=row["operation__recipient__name"],
            came_true=row["came_true"],
            did_not=row["did_not"],
            unknown=row["unknown"],
        )
        for row in found
    ]
    return tuple(sorted(every, key=lambda one: (-one.number, one.recipient)))
