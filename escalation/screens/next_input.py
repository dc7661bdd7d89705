"""What is wrong with a resumed run's next input, as people read it."""

from dataclasses import dataclass
from typing import Final

from operations.imports.next_input import ABSENT, TWICE, UNDECIDED, UNTOLD, Fault

_WORDS: Final = {
    ABSENT: ("output absent", "It is owed an output, and no request carries one."),
    TWICE: ("output twice", "A server that keeps the history got its output again, or one input holds it twice."),
    UNTOLD: ("decision absent", "A person decided about it, and no request carries the decision."),
    UNDECIDED: ("not decided yet", "It still waited for a person's decision when the request was made."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultLine:
    """One call whose output is not there exactly once."""

    call_id: str
    tool: str
    word: str
    sentence: str


def fault_line(fault: Fault) -> FaultLine:
    """Return a fault as its line shows it."""
    word, said = _WORDS[fault.what]
    return FaultLine(call_id=fault.call_id, tool=fault.name or "", word=word, sentence=said)
