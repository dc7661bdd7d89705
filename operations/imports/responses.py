"""Responses of the Responses API: a chain of requests, a stateless list of items, or the server's list of a conversation."""

from operations.core.strict_json import Json
from operations.imports.call import Call
from operations.imports.document import items, place, text_at
from operations.imports.items import call_in, output_in
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

    The server's own list is the strongest evidence of what reached it: a call without output there got none.
    """
    name = () if isinstance(value, list) else ("data",)
    calls: dict[str, Call] = {}
    last_of_the_model = -1
    outputs_at: dict[str, int] = {}
    for index, item in items(value, *name):
        call, output = call_in(item, turn=last_of_the_model + 1), output_in(item)
        if call is not None:
            call.at = index
            call.point("requested", place(*name, index))
            calls.setdefault(call.call_id, call)
        if output is not None:
            calls.setdefault(output[0], _without_call(output[0])).add(output[1], pointer=place(*name, index))
            outputs_at[output[0]] = index
        if call is not None or text_at(item, "role") == "assistant":
            last_of_the_model = index
    for call_id, at in outputs_at.items():
        calls[call_id].persisted.append("server_list" if name else "items")
        calls[call_id].deliver(_delivered(at < last_of_the_model, by_the_server=bool(name)))
    return list(calls.values())


def _without_call(call_id: str) -> Call:
    return Call(call_id=call_id, found=[Reason.OUTPUT_WITHOUT_CALL])


def _delivered(answered: bool, *, by_the_server: bool) -> Delivered:  # noqa: FBT001  # its one question
    if by_the_server:
        return Delivered.REQUEST_ANSWERED if answered else Delivered.SENT_NO_REPLY
    return Delivered.REPLAYED_HISTORY if answered else Delivered.UNKNOWN
