"""A log of the requests to a model says exactly which outputs were carried, how often, and whether a reply came.

Three shapes are read: pairs of request and response, the rows that a run's model wrapper writes (`input`, `outcome`),
and a server's own log (`requests` with an `answer`). A stateless request carries its whole history each time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from operations.core.strict_json import Json
from operations.imports.call import Call
from operations.imports.document import items, member, place
from operations.imports.items import call_in, output_in
from operations.imports.outputs import Output
from operations.imports.words import Delivered


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request: the calls and outputs it carried, the calls of its reply (`asked`), and whether a reply came.

    `whole`: the reply is in the log, so that every call of it is.
    """

    carried: dict[str, tuple[Output, str]]
    calls: list[Call]
    asked: list[Call] = field(default_factory=list)
    replied: bool
    whole: bool
    server_managed: bool


@dataclass(slots=True, kw_only=True)
class _Reading:
    requests: list[Request] = field(default_factory=list)

    def add(self, row: dict[str, Json], where: Sequence[str | int]) -> None:
        asked, reply = _halves(row)
        turn = len(self.requests)
        carried: dict[str, tuple[Output, str]] = {}
        calls: list[Call] = []
        for index, item in items(asked, "input"):
            pointer = place(*where, *_input_of(row), index)
            found = output_in(item)
            if found is not None:
                carried[found[0]] = (found[1], pointer)
            calls += _call(item, turn=turn, pointer=pointer)
        replied: list[Call] = []
        for index, item in items(reply, "output"):
            replied += _call(item, turn=turn + 1, pointer=place(*where, _reply_of(row), "output", index))
        whole = _is_reply(reply)
        self.requests.append(
            Request(
                carried=carried,
                calls=[*calls, *replied],
                asked=replied,
                replied=whole or _answered(row.get("answer")),
                whole=whole,
                server_managed=any(member(asked, name) for name in _MANAGED),
            )
        )


_MANAGED = ("conversation", "conversation_id", "previous_response_id", "thread")


def _call(item: dict[str, Json], *, turn: int, pointer: str) -> list[Call]:
    found = call_in(item, turn=turn)
    if found is None:
        return []
    found.point("requested", pointer)
    return [found]


def _halves(row: dict[str, Json]) -> tuple[Json, Json]:
    """Return what was sent, and the reply where one is in the log."""
    if "request" in row:
        return row["request"], row.get("response")
    return row, row.get("outcome")


def _input_of(row: dict[str, Json]) -> tuple[str, ...]:
    return ("request", "input") if "request" in row else ("input",)


def _reply_of(row: dict[str, Json]) -> str:
    return "response" if "request" in row else "outcome"


def _is_reply(reply: Json) -> bool:
    """Say whether a model's reply came; an error without a list of output is none."""
    return isinstance(reply, dict) and (isinstance(reply.get("output"), list) or reply.get("error") is None)


def _answered(answer: Json) -> bool:
    """Say whether a server's log says that it answered with success; a word such as `read_timeout` says it did not."""
    return isinstance(answer, dict) or (isinstance(answer, str) and answer.startswith("2"))


def _is_row(row: Json) -> bool:
    if not isinstance(row, dict):
        return False
    # An input that is one text is a request without items.
    return isinstance(member(row, "request", "input"), list | str) or (
        isinstance(row.get("input"), list | str) and ("outcome" in row or "answer" in row)
    )


def rows_of(value: Json) -> tuple[list[dict[str, Json]], tuple[str, ...]] | None:
    """Return the rows of a request log and where they stand, or None: not one."""
    found, where = (value, ()) if isinstance(value, list) else (member(value, "requests"), ("requests",))
    if not isinstance(found, list) or not found or not all(_is_row(row) for row in found):
        return None
    return [row for row in found if isinstance(row, dict)], where


def requests_of(value: Json) -> list[Request] | None:
    """Return the requests of a log in their order, or None: not one."""
    rows = rows_of(value)
    if rows is None:
        return None
    reading = _Reading()
    for index, row in enumerate(rows[0]):
        reading.add(row, (*rows[1], index))
    return reading.requests


def deliver(calls: Iterable[Call], requests: Sequence[Request]) -> None:
    """Say of each call's output whether a request carried it and whether a reply came; fill what the record lacked.

    What the provider answered itself never waits for a request.
    """
    by_id: dict[str, list[Request]] = {}
    for request in requests:
        for call_id in request.carried:
            by_id.setdefault(call_id, []).append(request)
    for call in calls:
        if call.delivered is not Delivered.PROVIDER_SIDE:
            _carried(call, by_id.get(call.call_id, []))


def _carried(call: Call, carrying: Sequence[Request]) -> None:
    for request in carrying:
        call.add(request.carried[call.call_id][0], pointer=request.carried[call.call_id][1])
    if carrying:
        replied = any(request.replied for request in carrying)
        call.deliver(Delivered.REQUEST_ANSWERED if replied else Delivered.SENT_NO_REPLY)
        call.sent_count = len(carrying)
        call.server_managed = any(request.server_managed for request in carrying)
    elif call.outputs:
        call.deliver(Delivered.NOT_SENT)


def called(requests: Iterable[Request]) -> dict[str, Call]:
    """Return the calls of a log by id, as first seen; one that is replayed in a later request is the same call."""
    found: dict[str, Call] = {}
    for request in requests:
        for call in request.calls:
            found.setdefault(call.call_id, call)
    return found
