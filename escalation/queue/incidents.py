"""What waits at one recipient as a whole: how much, why, and what is lost first."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from escalation.models import Waiting
from escalation.policy import Reads
from escalation.queue.asking import Question, counted
from escalation.queue.facets import Facets, facets
from escalation.queue.filters import Filters
from escalation.queue.groups import NEVER, Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """What waits at one recipient. `first_at` is when the first window or deadline that is still to come ends, of `first`."""

    groups: dict[Group, int]
    facets: Facets
    first_at: datetime | None
    first: int | None


def incident(recipient: str, *, reads: Reads, person: int | None, now: datetime) -> Incident:
    """Return what waits at the recipient with this key, as of `now`."""
    question = Question(now=now, reads=reads, person=person, filters=Filters(recipient=recipient))
    here = Q(left_until=None) | Q(left_until__lte=now)
    condition = reads.at("recipient_id") & question.filters.narrows(person=person) & here
    dated = Waiting.objects.filter(condition, act_before__gt=now, act_before__lt=NEVER)
    found = dated.order_by("act_before", "number").values_list("act_before", "number").first()
    first_at, first = found or (None, None)
    return Incident(groups=counted(question), facets=facets(question), first_at=first_at, first=first)
