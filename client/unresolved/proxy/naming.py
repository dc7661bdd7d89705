"""What a call is meant for, by its caller's name: an argument, a word beside the arguments, or the task that it is part of.

handover.md, 3.1: an identity is never made of run or call ids, nor of the arguments alone. Without a name nothing is sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from unresolved.beginning import Meant
from unresolved.proxy.reading import INVALID_PARAMS, Line, Number, Refused, written
from unresolved.request import Bound, NotRecordable, Request, one_line
from unresolved.words import Sends

META: Final = "unresolved/intent"
_MISSING: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One guarded tool: its recipient at the desk, and where in its arguments (RFC 6901) its caller names the intent."""

    recipient: str
    intent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The guarded tools of one server. `task` is the caller's name of what it is at, the same after a restart.

    `server` names the server in the bound request, `scope` the account that it acts in.
    """

    rules: Mapping[str, Rule]
    task: str | None = None
    server: str = "mcp"
    scope: str = ""
    sends: Sends = Sends.MANY

    def meant(self, line: Line, *, tool: str) -> Meant:
        """Return what a call is meant for, bound without its JSON-RPC id and `_meta`; raises `Refused`."""
        if line.loose is not None:
            raise Refused(INVALID_PARAMS, line.loose)
        rule, arguments = self.rules[tool], line.member("params", "arguments")
        try:
            params = {"name": tool, **({} if arguments is None else {"arguments": arguments})}
            body = written({"jsonrpc": "2.0", "method": "tools/call", "params": params}).encode()
            bound = Bound(
                recipient=rule.recipient,
                identity=self._identity(line, tool, rule),
                request=Request(
                    method="POST",
                    target=f"/{self.server}",
                    headers=(("Content-Type", "application/json"),),
                    body=body,
                ),
                arguments=None if arguments is None else written(arguments).encode(),
                scope=self.scope,
            )
        except (NotRecordable, UnicodeEncodeError, RecursionError) as error:
            raise Refused(INVALID_PARAMS, f"it can't be put on record: {_why(error)}") from None
        origin = {"tool": one_line(tool, most=200), "agent": "by way of the MCP proxy"}
        return Meant(bound=bound, tool=tool, sends=self.sends, origin=origin)

    def _identity(self, line: Line, tool: str, rule: Rule) -> str:
        if rule.intent is not None:
            return _named(at(line.member("params", "arguments"), rule.intent), f"/params/arguments{rule.intent}")
        beside = line.member("params", "_meta", META)
        if beside is not None:
            return _named(beside, f"/params/_meta/{META.replace('/', '~1')}")
        if self.task is None:
            raise Refused(INVALID_PARAMS, f"nothing names the intent; /params/_meta/{META.replace('/', '~1')} may")
        arguments = written(line.member("params", "arguments"))
        return f"{self.task}:{sha256(f'{tool} {arguments}'.encode()).hexdigest()[:24]}"


def at(value: Any, pointer: str) -> Any:
    """Return what stands at a JSON pointer, a mark of our own where nothing does."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(name, _MISSING)
        elif isinstance(value, list) and name.isdecimal() and int(name[:9]) < len(value):
            value = value[int(name[:9])]
        else:
            return _MISSING
    return value


def _named(value: Any, where: str) -> str:
    text = str(value) if isinstance(value, str) else ""
    if not text or (isinstance(value, Number) and not text.lstrip("-").isdecimal()):
        raise Refused(INVALID_PARAMS, f"{where} must name the intent, as text or a whole number")
    return text


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error) if isinstance(error, NotRecordable) else "a lone surrogate is no text"
