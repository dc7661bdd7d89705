"""Responses of the Responses API: a chain of requests, a stateless list of items, or the server's list of a conversation."""

from dataclasses import dataclass, field

from operations.core.strict_json import Json
from operations.imports.call import Call
from operations.imports.document import items, member, place, text_at
from operations.imports.items import call_in, output_in
from operations.imports.outputs import Output
from operations.imports.requests import Request, called, deliver
from operations.imports.words import Delivered, Reason


def calls_of_chain(requests: list[Request]) -> list[Call]:
    """Return the calls of a chain of requests, and of outputs whose call the log does not hold."""
    calls = called(requests)
    for turn, request in enumerate(requests):
        for call_id in request.carried:
            if call_id not in calls:
                calls[call_id] = Call(call_id=call_id, turn=turn)
                if all(one.whole for one in requests):
                    calls[call_id].found.append(Reason.OUTPUT_WITHOUT_CALL)
    deliver(calls.values(), requests)
    return list(calls.values())


def calls_of_items(value: Json) -> list[Call]:
    """Return the calls of a list of items: what a stateless run would send next, or what the server keeps.

    The server's own list is the strongest evidence of what reached it: a call without output there got none. It may be
    the newest first, and may go on where this record ends.
    """
    by_the_server = not isinstance(value, list)
    name = ("data",) if by_the_server else ()
    listed = list(items(value, *name))
    if by_the_server and _is_newest_first(listed):
        listed.reverse()
    reading = _Items(name=name, goes_on=member(value, "has_more") is True)
    for index, item in listed:
        reading.read(index, item)
    reading.tell_delivery()
    return list(reading.calls.values())


def _is_newest_first(listed: list[tuple[int, dict[str, Json]]]) -> bool:
    """Say whether every output whose call the list holds stands before it."""
    calls: dict[str, int] = {}
    outputs: dict[str, int] = {}
    for index, item in listed:
        call, output = call_in(item, turn=0), output_in(item)
        if call is not None:
            calls.setdefault(call.call_id, index)
        if output is not None:
            outputs.setdefault(output[0], index)
    pairs = [(at, calls[call_id]) for call_id, at in outputs.items() if call_id in calls]
    return bool(pairs) and all(output < call for output, call in pairs)


@dataclass(slots=True, kw_only=True)
class _Items:
    """A walk from the oldest item; `turn` counts the model's answers, of which one may ask for several calls."""

    name: tuple[str, ...]
    goes_on: bool
    calls: dict[str, Call] = field(default_factory=dict)
    turn: int = 0
    heard: bool = False
    # Calls whose output no item of the model follows yet, and those with one that does.
    unanswered: dict[str, Call] = field(default_factory=dict)
    answered: dict[str, Call] = field(default_factory=dict)

    def read(self, index: int, item: dict[str, Json]) -> None:
        output = output_in(item)
        call = call_in(item, turn=self.turn)
        if call is not None or text_at(item, "role") == "assistant":
            self._spoke()
        if call is not None:
            call.turn, call.at = self.turn, index
            call.point("requested", place(*self.name, index))
            self.calls.setdefault(call.call_id, call)
        if output is not None:
            self._output(index, *output)
        self.heard = self.heard or output is not None or bool(call is not None and call.outputs) or _is_input(item)

    def _spoke(self) -> None:
        """The model answered: what came before was in front of it, and a new turn begins unless it still speaks."""
        self.turn += self.heard
        self.heard = False
        self.answered |= self.unanswered
        self.unanswered = {}

    def _output(self, index: int, call_id: str, output: Output) -> None:
        call = self.calls.setdefault(call_id, Call(call_id=call_id, turn=self.turn))
        if not call.pointers.get("requested") and not self.goes_on and not call.found:
            call.found.append(Reason.OUTPUT_WITHOUT_CALL)
        call.add(output, pointer=place(*self.name, index))
        self.unanswered[call_id] = call

    def tell_delivery(self) -> None:
        """Say of each output whether the model answered after its last place; where a list goes on, it isn't known."""
        for call in {**self.answered, **self.unanswered}.values():
            call.persisted.append("server_list" if self.name else "items")
            answered = call.call_id not in self.unanswered
            if self.goes_on and not answered:
                call.deliver(Delivered.UNKNOWN)
            else:
                call.deliver(_delivered(answered, by_the_server=bool(self.name)))


def _is_input(item: dict[str, Json]) -> bool:
    return text_at(item, "role") in {"user", "system", "developer"}


def _delivered(answered: bool, *, by_the_server: bool) -> Delivered:  # noqa: FBT001  # its one question
    if by_the_server:
        return Delivered.REQUEST_ANSWERED if answered else Delivered.SENT_NO_REPLY
    return Delivered.REPLAYED_HISTORY if answered else Delivered.UNKNOWN
