"""A transcript of Chat Completions: a call's output is the tool message before the next message of the assistant."""

from collections.abc import Iterator

from operations.core.strict_json import Json
from operations.imports.call import Call, list_call
from operations.imports.document import items, place, text_at
from operations.imports.outputs import output_of, text_of
from operations.imports.words import Delivered, Reason


def calls_of(transcript: Json) -> list[Call]:
    """Return the calls of a transcript; there is no flag for an error, so texts alone are sorted."""
    name = () if isinstance(transcript, list) else ("messages",)
    calls: dict[str, Call] = {}
    open_calls: dict[str, Call] = {}
    answered: list[Call] = []
    for index, message in items(transcript, *name):
        if text_at(message, "role") == "assistant":
            _deliver(answered)
            answered, open_calls = [], {}
            for number, call in enumerate(_asked(message, index, name)):
                asked_as = call.call_id
                list_call(calls, call, number)
                open_calls.setdefault(asked_as, call)
        call_id = text_at(message, "tool_call_id")
        if call_id is not None:
            answered += _output(calls, open_calls.get(call_id), call_id, message, (*name, index))
    for call in answered:
        call.deliver(Delivered.UNKNOWN)
    return list(calls.values())


def _deliver(answered: list[Call]) -> None:
    for call in answered:
        call.deliver(Delivered.REPLAYED_HISTORY)


def _asked(message: dict[str, Json], index: int, name: tuple[str, ...]) -> Iterator[Call]:
    for number, asked in items(message, "tool_calls"):
        call_id, tool = text_at(asked, "id"), text_at(asked, "function", "name") or text_at(asked, "custom", "name")
        if call_id is None:
            continue
        function = asked.get("function") or asked.get("custom")
        arguments = function.get("arguments", function.get("input")) if isinstance(function, dict) else None
        call = Call(call_id=call_id, turn=index, name=tool, arguments=arguments, at=index)
        call.point("requested", place(*name, index, "tool_calls", number))
        yield call


def _output(
    calls: dict[str, Call], call: Call | None, call_id: str, message: dict[str, Json], where: tuple[str | int, ...]
) -> list[Call]:
    """Add a tool message to its call; one that comes late or without a call belongs to none of the open ones."""
    if call is None:
        late = calls.setdefault(call_id, Call(call_id=call_id))
        late.found.append(Reason.OUTPUT_WITHOUT_CALL)
        late.point("output", place(*where))
        return []
    call.add(output_of(text_of(message.get("content"))), pointer=place(*where))
    if "transcript" not in call.persisted:
        call.persisted.append("transcript")
    return [call]
