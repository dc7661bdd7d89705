"""A guarded function becomes a tool of the Agents SDK whose output is an envelope whatever happens, and never an invitation
to try again.

It stops for a person where the call is a new proposal beside an open one of the same tool. What an approval then lets
through is asked for at the desk all the same: approving here gives no leave to send.
"""

import asyncio
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agents import FunctionTool, RunContextWrapper, ToolGuardrailFunctionOutput, ToolInputGuardrail, function_tool
from agents.tool_context import ToolContext
from agents.tool_guardrails import ToolInputGuardrailData

from unresolved.confronting import About, Confronting
from unresolved.envelope import Envelope
from unresolved.guarding import Guard, guard_of
from unresolved.kept import JournalUnwritable
from unresolved.recorder import Call, called
from unresolved.results import fetched
from unresolved.words import MEANS, Next, Sent

Given = Mapping[str, Callable[[Any], Any]]
# What naming a call and building its request raise: there is no such request, so that nothing was recorded or sent.
NO_CALL: Final = (LookupError, TypeError, ValueError, AttributeError)


def guarded_tool(
    function: Callable[..., Any],
    *,
    given: Given | None = None,
    about: About | None = None,
    timeout: float | None = None,
    description: str | None = None,
) -> FunctionTool:
    """Return the tool of a function that `unresolved.guarded` guards.

    `given`: parameters that come from the run's context and not from the model, which doesn't see them; the intent's name
    should be one. `about`: see `Confronting`. `timeout`: seconds; the model then gets an envelope, and the outcome is
    unknown. Raises TypeError for a function that is not guarded, and for a tool that was made already: its failures
    would be answered by the SDK.
    """
    if isinstance(function, FunctionTool):
        raise TypeError(f"{function.name} is a tool already: guard its function, and leave @function_tool out")
    answers = Answers(function=function, guard=guard_of(function), given=dict(given or {}), about=about)
    return function_tool(
        answers.shown(),
        name_override=answers.guard.tool,
        description_override=description,
        failure_error_function=answers.failed,
        needs_approval=answers.needs_a_person,
        tool_input_guardrails=[ToolInputGuardrail(guardrail_function=answers.journal_first, name="journal first")],
        timeout=timeout,
        timeout_error_function=answers.timed_out,
    )


@dataclass(kw_only=True)
class Answers:
    """What one tool does with its calls; each of its methods is a place where the SDK asks for something."""

    function: Callable[..., Any]
    guard: Guard
    given: dict[str, Callable[[Any], Any]]
    about: About | None = None
    confronting: Confronting = field(init=False)

    def __post_init__(self) -> None:
        parameters = inspect.signature(self.function).parameters
        if unknown := self.given.keys() - parameters.keys():
            raise TypeError(f"{self.guard.tool} has no parameter {', '.join(sorted(unknown))}")
        self.confronting = Confronting(recorder=self.guard.recorder, about=self.about)

    def shown(self) -> Callable[..., Any]:
        """Return the function as the SDK reads it: its parameters but for those that are given, behind the context."""
        signature, kinds = inspect.signature(self.function), typing.get_type_hints(self.function)
        chosen = [one for name, one in signature.parameters.items() if name not in self.given]
        model = inspect.Signature([one.replace(annotation=kinds.get(one.name, Any)) for one in chosen])

        async def tool(ctx: ToolContext[Any], *args: Any, **kwargs: Any) -> str:
            return (await self.answer(ctx, model.bind(*args, **kwargs).arguments)).as_text()

        context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_ONLY, annotation=ToolContext[Any])
        first = context.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        tool.__signature__ = inspect.Signature([first, *model.parameters.values()])  # type: ignore[attr-defined]
        tool.__annotations__ = {"ctx": ToolContext[Any], **{one.name: kinds.get(one.name, Any) for one in chosen}}
        tool.__name__, tool.__doc__ = self.guard.tool, self.function.__doc__
        return tool

    async def answer(self, ctx: ToolContext[Any], chosen: Mapping[str, Any]) -> Envelope:
        """Have the call made, under the id that the model gave it, and return what is known of it."""
        call, run = ctx.tool_call_id, run_of(ctx)
        arguments = self._arguments(ctx.context, chosen)
        with called(call=call, run=run, agent=ctx.agent.name if ctx.agent is not None else ""):
            if inspect.iscoroutinefunction(self.function):
                told: Envelope = await self.function(**arguments)
            else:
                told = await asyncio.to_thread(self.function, **arguments)
        return await asyncio.to_thread(fetched, self.guard.recorder, told, self.guard.contract, call=call, run=run)

    def call(self, context: object, chosen: Mapping[str, Any]) -> Call:
        """Return what a call of the model asks for; raises one of `NO_CALL` where it asks for nothing that can be sent."""
        bound = inspect.signature(self.function).bind(**self._arguments(context, chosen))
        bound.apply_defaults()
        return self.guard.call(bound.arguments)

    def _arguments(self, context: object, chosen: Mapping[str, Any]) -> dict[str, Any]:
        return {**chosen, **{name: give(context) for name, give in self.given.items()}}

    async def needs_a_person(self, ctx: RunContextWrapper[Any], chosen: dict[str, Any], _call_id: str) -> bool:
        """Say whether the call is a proposal beside an open one; the same call again is none."""
        try:
            call = self.call(ctx.context, chosen)
            return await asyncio.to_thread(self.confronting.open_beside, call) is not None
        except (*NO_CALL, JournalUnwritable):
            return False  # nothing of it can be sent; the tool says so

    async def journal_first(self, data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        """Keep a call from its tool where its intent could not be recorded; the run goes on."""
        try:
            await asyncio.to_thread(self.guard.recorder.journal.require_writable)
        except JournalUnwritable as error:
            told = self._unheard(data.context.context, _asked(data.context), Next.NO_JOURNAL, str(error))
            return ToolGuardrailFunctionOutput.reject_content(told.as_text())
        return ToolGuardrailFunctionOutput.allow()

    async def failed(self, ctx: RunContextWrapper[Any], error: Exception) -> str:
        """Return what is known of a call whose code raised; where nothing was recorded, nothing was sent."""
        return (await self._known(ctx, f"the tool ended with {type(error).__name__}", unheard=Next.REFUSED)).as_text()

    async def timed_out(self, ctx: RunContextWrapper[Any], _error: Exception) -> str:
        """Return what is known of a call that the runtime stopped waiting for; it may act still."""
        return (await self._known(ctx, "the runtime stopped waiting", unheard=Next.HELD)).as_text()

    async def _known(self, ctx: RunContextWrapper[Any], reason: str, *, unheard: Next) -> Envelope:
        """Return what is known of a call; `unheard` is the word where the journal has nothing of it, or not yet."""
        try:
            call = self.call(ctx.context, chosen_in(_asked(ctx)))
            told = await asyncio.to_thread(self.guard.recorder.collect, call.contract, identity=call.identity)
        except NO_CALL as error:
            return self.no_call(ctx.context, _asked(ctx), error)
        except JournalUnwritable as error:
            return self._unheard(ctx.context, _asked(ctx), Next.HELD, str(error))  # it may have been sent before
        return self._unheard(ctx.context, _asked(ctx), unheard, reason) if told is None else told

    def no_call(self, context: object, asked: str, error: Exception) -> Envelope:
        """Return the answer to arguments that make no request."""
        why = f"these arguments make no request: {type(error).__name__}"
        return self._unheard(context, asked, Next.REFUSED, why)

    def _unheard(self, context: object, asked: str, word: Next, reason: str) -> Envelope:
        """Return the answer to a call of which the journal says nothing: so nothing of it was sent, unless it is held."""
        try:
            chosen: Any = chosen_in(asked)
            identity = self.call(context, chosen).identity
        except NO_CALL:
            chosen, identity = None, ""
        return Envelope(
            operation=None,
            identity=identity,
            tool=self.guard.tool,
            bound_arguments=chosen,
            attempt=None,
            sent=Sent.UNKNOWN if word is Next.HELD else Sent.NO,
            next=word,
            means=MEANS[word],
            reason=reason,
            known_by="journal",
        )


def answers_of(tool: object) -> Answers | None:
    """Return what a tool does with its calls, None for one that is not ours."""
    guards = tool.tool_input_guardrails if isinstance(tool, FunctionTool) else None
    owners = [getattr(one.guardrail_function, "__self__", None) for one in guards or ()]
    return next((one for one in owners if isinstance(one, Answers)), None)


def run_of(ctx: ToolContext[Any]) -> str:
    """Return the run's name, as far as the application gave one: its trace, or its group of traces."""
    config = ctx.run_config
    return "" if config is None else config.trace_id or config.group_id or ""


def chosen_in(asked: str) -> dict[str, Any]:
    """Return the arguments that the model chose; raises one of `NO_CALL`."""
    value = json.loads(asked or "{}")
    if not isinstance(value, dict):
        raise TypeError("the arguments are no object")
    return value


def _asked(ctx: RunContextWrapper[Any]) -> str:
    return str(getattr(ctx, "tool_arguments", ""))
