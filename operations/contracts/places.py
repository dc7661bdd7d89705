"""Where something stands in a stored request or in an answer, named by JSON pointers that are checked when loaded."""

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator

from operations.core.strict_json import Json, NumberText, is_index, pointer_parts, written

LONGEST_SHOWN: Final = 200


class Gap(Enum):
    """Why there is no value: nothing stands there, or the part around it could not be read."""

    MISSING = "nothing"
    UNREADABLE = "a part that can't be read"


MISSING: Final = Gap.MISSING
UNREADABLE: Final = Gap.UNREADABLE

Found: TypeAlias = Json | Gap
Papers: TypeAlias = Mapping[str, Found]

# The parts of the one document that an answer is read as (answer.py), and of that of a stored request (asked.py).
ANSWER_PARTS: Final = ("status", "headers", "body", "fact", "item", "found", "problem", "preferences")
REQUEST_PARTS: Final = ("method", "target", "query", "headers", "body", "arguments", "scope", "identity")


@lru_cache(maxsize=4096)
def _parts(place: str) -> tuple[str, ...]:
    return pointer_parts(place)


def at(papers: Papers, place: str) -> Found:
    """Return what stands at this pointer; a part that can't be read has nothing that can be found in it."""
    first, *rest = _parts(place)
    node = papers.get(first, MISSING)
    for part in rest:
        if isinstance(node, dict):
            node = node.get(part, MISSING)
        elif isinstance(node, list):
            node = node[int(part)] if is_index(part) and int(part) < len(node) else MISSING
        else:
            return UNREADABLE if node is UNREADABLE else MISSING
    return node


def shown(found: Found) -> str:
    """Return a value as a person reads it, cut off where it is long."""
    if isinstance(found, Gap):
        return found.value
    text = written(found)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}… ({len(text)} characters)"


def as_text(found: Found) -> str | None:
    """Return text, or a number in its own characters; None for everything else."""
    return str(found) if isinstance(found, str | NumberText) else None


def _checked(place: str, parts: tuple[str, ...], whose: str) -> str:
    if not place:
        raise ValueError(f"must point into {whose}: the whole can't be compared")
    found = pointer_parts(place)
    if found[0] not in parts:
        raise ValueError(f"must point into {whose}: /{', /'.join(parts)}")
    if found[0] == "headers" and (len(found) != 2 or found[1] != found[1].lower()):
        raise ValueError("must name one header, in lower case: /headers/idempotency-key")
    return place


def _answer_place(place: str) -> str:
    return _checked(place, ANSWER_PARTS, "the answer")


def _request_place(place: str) -> str:
    return _checked(place, REQUEST_PARTS, "the stored request")


AnswerPlace = Annotated[str, AfterValidator(_answer_place)]
RequestPlace = Annotated[str, AfterValidator(_request_place)]
