"""Bytes are read as their form says or not at all: what is cut off, huge or ambiguous is unreadable, never repaired."""

import json
import re
from typing import Final
from urllib.parse import parse_qsl

from operations.contracts.channel import BodyForm
from operations.contracts.places import MISSING, UNREADABLE, Found, Papers
from operations.contracts.xml_text import NotRead, read_xml
from operations.core.strict_json import Json, PlainJson, StrictJsonError, parse

LONGEST: Final = 1024 * 1024
MOST_FIELDS: Final = 1000
# A megabyte of the shortest values takes seconds to read, and others wait meanwhile.
MOST_VALUES: Final = 50_000
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def read_body(body: bytes | None, *, form: BodyForm, repeats: tuple[str, ...] = ()) -> Found:
    """Return what the bytes say; MISSING where there are none, UNREADABLE where they don't read as `form`.

    `repeats` are the elements of an XML body that are lists.
    """
    if not body:
        return MISSING
    if len(body) > LONGEST or form is BodyForm.NONE:
        return UNREADABLE
    if form is BodyForm.JSON:
        return UNREADABLE if _holds_too_much(body) else read_json(body)
    return _read_xml(body, repeats) if form is BodyForm.XML else _read_text(body, form)


def _holds_too_much(body: bytes) -> bool:
    """Say whether a JSON text holds more than MOST_VALUES, counted by the commas between them; those in text are text."""
    return body.count(b",") >= MOST_VALUES and _STRING.sub(b"", body).count(b",") >= MOST_VALUES


def _read_xml(body: bytes, repeats: tuple[str, ...]) -> Found:
    try:
        return read_xml(body, repeats=frozenset(repeats))
    except NotRead:
        return UNREADABLE


def _read_text(body: bytes, form: BodyForm) -> Found:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return UNREADABLE
    return text if form is BodyForm.TEXT else read_form(text)


def read_json(body: bytes | None) -> Found:
    """Return the one value that the bytes can mean as strict JSON."""
    if body is None:
        return MISSING
    try:
        return parse(body)
    except StrictJsonError:
        return UNREADABLE


def read_form(text: str) -> Found:
    """Return the fields of a form or a query, all as text; a name that comes twice makes it unreadable."""
    try:
        fields = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=MOST_FIELDS)
    except ValueError:
        return UNREADABLE
    found: dict[str, Json] = dict(fields)
    return found if len(found) == len(fields) else UNREADABLE


def read_headers(headers: tuple[tuple[str, str], ...]) -> dict[str, Json]:
    """Return header lines by name in lower case, lines of one name joined (RFC 9110, section 5.3)."""
    found: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return dict(found)


def read_plain(value: PlainJson) -> Json:
    """Return a value of the contract document as an answer would carry it: numbers keep their characters."""
    return parse(json.dumps(value))


def with_parts(papers: Papers, **parts: Found) -> Papers:
    """Return the same papers with more parts."""
    return {**papers, **parts}
