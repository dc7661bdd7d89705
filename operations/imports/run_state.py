"""A state of the Agents SDK (openai-agents): calls from the model's responses, never from the items alone.

A run that dies inside a tool can keep a call's id and nothing else of it; parallel calls of which one raised lose that
one from the items. So the calls are those of `model_responses`, of the items and of `tool_invocations` together.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from operations.core.strict_json import Json
from operations.imports.call import DIGITS, Call
from operations.imports.document import items, member, place, text_at
from operations.imports.items import call_in, output_in
from operations.imports.requests import Request, called, deliver
from operations.imports.words import Delivered, Gate, OutputClass, Reason, Started

# From this schema on, `tool_invocations` says whether a tool was entered.
_TELLS_STARTED: Final = (1, 15)
_ITEMS: Final = ("generated_items", "session_items")


def calls_of(
    state: dict[str, Json],
    requests: list[Request] | None,
    *,
    scope: str | None = None,
    where: tuple[str | int, ...] = (),
) -> list[Call]:
    """Return the calls of a state and of the states nested in it; `requests` is its request log, where there is one."""
    reading = _Reading(state=state, where=where)
    reading.read()
    calls = list(reading.calls.values())
    nested = list(_nested(state, where))
    if requests is not None:
        _name(calls, requests)
        calls = _filled(calls, {call.call_id for call in nested}, requests)
        deliver(calls, requests)
    for call in calls:
        call.scope = scope
    return [*calls, *nested]


def _filled(calls: list[Call], elsewhere: set[str], requests: list[Request]) -> list[Call]:
    """Return the calls with those that a reply in the log has and the state lost; a reply's turn is its request's."""
    known = elsewhere | {call.call_id for call in calls}
    lost: dict[str, Call] = {}
    for turn, request in enumerate(requests):
        for call in request.asked:
            if call.call_id not in known and call.call_id not in lost:
                call.turn, call.identity_from = turn, "request_log"
                call.pointers = {}  # they point into the log
                lost[call.call_id] = call
    return sorted([*calls, *lost.values()], key=lambda call: call.turn) if lost else calls


def _nested(state: dict[str, Json], where: tuple[str | int, ...]) -> Iterator[Call]:
    """Yield the calls of the agents that run as tools of this one."""
    for index, function in items(state, "last_processed_response", "functions"):
        inner = function.get("agent_run_state")
        outer = text_at(function, "tool_call", "call_id") or "a call"
        if isinstance(inner, dict):
            way = (*where, "last_processed_response", "functions", index, "agent_run_state")
            yield from calls_of(inner, None, scope=f"nested in {outer}", where=way)


def _name(calls: list[Call], requests: list[Request]) -> None:
    """Give a call of which the state kept the id alone the name and arguments that the log has."""
    known = called(requests)
    for call in calls:
        if call.name is None and call.call_id in known:
            call.name, call.arguments = known[call.call_id].name, known[call.call_id].arguments
            call.identity_from = "request_log"


@dataclass(slots=True, kw_only=True)
class _Reading:
    state: dict[str, Json]
    where: tuple[str | int, ...]
    calls: dict[str, Call] = field(default_factory=dict)
    in_items: set[str] = field(default_factory=set)
    approvals: dict[str, dict[str | None, "_Said"]] = field(default_factory=dict)
    hosted: "_Said" = field(default_factory=lambda: _Said())

    def read(self) -> None:
        self._responses()
        self._items()
        self._invocations()
        self._approvals()
        waiting = self._waiting()
        nested = {text_at(one, "tool_call", "call_id") for one in self._nesting()}
        for call in self.calls.values():
            call.waits_nested = call.call_id in nested and not call.outputs
            call.gate = self._gate(call, waiting)
            call.started = self._started(call)
            if self.in_items and call.name is not None and call.call_id not in self.in_items:
                call.found.append(Reason.CALL_MISSING_FROM_ITEMS)
            if call.outputs and call.delivered is None:
                call.deliver(self._delivered(call))

    def _responses(self) -> None:
        for turn, response in items(self.state, "model_responses"):
            for index, item in items(response, "output"):
                call = call_in(item, turn=turn)
                if call is not None:
                    call.response = text_at(response, "response_id")
                    call.point("requested", place(*self.where, "model_responses", turn, "output", index))
                    self.calls.setdefault(call.call_id, call)

    def _items(self) -> None:
        for name in _ITEMS:
            for index, item in items(self.state, name):
                raw, pointer = item.get("raw_item"), place(*self.where, name, index)
                if isinstance(raw, dict):
                    self._item(raw, pointer)

    def _item(self, raw: dict[str, Json], pointer: str) -> None:
        found = output_in(raw)
        if found is not None:
            call = self.calls.setdefault(found[0], Call(call_id=found[0], turn=self._last))
            call.add(found[1], pointer=pointer)
            if "run_state" not in call.persisted:
                call.persisted.append("run_state")
        asked = call_in(raw, turn=self._last)
        if asked is not None:
            self.in_items.add(asked.call_id)
            self.calls.setdefault(asked.call_id, asked).point("requested", pointer)

    def _invocations(self) -> None:
        found = member(self.state, "context", "tool_invocations")
        for call_id, kept in found.items() if isinstance(found, dict) else []:
            call = self.calls.setdefault(call_id, Call(call_id=call_id, turn=self._last))
            call.point("started", place(*self.where, "context", "tool_invocations", call_id))
            if call.name is None:
                call.sdk_fingerprint = (text_at(kept, "fingerprint") or "")[:DIGITS] or None

    @property
    def _last(self) -> int:
        found = member(self.state, "model_responses")
        return len(found) - 1 if isinstance(found, list) else -1

    def _nesting(self) -> list[dict[str, Json]]:
        functions = [one for _, one in items(self.state, "last_processed_response", "functions")]
        return [one for one in functions if isinstance(one.get("agent_run_state"), dict)]

    def _waiting(self) -> dict[str, str | None]:
        """Return the ids of the calls that are waited for, each with the name of its agent where that is given."""
        ids: dict[str, str | None] = {}
        for index, item in items(self.state, "current_step", "data", "interruptions"):
            call_id = text_at(item, "raw_item", "call_id") or text_at(item, "raw_item", "id")
            if call_id is not None:
                ids[call_id] = text_at(item, "agent", "name")
                if call_id in self.calls:
                    way = place(*self.where, "current_step", "data", "interruptions", index)
                    self.calls[call_id].point("gate", way)
        return ids

    def _gate(self, call: Call, waiting: dict[str, str | None]) -> Gate:
        """A decision shows as a gate only as long as the state still waits for it to be carried out."""
        if call.call_id not in waiting:
            return Gate.NONE
        said = list(self._said(call, waiting[call.call_id]))
        for gate in (Gate.APPROVED, Gate.REJECTED):
            if any(one.names(gate, call.call_id) for one in said):
                return gate
        return Gate.WAITING

    def _approvals(self) -> None:
        """Sort the decisions by tool and agent, once: a state may have as many of them as calls."""
        context = member(self.state, "context")
        for _, one in items(context, "function_tool_approvals"):
            self._decided(text_at(one, "tool_key"), text_at(one, "agent", "name"), one.get("decision"))
        kept = member(context, "approvals")
        for tool, decision in kept.items() if isinstance(kept, dict) else ():
            self._decided(tool, None, decision)
        for _, one in items(context, "hosted_mcp_approvals"):
            self.hosted.add(one)

    def _decided(self, tool: str | None, agent: str | None, decision: Json) -> None:
        if tool is not None and isinstance(decision, dict):
            self.approvals.setdefault(tool, {}).setdefault(agent, _Said()).add(decision)

    def _said(self, call: Call, agent: str | None) -> Iterator["_Said"]:
        """Yield what was decided about the tool of a call; a decision or a call without an agent is any agent's."""
        by_agent = self.approvals.get(call.name or "", {})
        yield from by_agent.values() if agent is None else [by_agent[one] for one in (agent, None) if one in by_agent]
        if call.asks_first:
            yield self.hosted

    def _started(self, call: Call) -> Started:
        if call.gate is not Gate.NONE or _not_attempted(call):
            return Started.NO
        if _schema(self.state) < _TELLS_STARTED:
            return Started.UNKNOWN
        executed = member(self.state, "context", "tool_invocations", call.call_id, "executed")
        if not isinstance(executed, bool):
            return Started.UNKNOWN
        return Started.YES if executed else Started.NO

    def _delivered(self, call: Call) -> Delivered:
        """Return what the state alone shows: what came before a later response must have been in its request."""
        if call.turn < self._last:
            return Delivered.INFERRED_ONLY if self._server_managed else Delivered.REPLAYED_HISTORY
        if text_at(self.state, "current_step", "type") == "next_step_interruption":
            return Delivered.NOT_SENT
        return Delivered.UNKNOWN

    @property
    def _server_managed(self) -> bool:
        return any(self.state.get(name) for name in _MANAGED)


_MANAGED: Final = ("conversation_id", "previous_response_id", "auto_previous_response_id")


def _not_attempted(call: Call) -> bool:
    return bool(call.outputs) and all(output.kind is OutputClass.NOT_ATTEMPTED for output in call.outputs)


@dataclass(slots=True)
class _Said:
    """What was decided: of which calls, and whether of every call of the tool (`true` is a decision that sticks to it)."""

    ids: dict[Gate, set[str]] = field(default_factory=lambda: {Gate.APPROVED: set(), Gate.REJECTED: set()})
    every: set[Gate] = field(default_factory=set)

    def add(self, decision: dict[str, Json]) -> None:
        for gate, held in self.ids.items():
            decided = decision.get(gate.value)
            if decided is True:
                self.every.add(gate)
            elif isinstance(decided, list):
                held.update([one for one in decided if isinstance(one, str)])

    def names(self, gate: Gate, call_id: str) -> bool:
        """Say whether a decision of this kind is about the call."""
        return gate in self.every or call_id in self.ids[gate]


def _schema(state: dict[str, Json]) -> tuple[int, int]:
    """Return the schema's version, (0, 0) where it can't be read."""
    major, _, minor = (text_at(state, "$schemaVersion") or "").partition(".")
    return (int(major), int(minor)) if _is_short(major) and _is_short(minor) else (0, 0)


def _is_short(digits: str) -> bool:
    """Say whether digits are a version's: a number of thousands of digits is none, and no reader turns it into one."""
    return digits.isdecimal() and len(digits) < DIGITS
