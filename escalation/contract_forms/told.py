"""What a form sends and shows for one question, and what is no answer to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

Sent: TypeAlias = Mapping[str, str]


class Nothing(Enum):
    """What no document can hold: nothing stands there, or something that this question can't show."""

    GONE = "gone"
    FOREIGN = "foreign"


GONE: Final = Nothing.GONE
FOREIGN: Final = Nothing.FOREIGN
NONE: Final = "none"


class NoAnswer(ValueError):
    """What was sent is no answer to this question; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer as a form has it: the chosen option and the typed text."""

    token: str = ""
    text: str = ""
