"""What of the client has to be broken off: each step that it names, and each function that writes, tells or sends; from its code.

What the client has and no act passes is missing, and a run with anything missing has failed.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from tests.faults.points import ROOT
from tests.faults.process import Ran
from tests.faults.ways import modules

_ONLY_READS: Final = "asks the desk, and records nothing"
_REPORTED: Final = (
    "the MCP server keeps no journal and sends nothing: it passes on what an agent reports (tests/client/mcp)"
)
_AUTHORISED: Final = (
    "what a person authorised in place of another goes out by the steps of a granted repeat, which an act passes"
)
_SYNC: Final = "the same as its asynchronous twin, which an act passes"
# Functions that no act passes, with why; each name has to be there.
EXCUSED: Final[Mapping[str, str]] = {
    "function unresolved.adapters.langgraph.stopping._decision": _ONLY_READS,
    "function unresolved.adapters.langgraph.stopping._receipt": _ONLY_READS,
    "function unresolved.attempting.Attempt.send_async": "the sender's `send` in a thread, which acts pass",
    "function unresolved.beginning.Beginning._authorised": _AUTHORISED,
    "function unresolved.beginning.Beginning._refused": "the desk refused, nothing leaves, and one mark is written at once",
    "function unresolved.carrying.carry_out": _AUTHORISED,
    "function unresolved.opening.opened": "opens the file; what is written then is the points' own",
    "function unresolved.mcp.reporting.Reporter._granted": _REPORTED,
    "function unresolved.mcp.reporting.Reporter._told": _REPORTED,
    "function unresolved.transports.over_httpx.GuardedTransport._sent": _SYNC,
    "function unresolved.transports.over_httpx.GuardedTransport.handle_request": _SYNC,
}
# By the name of what is called, and of what it is called on; None: whatever that is.
_ACTS: Final[Mapping[str, frozenset[str]]] = {
    "journal": frozenset({"begin", "mark", "deliver", "note", "require_writable"}),
    "desk": frozenset({"batch", "operation", "grant", "result", "call"}),
}
_SENDS: Final = frozenset(
    {"send", "send_async", "endheaders", "handle_request", "handle_async_request", "up", "connect"}
)


@cache
def required() -> tuple[str, ...]:
    """Return every step and every function that has to be passed."""
    return (*[f"step {name}" for name in sorted({*_steps()})], *[f"function {name}" for name in _functions()])


def missing(runs: Iterable[Ran]) -> list[str]:
    """Return what no run has passed and nothing excuses; and what is excused and is not there, or is passed all the same."""
    have: set[str] = set()
    for ran in runs:
        have |= {name.partition(" (")[0] for name in ran.passed if name.startswith("step ")}
        have |= {f"function {name}" for name in ran.functions}
    lost = [f"{name} has no fault point" for name in required() if name not in have and name not in EXCUSED]
    stale = [f"{name} is excused and is not there" for name in EXCUSED if name not in required()]
    return sorted(lost) + sorted(stale)


def _trees() -> Iterator[tuple[str, ast.Module]]:
    root = ROOT / "client"
    for name, tree in modules("client/unresolved"):
        yield name.removeprefix(f"{root.name}."), tree


def _steps() -> Iterator[str]:
    """Every step that the client tells, by its literal name."""
    for _, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _named(node.func) == "passing" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    yield str(first.value)


def _named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _functions() -> Iterator[str]:
    for module, tree in _trees():
        yield from (f"{module}.{name}" for name in _acting(tree.body, prefix=""))


def _acting(body: Iterable[ast.stmt], *, prefix: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _acting(node.body, prefix=f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(map(_acts, ast.walk(node))):
            yield f"{prefix}{node.name}"


def _acts(node: ast.AST) -> bool:
    """Whether it is a call that writes to the journal, speaks to the desk or sends."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    return name in _SENDS or name in _ACTS.get(_named(node.func.value), ())
