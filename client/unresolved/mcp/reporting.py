"""An agent's word, told at the desk's door with the caller's own key. Every call may come again and changes nothing.

The desk opens an operation together with its first attempt, so the leave to send that one is taken apart: by the first
`record_attempt` that claims it, in words that the desk keeps under one id for all. Whoever comes second is told no.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from unresolved import envelope
from unresolved.desk import Answer, Desk, Unreachable
from unresolved.mcp.asked import (
    LONGEST_PAYLOAD,
    AskPermittedActions,
    CollectResolution,
    RecordAttempt,
    RecordObservation,
    RecordOperation,
    WrongArguments,
    json_of,
)
from unresolved.request import as_json, in_base64
from unresolved.words import MEANS, Next

REPORTED: Final = "agent-reported (MCP)"
FIRST: Final = "first, agent-reported"
_LEAVE: Final = "leave of the first attempt"
_KNOWN: Final = ("evidence", "finality", "protection", "conflict", "permitted")
# The desk's fields under the names that an agent gave.
_FIELDS: Final = {
    "/recipient": "/contract",
    "/identity": "/operation_key",
    "/grant": "/attempt_id",
    "/id": "/attempt_id",
}

Told = dict[str, Any]


class Refused(Exception):
    """The desk refused it, and nothing of it is on record."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.rule)
        self.rule = answer.rule
        self.says = str(answer.body.get("detail", ""))
        self.operation = answer.body.get("operation")
        self.fields = [_renamed(one) for one in answer.body.get("errors", []) if isinstance(one, dict)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporter:
    """Speaks to the desk for one caller."""

    desk: Desk = field(repr=False)

    def record_operation(self, asked: RecordOperation) -> Told:
        """Put an operation on record, and say under which key it goes out."""
        body = {
            "recipient": asked.contract,
            "identity": asked.operation_key,
            "request": _request(asked),
            "attempt": {"id": FIRST, "sends": "many"},
            "origin": {"agent": REPORTED, "tool": asked.tool},
        }
        found = self._told("POST", "/operations", body)
        known = self._known(str(found["operation"]))
        then = "Call record_attempt before you send." if found["attempt"]["recorded"] else MEANS[Next.HELD]
        return {"operation": found["operation"], "send_this_key": asked.operation_key, **known, "then": then}

    def record_attempt(self, asked: RecordAttempt) -> Told:
        """Say whether this attempt may go out, once."""
        whole = self._whole(asked.operation)
        begun = {one["id"] for one in whole["attempts"]}
        if asked.attempt_id in begun:
            return self._no(asked, "this attempt was told before; whether it went out, you have to know")
        if FIRST in begun:
            claimed = self._claimed(asked)
            if claimed is not None:
                return claimed
        return self._granted(asked, whole)

    def _claimed(self, asked: RecordAttempt) -> Told | None:
        """Return the answer where this attempt is the first, None where another is."""
        words = f"Agent-reported: the attempt {json.dumps(asked.attempt_id)} goes out as the first one."
        try:
            found = self._told("POST", _at(asked, "words"), {"event": _LEAVE, "words": words, "attempt": FIRST})
        except Refused as refused:
            if refused.rule != "event_differs":
                raise
            return None
        if not found["created"]:
            return self._no(asked, "this attempt was told before; whether it went out, you have to know")
        if not _is_untouched(found["standing"]):
            return self._no(asked, "something is known or decided of this operation already")
        return {"send": True, "operation": asked.operation, "attempt_id": asked.attempt_id, "then": _SEND}

    def _granted(self, asked: RecordAttempt, whole: Mapping[str, Any]) -> Told:
        """Begin a further attempt with the grant that waits, where this key may fetch one."""
        grant = self.desk.call("GET", _at(asked, "grant"))
        if grant.status != 200:
            return self._no(asked, "it was attempted before; a repeat takes a grant, which only a person gives")
        body = {"id": asked.attempt_id, "sends": "many", "grant": grant.body["grant"]}
        bound = {"scope": grant.body["scope"], "digest": whole["request"]["digest"]}
        found = self._told("POST", _at(asked, "attempts"), {**body, **bound})
        if not found["created"]:
            return self._no(asked, "this attempt was told before; whether it went out, you have to know")
        return {"send": True, "operation": asked.operation, "attempt_id": asked.attempt_id, "then": _SEND}

    def _no(self, asked: RecordAttempt, reason: str) -> Told:
        named = {"send": False, "operation": asked.operation, "attempt_id": asked.attempt_id, "reason": reason}
        return {**named, **self._known(asked.operation)}

    def record_observation(self, asked: RecordObservation) -> Told:
        """Keep an agent's word; whatever it says, what is known of the effect stays what it was."""
        payload = json_of(asked.payload, field="payload", most=LONGEST_PAYLOAD)
        said = {"attempt_id": asked.attempt_id, "source": asked.source, "kind": asked.kind}
        words = f"Agent-reported: {as_json(said).decode()}\n{payload.decode()}"
        event = asked.observation_id or sha256(words.encode()).hexdigest()
        found = self._told("POST", _at(asked, "words"), {"event": f"agent:{event}", "words": words})
        standing = found["standing"]
        kept = {"operation": asked.operation, "recorded": True, "settles": False, "counts_as": "words of an agent"}
        return {**kept, **_shown(standing)}

    def ask_permitted_actions(self, asked: AskPermittedActions) -> Told:
        """Return what is known and what may be done now."""
        standing = self._whole(asked.operation)["standing"]
        refusals = {action: _refusal(why) for action, why in standing["refusals"].items()}
        return {"operation": asked.operation, **_shown(standing), "refusals": refusals, "missing": standing["missing"]}

    def collect_resolution(self, asked: CollectResolution) -> Told:
        """Return what is known and decided by now, at once."""
        if asked.received is not None:
            step = {"event": f"received {asked.received}", "step": "acknowledged", "links": asked.received}
            self._told("POST", _at(asked, "deliveries"), step)
        found = self._told("POST", _at(asked, "result"), {})
        standing = found.pop("standing")
        return {**found, **_shown(standing), "decisions": standing["decisions"]}

    def _known(self, operation: str) -> Told:
        return _shown(self._whole(operation)["standing"])

    def _whole(self, operation: str) -> Mapping[str, Any]:
        return self._told("GET", f"/operations/{operation}")

    def _told(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Return what the desk says; raises `Refused`, and `Unreachable` where it may be on record."""
        answer = self.desk.call(method, path, None if body is None else as_json(body))
        if answer.is_done:
            return dict(answer.body)
        if answer.status >= 500 or not answer.rule:
            raise Unreachable(f"the desk answered {answer.status} {answer.rule}".rstrip())
        raise Refused(answer)


_SEND: Final = (
    "Send it once, now, and report what comes back with record_observation. Never let anything send it again."
)


def _at(asked: RecordAttempt | RecordObservation | CollectResolution, what: str) -> str:
    return f"/operations/{asked.operation}/{what}"


def _request(asked: RecordOperation) -> Told:
    """Return what is bound: the request that the agent names, or the call of an MCP tool."""
    arguments = json_of(asked.arguments, field="arguments")
    exact = asked.request
    if exact is not None:
        return {
            "method": exact.method,
            "target": exact.target,
            "headers": [list(line) for line in exact.headers.items()],
            "body": None if exact.body is None else in_base64(_bytes(exact.body)),
            "arguments": in_base64(arguments),
            "scope": asked.scope,
        }
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": asked.tool, "arguments": asked.arguments}}
    return {
        "method": "POST",
        "target": "/mcp",
        "headers": [["Content-Type", "application/json"]],
        "body": in_base64(as_json(call)),
        "arguments": in_base64(arguments),
        "scope": asked.scope,
    }


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        wrong = {"field": "/request/body", "rule": "unicode", "message": "must hold no lone surrogate"}
        raise WrongArguments([wrong]) from None


def _is_untouched(standing: Mapping[str, Any]) -> bool:
    """Say whether nothing is known and nothing is decided that speaks against a first sending."""
    if standing["decisions"] or standing["conflict"] or standing["sealed"]:
        return False
    return bool(standing["evidence"] == "unknown" and standing["finality"] != "excluded")


def _shown(standing: Mapping[str, Any]) -> Told:
    word = envelope.next_of(standing, granted=False)
    known = {name: standing[name] for name in _KNOWN}
    return {"next": word, "means": MEANS[word], **known, "protection_until": standing["protection_until_iso"]}


def _refusal(why: Mapping[str, Any]) -> Told:
    return {"kind": why["kind"], "reason": why["reason"], "until": why["until_iso"]}


def _renamed(one: Mapping[str, Any]) -> dict[str, str]:
    place = str(one.get("field", ""))
    return {
        "field": _FIELDS.get(place, place),
        "rule": str(one.get("rule", "")),
        "message": str(one.get("message", "")),
    }
