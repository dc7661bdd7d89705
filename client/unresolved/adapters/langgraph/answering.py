"""What a request to the model carried is told as read only once the model replied to it, and no error text reaches it bare."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import LLMResult
from langgraph.constants import END
from langgraph.prebuilt.tool_node import ToolInvocationError
from langgraph.types import Send

from unresolved.adapters.langgraph.effects import Effect, NamedByTheRun, Where, effect_of, unsent
from unresolved.envelope import Envelope
from unresolved.kept import JournalUnwritable
from unresolved.recorder import NotBegun
from unresolved.results import Read, envelope_in, was_read
from unresolved.words import MEANS, OPEN, Next, Sent

_FEW: Final = 5  # of the fields that are wrong, so many are named


class ReadLog(BaseCallbackHandler):
    """`config={"callbacks": [ReadLog(tools)]}`: the desk learns which answers a model has read, those in a request that it
    replied to.

    A request without a reply is told as nothing: what it held stays owed. What was read waits in the journal until the
    desk has it. One log may serve several threads at once. `guarded` are tools, nodes or tasks of this adapter.
    """

    def __init__(self, guarded: Iterable[object], *, run: str = "") -> None:
        found = [effect for one in guarded if (effect := effect_behind(one)) is not None]
        self._by_tool: Mapping[str, Effect] = {effect.guard.tool: effect for effect in found}
        self._run = run
        self._carried: dict[UUID, list[tuple[Effect, Read]]] = {}
        self._lock = threading.Lock()

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002  # the runtime's own signature
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **kwargs: Any,  # noqa: ARG002  # likewise
    ) -> None:
        """Note which answers the request is about to carry; it may never leave."""
        found = [read for one in messages for message in one if (read := self._read(message)) is not None]
        with self._lock:
            self._carried[run_id] = found

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ARG002  # likewise
        """Record that the model replied to what was carried, and tell the desk."""
        carried = self._taken(run_id)
        for effect, read in carried:
            with suppress(JournalUnwritable):  # it stays owed, and the run goes on
                was_read(effect.guard.recorder, read, run=self._run, request=_id_of(response) or str(run_id))
                effect.guard.recorder.ship()

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ARG002  # likewise
        """Forget what a request carried that was not replied to: whether it arrived is not known."""
        self._taken(run_id)

    def _taken(self, run_id: UUID) -> list[tuple[Effect, Read]]:
        with self._lock:
            return self._carried.pop(run_id, [])

    def _read(self, message: BaseMessage) -> tuple[Effect, Read] | None:
        told = envelope_in(message.content) if isinstance(message, ToolMessage) else None
        effect = None if told is None else self._by_tool.get(str(told["tool"]))
        if told is None or effect is None or not isinstance(told.get("links"), int):
            return None
        call = str(getattr(message, "tool_call_id", ""))
        recipient = effect.guard.contract.recipient
        return effect, Read(recipient=recipient, identity=str(told["identity"]), links=told["links"], call=call)


def brought_up_to_date(guarded: Iterable[object], *, messages: str = "messages") -> Callable[..., Any]:
    """Return a node, for before the model, that puts what is known now in place of an open answer, in the same message.

    What became of an operation after a thread went on with its outcome unknown so enters the next request as the one
    message of its call. An answer that ended is left as it is, and so is every message of another tool.
    """
    found = [effect for one in guarded if (effect := effect_behind(one)) is not None]
    by_tool = {effect.guard.tool: effect for effect in found}

    def newer(state: Any) -> dict[str, Any]:
        held = [_newer(message, by_tool) for message in state[messages]]
        return {messages: [message for message in held if message is not None]}

    return newer


def _newer(message: BaseMessage, by_tool: Mapping[str, Effect]) -> BaseMessage | None:
    """Return the message with what is known now, None where it stays as it is."""
    told = envelope_in(message.content) if isinstance(message, ToolMessage) else None
    effect = None if told is None else by_tool.get(str(told["tool"]))
    if told is None or effect is None or told["next"] not in OPEN:
        return None
    now = effect.known(str(told["identity"]))
    if now is None or now.next in OPEN:
        return None
    where = Where(call=str(getattr(message, "tool_call_id", "")), run="", agent="")
    return message.model_copy(update={"content": effect.handed_over(now, where).as_text()})


def _id_of(response: LLMResult) -> str:
    messages = [getattr(one, "message", None) for some in response.generations for one in some]
    return next((str(one.id) for one in messages if isinstance(one, BaseMessage) and one.id), "")


def effect_behind(thing: object) -> Effect | None:
    """Return the effect of a tool, a node or a task, None for one that is not ours."""
    for one in (thing, *[getattr(thing, name, None) for name in ("func", "coroutine", "afunc")]):
        found = effect_of(one)
        if found is not None:
            return found
    return None


def in_envelopes(tools: Iterable[object]) -> Callable[[Exception], str]:
    """Return what `ToolNode(tools, handle_tool_errors=…)` takes: every failure answers with an envelope, none asks to try again.

    Of a guarded tool nothing was sent where its arguments make no request. Of any other tool that failed nobody knows.
    """
    guarded = {effect.guard.tool for tool in tools if (effect := effect_behind(tool)) is not None}

    def answered(error: Exception) -> str:
        if isinstance(error, NamedByTheRun):
            raise error
        if isinstance(error, NotBegun):
            return error.envelope.as_text()
        if isinstance(error, ToolInvocationError) and error.tool_name in guarded:
            return unsent(error.tool_name, error.tool_kwargs, _wrong_fields(error)).as_text()
        return _unknown(error).as_text()

    answered.unresolved_answers = True  # type: ignore[attr-defined]  # what `require_guarded` looks for
    return answered


def _wrong_fields(error: ToolInvocationError) -> str:
    found = error.filtered_errors or []
    named = [f"{'.'.join([str(part) for part in one['loc']])}: {one['msg']}" for one in found[:_FEW]]
    return f"these arguments make no request: {'; '.join(named)}"


def _unknown(error: Exception) -> Envelope:
    return Envelope(
        operation=None,
        identity="",
        tool=getattr(error, "tool_name", ""),
        bound_arguments=None,
        attempt=None,
        sent=Sent.UNKNOWN,
        next=Next.HELD,
        means=MEANS[Next.HELD],
        reason=f"the tool ended with {type(error).__name__}, and is not guarded",
        known_by="journal",
    )


def one_task_each(to: str = "tools", *, messages: str = "messages") -> Callable[[Any], Sequence[Send] | str]:
    """Return a conditional edge that gives each call of the last message a task of its own, or ends.

    In one task for all of them the calls would share their interrupts, and LangGraph would give a resume to whichever asks
    first.
    """

    def route(state: Any) -> Sequence[Send] | str:
        held = state if isinstance(state, list) else state[messages]
        last = held[-1] if held else None
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        return [
            Send(to, {"__type": "tool_call_with_context", "tool_call": call, "state": state}) for call in calls
        ] or END

    return route
