"""How the page of a run of the agent's side calls itself."""

from typing import Final

from tests.agentfaults.breaking import PROCESSES
from tests.faults.table import Words

WORDS: Final = Words(
    title="A run of the agent's faults",
    command="python -m tests.agentfaults",
    means="agent-faults.md",
    processes=PROCESSES,
)
