"""For LangGraph: effects that look their journal up first, threads that stop where nobody knows, and a log of what was read."""

from unresolved.adapters.langgraph.answering import ReadLog, brought_up_to_date, in_envelopes, one_task_each
from unresolved.adapters.langgraph.checking import Unguarded, require_guarded, unguarded
from unresolved.adapters.langgraph.effects import NamedByTheRun
from unresolved.adapters.langgraph.stopping import UNAVAILABLE, UNRESOLVED
from unresolved.adapters.langgraph.wrapping import guarded_node, guarded_task, guarded_tool

__all__ = [
    "UNAVAILABLE",
    "UNRESOLVED",
    "NamedByTheRun",
    "ReadLog",
    "Unguarded",
    "brought_up_to_date",
    "guarded_node",
    "guarded_task",
    "guarded_tool",
    "in_envelopes",
    "one_task_each",
    "require_guarded",
    "unguarded",
]
