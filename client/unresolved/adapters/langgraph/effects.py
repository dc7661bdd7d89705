"""A guarded function under LangGraph: one ask of journal, desk and recipient, with where in the graph it came from.

The journal comes first whatever starts the node again: a resume, a checkpoint, a retry. What was attempted leaves no
second time without a grant.
"""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from langgraph.prebuilt import ToolRuntime
from langgraph.runtime import Runtime

from unresolved.envelope import Envelope
from unresolved.guarding import Guard, guard_of
from unresolved.kept import JournalUnwritable
from unresolved.recorder import Call, NotBegun, called
from unresolved.results import fetched
from unresolved.words import MEANS, Next, Sent

Given = Mapping[str, Callable[[Any], Any]]
MARK: Final = "unresolved_effect"  # the attribute by which a node or a tool is known to be guarded
# What naming a call and building its request raise: there is no such request, so that nothing was recorded or sent.
NO_CALL: Final = (LookupError, TypeError, ValueError, AttributeError)


class NamedByTheRun(ValueError):
    """The intent was named by something that a restarted run has anew: it would be sent again under that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Where in a graph a call comes from. All of it is provenance; `anew` are the ids that a restart makes anew."""

    call: str
    run: str
    agent: str
    anew: frozenset[str] = frozenset()

    def names(self, identity: str) -> bool:
        """Say whether an intent is named by this execution, and not by what was asked for."""
        return identity == self.call or any(one in identity for one in self.anew)


def where_of(runtime: "Runtime[Any] | ToolRuntime[Any, Any]", *, node: str) -> Where:
    """Return what the runtime tells of this execution, its attempt of the node included."""
    info = runtime.execution_info
    call = str(getattr(runtime, "tool_call_id", None) or "")
    if info is None:
        return Where(call=call, run="", agent=node)
    return Where(
        call=call or f"task {info.task_id}",
        run=str(info.thread_id or info.run_id or ""),
        agent=f"{node}, attempt {info.node_attempt} of the node",
        anew=frozenset({str(one) for one in (info.task_id, info.run_id, info.checkpoint_id) if one}),
    )


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One guarded function. `given`: parameters that come from the runtime or the state, and not from a model."""

    function: Callable[..., Any]
    given: Given = field(default_factory=dict)
    guard: Guard = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "guard", guard_of(self.function))
        if unknown := self.given.keys() - inspect.signature(self.function).parameters.keys():
            raise TypeError(f"{self.guard.tool} has no parameter {', '.join(sorted(unknown))}")

    @property
    def is_async(self) -> bool:
        """Whether the function is awaited."""
        return inspect.iscoroutinefunction(self.function)

    @property
    def chosen(self) -> list[inspect.Parameter]:
        """The parameters that the caller gives, with the types that their annotations name."""
        kinds = typing.get_type_hints(self.function)
        shown = inspect.signature(self.function).parameters.values()
        return [one.replace(annotation=kinds.get(one.name, Any)) for one in shown if one.name not in self.given]

    def arguments(self, chosen: Mapping[str, Any], source: Any) -> dict[str, Any]:
        """Return all arguments: those that were chosen, and those that are given by `source`."""
        return {**chosen, **{name: give(source) for name, give in self.given.items()}}

    def call(self, arguments: Mapping[str, Any], where: Where) -> Call:
        """Return what these arguments ask for; raises one of `NO_CALL`, and of those `NamedByTheRun`."""
        bound = inspect.signature(self.function).bind(**arguments)
        bound.apply_defaults()
        call = self.guard.call(bound.arguments)
        if where.names(call.identity):
            raise NamedByTheRun(
                f"{self.guard.tool}: the intent is named by an id of the run, which a restart makes anew"
            )
        return call

    def ask(self, arguments: Mapping[str, Any], where: Where) -> Envelope:
        """Look the call up, send it if it may be sent, and return what is known of it."""
        with called(call=where.call, run=where.run, agent=where.agent):
            try:
                return typing.cast("Envelope", self.function(**arguments))
            except NotBegun as held:
                return held.envelope

    async def ask_async(self, arguments: Mapping[str, Any], where: Where) -> Envelope:
        """The same for asyncio."""
        with called(call=where.call, run=where.run, agent=where.agent):
            try:
                return typing.cast("Envelope", await self.function(**arguments))
            except NotBegun as held:
                return held.envelope

    def handed_over(self, told: Envelope, where: Where) -> Envelope:
        """Return the answer with what is owed of it fetched; as it is where the journal can't be read."""
        try:
            return fetched(self.guard.recorder, told, self.guard.contract, call=where.call, run=where.run)
        except JournalUnwritable:
            return told

    def known(self, identity: str) -> Envelope | None:
        """Return what is known now and send nothing; None where nobody can say."""
        try:
            return self.guard.recorder.collect(self.guard.contract, identity=identity)
        except JournalUnwritable:
            return None

    def no_call(self, chosen: object, reason: str) -> Envelope:
        """Return the answer to arguments that make no request: nothing of it was recorded or sent."""
        return unsent(self.guard.tool, chosen, reason)


def unsent(tool: str, chosen: object, reason: str) -> Envelope:
    """Return the answer to a call of which nothing was sent."""
    return Envelope(
        operation=None,
        identity="",
        tool=tool,
        bound_arguments=chosen,
        attempt=None,
        sent=Sent.NO,
        next=Next.REFUSED,
        means=MEANS[Next.REFUSED],
        reason=reason,
        known_by="journal",
    )


def effect_of(thing: object) -> Effect | None:
    """Return the effect behind a node, a task or a tool, None for one that is not ours."""
    found = getattr(thing, MARK, None)
    return found if isinstance(found, Effect) else None
