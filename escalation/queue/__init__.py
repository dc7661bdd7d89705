"""The queue: which operations need a person, in which group, and by when (docs/queue.md).

An operation waits while the recipient contradicts itself, while an established outcome is not in our record, and while
its outcome is open past the time in which it is expected (design.md, rule 10; screens.md, Queue). What is merely on
its way is left alone until then, unless something runs out within the hour. What a person left unresolved, or put off,
stands apart until the time to look again, or until anything moves.
"""

from escalation.queue.asking import MOST_COUNTED, Placed, Question, counted, every, placed, revision
from escalation.queue.choosing import Chosen, all_of, chosen
from escalation.queue.facets import Causes, Choice, Facets, facets, grouped
from escalation.queue.filters import MINE, NO_FACT, NO_TEAM, NOBODY, OWNERS, Filters, Place, place_of
from escalation.queue.groups import NEVER, SITUATIONS, SOON, Group
from escalation.queue.incidents import Incident, incident
from escalation.queue.loading import PAGE, called, page, revision_of
from escalation.queue.windows import end_windows

__all__ = [
    "MINE",
    "MOST_COUNTED",
    "NEVER",
    "NOBODY",
    "NO_FACT",
    "NO_TEAM",
    "OWNERS",
    "PAGE",
    "SITUATIONS",
    "SOON",
    "Causes",
    "Choice",
    "Chosen",
    "Facets",
    "Filters",
    "Group",
    "Incident",
    "Place",
    "Placed",
    "Question",
    "all_of",
    "called",
    "chosen",
    "counted",
    "end_windows",
    "every",
    "facets",
    "grouped",
    "incident",
    "page",
    "place_of",
    "placed",
    "revision",
    "revision_of",
]
