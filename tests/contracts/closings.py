"""The small contract with a closing request: what is refused of it, and what is read out of its answers."""

from collections.abc import Mapping
from typing import Any, Final

from operations.contracts.document import ClosingRequest
from tests.contracts.documents import contract, rule

CLOSING: Final[Mapping[str, Any]] = {
    "sentence": "Stop the letter",
    "method": "POST",
    "target": "/letters/{key}/stop",
    "carried_by": {"key": "/headers/idempotency-key"},
    "contract": "post-office-stopping",
    "heard_on": {"reply": "stopped"},
    "after_effect": {"is": "refused", "source": "docs"},
    "source": "docs",
}
CHANNEL: Final[Mapping[str, Any]] = {
    "kind": "closing",
    "about": "The answer to the request that stops a letter.",
    "authority": "history",
    "reads": "strong",
    "source": "docs",
    "pollable": False,
    "shows": {"identity": "/body/key", "arguments": {"to": "/body/to", "text": "/body/text"}},
}


def stopping(name: str = "stopped", **told: Any) -> dict[str, Any]:
    """Return a rule of the channel `stopped` that reads 200 as closed, with what was told instead."""
    example = {"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": {"key": "order-1"}}}
    return rule(name, channel="stopped", **{"says": "closed", "examples": [example], **told})


def closing_of(changes: Mapping[str, Any]) -> ClosingRequest:
    """Return the closing request of the changed contract, which documents one."""
    found = contract(changes).closing_request
    assert isinstance(found, ClosingRequest)
    return found


def with_closing(*rules: Mapping[str, Any], **closing: Any) -> dict[str, Any]:
    """Return the changes that give the small contract a closing request, its channel and these rules."""
    changes: dict[str, Any] = {"/closing_request": {**CLOSING, **closing}, "/channels/stopped": dict(CHANNEL)}
    for told in rules or (stopping(),):
        changes["/readings/-"] = told
    return changes
