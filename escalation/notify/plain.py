"""What a recipient or an agent wrote, made fit for one line that somebody else shows: it can't break out of it.

Each way escapes for its own medium besides; this takes away what no medium should be given.
"""

import re
import unicodedata
from typing import Final

# Not shown, and does not change what is read: it keeps mail readers and messengers from making a link of it.
_JOINER: Final = "\u2060"
_LINKS: Final = re.compile(r"(?<=:)(?=//)|(?<=\bwww)(?=\.)", re.IGNORECASE)
# Cc, Cf (what turns the order of letters round among them), Cs, Co, Cn; line and paragraph separators.
_UNFIT: Final = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])


def one_line(text: str, *, most: int) -> str:
    """Return text as one line of at most `most` characters: what isn't shown is a space, what is cut ends in an ellipsis."""
    shown = "".join([" " if unicodedata.category(char) in _UNFIT and char != _JOINER else char for char in text])
    line = " ".join(shown.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def unlinked(text: str) -> str:
    """Return text of which no reader makes a link by itself; it reads the same."""
    return _LINKS.sub(_JOINER, text)


def told(text: str, *, most: int = 500) -> str:
    """Return what somebody else wrote as it may stand in a notice that people read."""
    return unlinked(one_line(text, most=most))
