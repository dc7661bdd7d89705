"""A transcript of Anthropic's Messages: every result has to stand in the next message of the user.

`is_error` is a flag of the runtime, not of the effect. With the requests that were made, delivery is exact; a thread that
the server holds gets new messages alone, so the transcript does not show what was sent.
"""

from collections.abc import Iterator
from typing import Final

from operations.core.strict_json import Json
from operations.imports.call import Call
from operations.imports.document import items, member, place, text_at
from operations.imports.outputs import Output, output_of, text_of
from operations.imports.requests import Request, deliver
from operations.imports.words import Delivered, Reason

_BY_THE_PROVIDER: Final = frozenset({"server_tool_use", "mcp_tool_use"})


def calls_of(transcript: Json) -> list[Call]:
    """Return the calls of a transcript, with its `requests` where it has them."""
    name = () if isinstance(transcript, list) else ("messages",)
    messages = list(items(transcript, *name))
    calls: dict[str, Call] = {}
    spoke = [place_of for place_of, (_, message) in enumerate(messages) if text_at(message, "role") == "assistant"]
    last = spoke[-1] if spoke else -1
    for place_of, (index, message) in enumerate(messages):
        if text_at(message, "role") == "assistant":
            for call in _asked(message, index, name):
                calls.setdefault(call.call_id, call)
            following = messages[place_of + 1][1] if place_of + 1 < len(messages) else None
            _answers(calls, index, following, name, later=last > place_of + 1)
    _out_of_place(calls, messages, name)
    requests = _requests(transcript)
    if requests:
        deliver(calls.values(), requests)
    return list(calls.values())


def _asked(message: dict[str, Json], index: int, name: tuple[str, ...]) -> Iterator[Call]:
    for number, block in items(message, "content"):
        kind, call_id = text_at(block, "type"), text_at(block, "id")
        if call_id is None or (kind != "tool_use" and kind not in _BY_THE_PROVIDER):
            continue
        call = Call(call_id=call_id, turn=index, name=text_at(block, "name"), arguments=block.get("input"), at=index)
        call.point("requested", place(*name, index, "content", number))
        if kind in _BY_THE_PROVIDER:
            _of_the_provider(call, message, (*name, index, "content"))
        yield call


def _of_the_provider(call: Call, message: dict[str, Json], where: tuple[str | int, ...]) -> None:
    for number, call_id, output in _results(message, suffix="_tool_result"):
        if call_id == call.call_id:
            call.add(output, pointer=place(*where, number))
            call.persisted = ["transcript"]
            call.deliver(Delivered.PROVIDER_SIDE)


def _results(message: Json, *, suffix: str = "tool_result") -> Iterator[tuple[int, str, Output]]:
    for number, block in items(message, "content"):
        call_id, kind = text_at(block, "tool_use_id"), text_at(block, "type") or ""
        if call_id is not None and kind.endswith(suffix):
            error = block.get("is_error") is True or member(block, "content", "error_code") is not None
            yield number, call_id, output_of(text_of(block.get("content")), error=error)


def _answers(
    calls: dict[str, Call], index: int, following: dict[str, Json] | None, name: tuple[str, ...], *, later: bool
) -> None:
    """Pair the calls of one message with the results in the next, which is the user's; the model answers after it."""
    for number, call_id, output in _results(following) if text_at(following, "role") == "user" else ():
        call = calls.get(call_id)
        if call is not None and call.at == index:
            call.add(output, pointer=place(*name, index + 1, "content", number))
            call.persisted = ["transcript"]
            call.deliver(Delivered.REPLAYED_HISTORY if later else Delivered.UNKNOWN)


def _out_of_place(calls: dict[str, Call], messages: list[tuple[int, dict[str, Json]]], name: tuple[str, ...]) -> None:
    """Note results that stand elsewhere than in the next message, which the service refuses, and those of no call."""
    for index, message in messages:
        if text_at(message, "role") != "user":
            continue
        for number, call_id, _ in _results(message):
            pointer = place(*name, index, "content", number)
            call = calls.get(call_id)
            if call is None:
                call = calls.setdefault(call_id, Call(call_id=call_id, found=[Reason.OUTPUT_WITHOUT_CALL]))
                call.point("output", pointer)
            elif pointer not in call.pointers.get("output", []):
                call.point("output", pointer)
                call.found.append(Reason.RESULT_NOT_IN_NEXT_MESSAGE)


def _requests(transcript: Json) -> list[Request]:
    found = []
    for index, row in items(transcript, "requests"):
        carried: dict[str, tuple[Output, str]] = {}
        for number, message in items(row, "messages"):
            for block, call_id, output in _results(message):
                carried[call_id] = (output, place("requests", index, "messages", number, "content", block))
        answered = isinstance(row.get("answer"), dict)
        managed = row.get("thread") not in (None, False)
        found.append(Request(carried=carried, calls=[], replied=answered, whole=answered, server_managed=managed))
    return found
