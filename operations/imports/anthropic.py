"""A transcript of Anthropic's Messages: every result has to stand in the next message of the user.

`is_error` is a flag of the runtime, not of the effect. With the requests that were made, delivery is exact; a thread that
the server holds gets new messages alone, so the transcript does not show what was sent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from operations.core.strict_json import Json
from operations.imports.call import Call, list_call
from operations.imports.document import items, member, place, text_at
from operations.imports.outputs import Output, output_of, text_of
from operations.imports.requests import Request, deliver
from operations.imports.words import Delivered, Reason

_BY_THE_PROVIDER: Final = frozenset({"server_tool_use", "mcp_tool_use"})


def calls_of(transcript: Json) -> list[Call]:
    """Return the calls of a transcript, with its `requests` where it has them."""
    name = () if isinstance(transcript, list) else ("messages",)
    messages = list(items(transcript, *name))
    reading = _Reading(name=name)
    spoke = [place_of for place_of, (_, message) in enumerate(messages) if text_at(message, "role") == "assistant"]
    last = spoke[-1] if spoke else -1
    for place_of, (index, message) in enumerate(messages):
        if text_at(message, "role") == "assistant":
            asked = reading.list(_asked(message, index, name))
            following = messages[place_of + 1] if place_of + 1 < len(messages) else None
            reading.answer(asked, following, later=last > place_of + 1)
    reading.out_of_place(messages)
    requests = _requests(transcript)
    if requests:
        deliver([call for call in reading.calls.values() if call.call_id not in reading.ambiguous], requests)
    return list(reading.calls.values())


@dataclass(slots=True, kw_only=True)
class _Reading:
    """`paired` are the places of results that belong to a call; `ambiguous` the calls whose id several have.

    Of those a log of requests can't say which it carried.
    """

    name: tuple[str, ...]
    calls: dict[str, Call] = field(default_factory=dict)
    paired: set[str] = field(default_factory=set)
    ambiguous: set[str] = field(default_factory=set)

    def list(self, asked: Iterable[Call]) -> dict[str, Call]:
        """List the calls of one message, and return them by the ids in it; one whose id was used before is another call."""
        found: dict[str, Call] = {}
        for number, call in enumerate(asked):
            given = call.call_id
            found.setdefault(given, call)
            list_call(self.calls, call, number)
            if call.call_id != given:
                self.ambiguous |= {given, call.call_id}
        return found

    def answer(self, asked: dict[str, Call], following: tuple[int, dict[str, Json]] | None, *, later: bool) -> None:
        """Pair the calls of one message with the results in the next, which is the user's; the model answers after it."""
        if following is None or text_at(following[1], "role") != "user":
            return
        for number, call_id, output in _results(following[1]):
            call = asked.get(call_id)
            if call is not None:
                pointer = place(*self.name, following[0], "content", number)
                self.paired.add(pointer)
                call.add(output, pointer=pointer)
                call.persisted = ["transcript"]
                call.deliver(Delivered.REPLAYED_HISTORY if later else Delivered.UNKNOWN)

    def out_of_place(self, messages: Sequence[tuple[int, dict[str, Json]]]) -> None:
        """Note results that stand elsewhere than in the next message, which the service refuses, and those of no call."""
        for index, message in messages:
            for number, call_id, _ in _results(message) if text_at(message, "role") == "user" else ():
                pointer = place(*self.name, index, "content", number)
                if pointer not in self.paired:
                    self._misplaced(call_id, pointer)

    def _misplaced(self, call_id: str, pointer: str) -> None:
        call = self.calls.get(call_id)
        if call is None:
            call = self.calls.setdefault(call_id, Call(call_id=call_id, found=[Reason.OUTPUT_WITHOUT_CALL]))
        elif Reason.OUTPUT_WITHOUT_CALL not in call.found:
            call.found.append(Reason.RESULT_NOT_IN_NEXT_MESSAGE)
        call.point("output", pointer)


def _asked(message: dict[str, Json], index: int, name: tuple[str, ...]) -> Iterator[Call]:
    where: tuple[str | int, ...] = (*name, index, "content")
    own: dict[str, list[tuple[int, Output]]] = {}  # what the provider's own tools answered, in this very message
    for number, answers, output in _results(message, suffix="_tool_result"):
        own.setdefault(answers, []).append((number, output))
    for number, block in items(message, "content"):
        kind, call_id = text_at(block, "type"), text_at(block, "id")
        if call_id is None or (kind != "tool_use" and kind not in _BY_THE_PROVIDER):
            continue
        call = Call(call_id=call_id, turn=index, name=text_at(block, "name"), arguments=block.get("input"), at=index)
        call.point("requested", place(*where, number))
        for at, output in own.get(call_id, []) if kind in _BY_THE_PROVIDER else ():
            call.add(output, pointer=place(*where, at))
            call.persisted = ["transcript"]
            call.deliver(Delivered.PROVIDER_SIDE)
        yield call


def _results(message: Json, *, suffix: str = "tool_result") -> Iterator[tuple[int, str, Output]]:
    for number, block in items(message, "content"):
        call_id, kind = text_at(block, "tool_use_id"), text_at(block, "type") or ""
        if call_id is not None and kind.endswith(suffix):
            error = block.get("is_error") is True or member(block, "content", "error_code") is not None
            yield number, call_id, output_of(text_of(block.get("content")), error=error)


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
