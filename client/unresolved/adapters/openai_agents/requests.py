"""What a request to the model carries is as new as the desk's word, and is told as read only once the model replied to it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from agents import Agent, FunctionTool, ModelResponse, RunContextWrapper, RunHooks, TResponseInputItem
from agents.run_config import CallModelData, ModelInputData

from unresolved.adapters.openai_agents.tool import Answers, answers_of
from unresolved.envelope import Envelope
from unresolved.kept import JournalUnwritable
from unresolved.results import Read, envelope_in, fetched, was_read
from unresolved.words import OPEN

Filter = Callable[[CallModelData[Any]], Awaitable[ModelInputData]]


def brought_up_to_date(tools: Iterable[FunctionTool]) -> Filter:
    """Return a `call_model_input_filter` that puts what is known now in place of an open answer to a call, in the same item.

    What became of an operation while the run waited so enters the next request as the one output of its call. An answer
    that ended is left as it is, and so is every item of another tool.
    """
    by_tool = _by_tool(tools)

    async def newer(data: CallModelData[Any]) -> ModelInputData:
        items = [await asyncio.to_thread(_newer, item, by_tool) for item in data.model_data.input]
        return ModelInputData(input=items, instructions=data.model_data.instructions)

    return newer


def _newer(item: TResponseInputItem, by_tool: Mapping[str, Answers]) -> TResponseInputItem:
    told = _told(item)
    answers = None if told is None else by_tool.get(str(told["tool"]))
    if told is None or answers is None or told["next"] not in OPEN:
        return item
    now = _now(answers, identity=str(told["identity"]), call=str(dict(item).get("call_id", "")))
    changed: Any = item if now is None else {**item, "output": now.as_text()}
    return changed  # type: ignore[no-any-return]  # the item's own kind, with another text


def _now(answers: Answers, *, identity: str, call: str) -> Envelope | None:
    """Return what became of an operation, None where it is open still or nobody can say."""
    recorder, contract = answers.guard.recorder, answers.guard.contract
    try:
        now = recorder.collect(contract, identity=identity)
        return None if now is None or now.next in OPEN else fetched(recorder, now, contract, call=call)
    except JournalUnwritable:
        return None


class ReadLog(RunHooks[Any]):
    """Run hooks that tell the desk which answers a model has read: those in a request that it replied to.

    A request without a reply is told as nothing: what it held stays owed. What was read waits in the journal until the
    desk has it. One log may serve several runs at once.
    """

    def __init__(self, tools: Iterable[FunctionTool], *, run: str = "") -> None:
        self._by_tool = _by_tool(tools)
        self._run = run
        self._carried: dict[int, list[tuple[Answers, Read]]] = {}

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],  # noqa: ARG002  # the SDK's own signature
        system_prompt: str | None,  # noqa: ARG002  # likewise
        input_items: list[TResponseInputItem],
    ) -> None:
        """Note which answers the request is about to carry; it may never leave."""
        found = [_read(item, self._by_tool) for item in input_items]
        self._carried[id(context)] = [one for one in found if one is not None]

    async def on_llm_end(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],  # noqa: ARG002  # likewise
        response: ModelResponse,
    ) -> None:
        """Record that the model replied to what was carried, and tell the desk."""
        carried = self._carried.pop(id(context), [])
        if carried:
            await asyncio.to_thread(self._record, carried, request=response.response_id or "")

    def _record(self, carried: list[tuple[Answers, Read]], *, request: str) -> None:
        for answers, read in carried:
            with suppress(JournalUnwritable):  # it stays owed, and the run goes on
                was_read(answers.guard.recorder, read, run=self._run, request=request)
                answers.guard.recorder.ship()


def _read(item: TResponseInputItem, by_tool: Mapping[str, Answers]) -> tuple[Answers, Read] | None:
    told = _told(item)
    answers = None if told is None else by_tool.get(str(told["tool"]))
    if told is None or answers is None or not isinstance(told.get("links"), int):
        return None
    call, recipient = str(dict(item).get("call_id", "")), answers.guard.contract.recipient
    return answers, Read(recipient=recipient, identity=str(told["identity"]), links=told["links"], call=call)


def _told(item: TResponseInputItem) -> Mapping[str, Any] | None:
    plain: Mapping[str, Any] = dict(item)
    return envelope_in(plain.get("output")) if plain.get("type") == "function_call_output" else None


def _by_tool(tools: Iterable[FunctionTool]) -> dict[str, Answers]:
    found = [answers_of(tool) for tool in tools]
    return {answers.guard.tool: answers for answers in found if answers is not None}
