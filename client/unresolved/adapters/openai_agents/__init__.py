"""For openai-agents: tools that answer with an envelope always, a gate before a new proposal, and a log of what was read."""

from unresolved.adapters.openai_agents.linting import Unguarded, require_guarded, unguarded
from unresolved.adapters.openai_agents.requests import ReadLog, brought_up_to_date
from unresolved.adapters.openai_agents.settling import settle
from unresolved.adapters.openai_agents.tool import guarded_tool

__all__ = [
    "ReadLog",
    "Unguarded",
    "brought_up_to_date",
    "guarded_tool",
    "require_guarded",
    "settle",
    "unguarded",
]
