"""A small contract for tests, changed place by place: JSON is YAML, so a changed value is a changed document."""

import copy
import json
from collections.abc import Mapping
from typing import Any, Final

from operations.contracts.answer import Answer
from operations.contracts.document import Document
from operations.contracts.loading import ContractRefused, load
from operations.core.representation import Representation
from operations.core.strict_json import pointer_parts


class Gone:
    """Takes a member away."""


GONE: Final = Gone()
NOT_DOCUMENTED: Final = {"is": "undocumented"}

_STATUS_OK: Final = {"at": "/status", "equals": 200}
_EXAMPLE: Final = {"name": "As recorded", "evidence": "recorded"}


def rule(name: str, **told: Any) -> dict[str, Any]:
    """Return a rule of the channel `record` that reads 200 as applied, with what was told instead."""
    return {
        "rule": name,
        "channel": "record",
        "when": _STATUS_OK,
        "says": "applied",
        "reaches": "protected_effect",
        "because": "The record shows it.",
        "source": "docs",
        "correlation": {"by": "identity"},
        "examples": [{**_EXAMPLE, "answer": {"status": 200, "body": {"key": "order-1", "id": "e-1"}}}],
        **told,
    }


BASE: Final[Mapping[str, Any]] = {
    "format": 1,
    "contract": "post-office",
    "title": "A letter",
    "effect": {"word": "letter", "sentence": "Send {text} to {to}", "reference": "letter id"},
    "owner": {"name": "The post office", "history": "Its ledger.", "source": "docs"},
    "request": {"method": "POST", "target": "/letters/{to}", "body": "json"},
    "identity": {
        "carrier": {"at": "/headers/idempotency-key", "source": "docs"},
        "scope": ["account"],
        "scope_source": "docs",
        "bound": {"to": {"at": "/target/to"}, "text": {"at": "/body/text"}},
        "subject": ["to"],
        "changed_arguments": {"is": "refused", "source": "docs"},
    },
    "protection": {
        "mechanism": {"is": "key", "source": "docs"},
        "guaranteed_for": {"is": 3600, "source": "docs"},
        "margin": 30,
        "after": {"is": "runs_as_new", "source": "docs"},
        "covers": {"is": "every_outcome", "source": "docs"},
        "concurrent_use": {"is": "protected", "source": "docs"},
        "repeat_while_pending": {"is": False},
    },
    "closure": {"covers": {"is": "identity", "source": "docs"}},
    "channels": {
        "reply": {
            "kind": "reply",
            "about": "The reply.",
            "authority": "history",
            "reads": "strong",
            "source": "docs",
            "pollable": False,
            "shows": {"identity": "/body/key", "arguments": {"to": "/body/to", "text": "/body/text"}},
            "replayed": {"at": "/headers/replayed", "equals": "true"},
        },
        "record": {
            "kind": "lookup",
            "about": "The record.",
            "authority": "history",
            "reads": "strong",
            "source": "docs",
            "pollable": True,
            "asks": {"target": "/letters/{key}", "carried_by": {"key": "/headers/idempotency-key"}},
            "pacing": {"min_interval": 1, "longest_wait": 60, "per_second": 5, "at_once": 1},
            "shows": {"identity": "/body/key", "arguments": {"to": "/body/to", "text": "/body/text"}},
        },
        "wire": {"kind": "client", "about": "Us.", "authority": "client", "reads": "unordered", "pollable": False},
    },
    "readings": [rule("recorded", effect_ref={"at": "/body/id"})],
    "after_guarantee": "not documented",
    "conditional_replacement": "not documented",
    "closing_request": "not documented",
    "interview": dict.fromkeys(
        (
            "effect_and_owner",
            "receipts",
            "negative_lookup",
            "excluding_later_effects",
            "identity_and_scope",
            "errors_replayed",
            "observation_later",
        ),
        "not documented",
    ),
    "sources": {
        "docs": {
            "claim": "What the handbook says.",
            "address": "handbook, page 1",
            "read_on": "2026-11-30",
            "evidence": "documented",
            "quote": "Every letter bears its key.",
        },
        "guess": {"claim": "A guess.", "address": "ours", "read_on": "2026-11-30", "evidence": "inferred"},
        "unquoted": {"claim": "Restated.", "address": "page 2", "read_on": "2026-11-30", "evidence": "documented"},
    },
    "specimen": {
        "method": "POST",
        "target": "/letters/anna",
        "headers": {"idempotency-key": "order-1"},
        "body": {"text": "hello"},
        "identity": "order-1",
    },
}


def changed(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the small contract with other values at these places; GONE takes one away, a list's end is `/-`."""
    document = copy.deepcopy(dict(BASE))
    for place, value in copy.deepcopy(dict(changes)).items():
        *way, last = pointer_parts(place)
        node: Any = document
        for part in way:
            node = node[int(part)] if isinstance(node, list) else node.setdefault(part, {})
        if isinstance(node, list):
            node[len(node) if last == "-" else int(last) : None if last == "-" else int(last) + 1] = [value]
        elif isinstance(value, Gone):
            del node[last]
        else:
            node[last] = value
    return document


def text(changes: Mapping[str, Any] | None = None) -> str:
    """Return the changed contract as text, a member a line."""
    return json.dumps(changed(changes or {}), indent=1)


def contract(changes: Mapping[str, Any] | None = None) -> Document:
    """Return the changed contract, loaded."""
    return load(text(changes))


def unchecked(changes: Mapping[str, Any]) -> Document:
    """Return the changed contract as it is written: well formed, its examples not run."""
    return Document.model_validate_json(text(changes))


def refused(changes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return for what the changed contract is refused: place and rule of each fault; none if it is not."""
    try:
        contract(changes)
    except ContractRefused as refusal:
        return [(one.fault.place, one.fault.rule) for one in refusal.faults]
    return []


def request(**told: Any) -> Representation:
    """Return the stored request of the small contract, with what was told instead."""
    return Representation(
        **{
            "method": "POST",
            "target": "/letters/anna",
            "headers": (("Idempotency-Key", "order-1"),),
            "body": b'{"text": "hello"}',
            "scope": "account one",
            "identity": "order-1",
            **told,
        }
    )


def answer(channel: str = "record", **told: Any) -> Answer:
    """Return an answer that came at 1,001 to a question of 1,000; `json` is its body as a value."""
    body = json.dumps(told.pop("json")).encode() if "json" in told else told.pop("body", None)
    given = {"received_at": 1001.0, "asked_at": 1000.0, "authentic": True, "status": 200, **told}
    return Answer(channel=channel, body=body, **given)
