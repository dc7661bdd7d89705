"""A function that sends becomes a tool that can't send twice by itself, and that always answers with an envelope."""

import functools
import inspect
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast, overload

from unresolved.attempting import Attempt, reply_of
from unresolved.carriers import Contract
from unresolved.envelope import Envelope
from unresolved.recorder import Call, NotBegun, Recorder, Under
from unresolved.request import Request
from unresolved.sending import Sender

P = ParamSpec("P")
R = TypeVar("R")
Arguments: TypeAlias = Mapping[str, Any]


class Guard:
    """Wraps functions `(attempt, **arguments)`, sync or async; see `guarded`."""

    def __init__(
        self,
        recorder: Recorder,
        tool: str,
        contract: Contract,
        *,
        intent: Callable[[Arguments], str],
        request: Callable[[Arguments], Request],
        sender: Sender | None,
    ) -> None:
        self.recorder = recorder
        self.tool = tool
        self.contract = contract
        self._intent = intent
        self._request = request
        self._sender = sender

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a coroutine is meant by the first, whatever else R may be
        self, function: Callable[Concatenate[Attempt, P], Coroutine[Any, Any, R]]
    ) -> Callable[P, Coroutine[Any, Any, Envelope]]: ...

    @overload
    def __call__(self, function: Callable[Concatenate[Attempt, P], R]) -> Callable[P, Envelope]: ...

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the guarded tool, under the function's own name and parameters but for the attempt.

        Raises TypeError for one that yields: nothing of it would have run when the outcome is put on record.
        """
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__name__} yields: a guarded function sends before it returns")
        signature = inspect.signature(function)
        first, *rest = signature.parameters.values()
        shown = signature.replace(parameters=rest, return_annotation=Envelope)

        def call_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
            bound = shown.bind(*args, **kwargs)
            bound.apply_defaults()
            return self.call(bound.arguments)

        made = (
            self._async(function, call_of) if inspect.iscoroutinefunction(function) else self._sync(function, call_of)
        )
        wrapped = functools.wraps(function)(made)
        wrapped.__signature__ = shown  # type: ignore[attr-defined]  # what inspect.signature reads
        wrapped.__annotations__ = {
            name: kind for name, kind in function.__annotations__.items() if name not in (first.name, "return")
        } | {"return": Envelope}
        wrapped.guard = self  # type: ignore[attr-defined]  # what `guard_of` reads
        return cast("Callable[..., Any]", wrapped)

    def call(self, arguments: Arguments) -> Call:
        """Return what these arguments ask for; raises what `intent` and `request` raise."""
        return Call(
            tool=self.tool,
            contract=self.contract,
            identity=self._intent(arguments),
            request=self._request(arguments),
            arguments=arguments,
            sender=self._sender,
        )

    def _sync(self, function: Callable[..., Any], call_of: Callable[..., Call]) -> Callable[..., Any]:
        def tool(*args: Any, **kwargs: Any) -> Envelope:
            under: Under | None = None
            try:
                with self.recorder.attempt(call_of(args, kwargs)) as under:
                    _keep(under.attempt, function(under.attempt, *args, **kwargs))
            except NotBegun as held:
                return held.envelope
            except Exception:
                if under is None or under.envelope is None:
                    raise
            return _of(under)  # an agent gets an envelope, never a bare error

        return tool

    def _async(self, function: Callable[..., Any], call_of: Callable[..., Call]) -> Callable[..., Any]:
        async def tool(*args: Any, **kwargs: Any) -> Envelope:
            under: Under | None = None
            try:
                async with self.recorder.attempt_async(call_of(args, kwargs)) as under:
                    _keep(under.attempt, await function(under.attempt, *args, **kwargs))
            except NotBegun as held:
                return held.envelope
            except Exception:
                if under is None or under.envelope is None:
                    raise
            return _of(under)

        return tool


def guard_of(function: Callable[..., Any]) -> Guard:
    """Return the guard of a guarded function; raises TypeError for any other."""
    guard = getattr(function, "guard", None)
    if not isinstance(guard, Guard):
        raise TypeError(f"{getattr(function, '__name__', function)} is not guarded: see `unresolved.guarded`")
    return guard


def guarded(
    recorder: Recorder,
    tool: str,
    contract: Contract,
    *,
    intent: Callable[[Arguments], str],
    request: Callable[[Arguments], Request],
    sender: Sender | None = None,
) -> Guard:
    """Return a decorator for a function `(attempt, **arguments)` that sends `attempt.request`.

    `intent` names the intent by the call's arguments (an order, a task step, a message id): never by a run, a call or all
    of the arguments. `request` builds what is sent, without the identity and without credentials. `sender` is what the
    function sends through by `attempt.send()`; without one it sends by itself, and counts as sending any number of times.
    A call whose arguments make no request raises what those two raise, before anything was recorded.
    """
    return Guard(recorder, tool, contract, intent=intent, request=request, sender=sender)


def _keep(attempt: Attempt, returned: Any) -> None:
    """Take what the function returned as the answer, if it is one and none was set."""
    if attempt.reply is None and attempt.seen is None:
        attempt.reply = reply_of(returned)


def _of(under: Under) -> Envelope:
    if under.envelope is None:
        raise RuntimeError("an attempt's block ended without its envelope")
    return under.envelope
