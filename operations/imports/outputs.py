"""An output is sorted by what it claims, and the rule that sorted it stands beside it; none of them proves an effect.

The runtimes' own sentences first, then an envelope of ours, then a flag or words of trouble; everything else claims a
result. There is no class "failed": a tool that says it failed may have acted (docs/imports.md).
"""

import re
from dataclasses import dataclass
from typing import Final

from operations.core.strict_json import Json, StrictJsonError, parse
from operations.imports.document import member
from operations.imports.words import OutputClass

# Longer texts are answers that mention trouble, not trouble.
SHORT: Final = 400
SHOWN: Final = 500
ERROR_FLAG: Final = "error flag"

_NOT_FOUND: Final = re.compile(r"Tool '[^']*' not found\.")
_NOT_APPROVED: Final = "Tool execution was not approved."
_DEFAULT_ERROR: Final = "An error occurred while running the tool. Please try again."
_TROUBLE: Final = re.compile(
    r"time[sd]?[ -]?out|deadline exceeded|connection (?:refused|reset|closed|aborted|error|lost|failed)|broken pipe"
    r"|(?:network|connect|read|socket) ?error|unreachable|no (?:reply|response|answer)|end of file|disconnected"
    r"|(?:http|status|code|error)\W{0,3}5\d\d\b|^5\d\d\b|bad gateway|service unavailable|internal server error",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """What a rule of people adds to an output: a class, the rule and version that says so, and its pattern."""

    kind: OutputClass
    by: str
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output: its text, its class, and the rule or text by which it is in it; `ruled` is what people's rules add."""

    text: str
    kind: OutputClass
    matched: str
    ruled: Ruled | None = None

    @property
    def taken_for(self) -> OutputClass:
        """The class that counts for what is open: that of a rule of people's, else its own."""
        return self.kind if self.ruled is None else self.ruled.kind


def output_of(text: str, *, error: bool = False) -> Output:
    """Return an output with its class; `error` is the runtime's own flag."""
    kind, matched = _sorted(text, error=error)
    return Output(text=text, kind=kind, matched=matched)


def _sorted(text: str, *, error: bool) -> tuple[OutputClass, str]:
    if _NOT_FOUND.fullmatch(text) or text == _NOT_APPROVED:
        return OutputClass.NOT_ATTEMPTED, _cut(text)
    if text.startswith(_DEFAULT_ERROR):
        return OutputClass.INCONCLUSIVE, "sdk default error text"
    effect = _effect(text)
    if effect is not None:
        return OutputClass.ENVELOPE, _cut(effect)
    if error:
        return OutputClass.INCONCLUSIVE, ERROR_FLAG
    if len(text) <= SHORT and _TROUBLE.search(text):
        return OutputClass.INCONCLUSIVE, "timeout/connection text"
    return OutputClass.CLAIMS_RESULT, _cut(text)


def _effect(text: str) -> str | None:
    """Return what an envelope of ours says of the effect, or None: not one."""
    if not text.startswith("{") or '"operation"' not in text:
        return None
    try:
        value = parse(text)
    except StrictJsonError:
        return None
    if not isinstance(value, dict) or "operation" not in value:
        return None
    if value.get("conflict") is True:
        return "conflict"
    effect = value.get("evidence", value.get("effect"))
    return _said(effect, value.get("finality")) if isinstance(effect, str) else None


def operation_in(text: str) -> str | None:
    """Return the operation that an envelope of ours names, None where it names none."""
    try:
        named = member(parse(text), "operation")
    except StrictJsonError:
        return None
    return named if isinstance(named, str) else None


def _said(effect: str, finality: Json) -> str:
    """Return the effect in one of four words: an absence counts where nothing can act any more, else it is unknown."""
    if effect in {"applied", "pending", "conflict"} or (effect == "not_applied" and finality == "excluded"):
        return effect
    return "unknown"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def text_of(value: Json) -> str:
    """Return the text of an output that may be a string, or a list of blocks of which some hold text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [one.get("text") if isinstance(one, dict) else one for one in value]
        return "\n".join([part for part in parts if isinstance(part, str)])
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"])
    return ""
