"""The client stands alone: it imports the standard library, and speaks to the desk in the desk's own terms."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import unresolved
from operations.core.representation import Representation
from unresolved.request import Bound, Request

CLIENT = Path(unresolved.__file__).parent
OF_LIBRARIES = {"over_httpx.py": {"httpx"}, "over_requests.py": {"requests", "urllib3"}}
OF_FOLDERS = {
    "langgraph": {"langchain_core", "langgraph"},
    "mcp": {"mcp", "mcp_types", "pydantic", "starlette", "uvicorn"},
    "openai_agents": {"agents"},
}


def imported(file: Path) -> set[str]:
    """The first names of the modules that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def test_it_imports_the_standard_library_and_a_wrapper_its_own_library():
    for file in CLIENT.rglob("*.py"):
        others = imported(file) - sys.stdlib_module_names - {"unresolved"}
        folder = OF_FOLDERS.get(file.parent.name, set())
        assert others - folder == OF_LIBRARIES.get(file.name, set()), file


def test_who_imports_it_gets_no_other_code_along():
    code = "import sys, unresolved, unresolved.__main__; print(*{name.split('.')[0] for name in sys.modules})"
    # What the interpreter loads by itself at its start is not ours.
    commands = [[sys.executable, "-c", one] for one in (code, code.replace(", unresolved, unresolved.__main__", ""))]
    env = {"PYTHONPATH": str(CLIENT.parent)}
    some, none = [set(subprocess.check_output(one, env=env, text=True).split()) for one in commands]
    assert some - none - sys.stdlib_module_names == {"unresolved"}


def test_it_asks_for_nothing_to_be_installed_and_brings_its_types():
    told: dict[str, Any] = tomllib.loads((CLIENT.parent / "pyproject.toml").read_text())
    assert told["project"]["dependencies"] == []
    assert (CLIENT / "py.typed").exists()


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
values = texts.map(str.strip)
names = st.from_regex(r"[A-Za-z][A-Za-z-]{0,8}", fullmatch=True)
bodies = st.none() | st.binary(max_size=20)


@settings(max_examples=30)
@given(
    texts, values, bodies, st.none() | st.just(b'{"a":1}'), st.lists(st.tuples(names, st.just("v") | names), max_size=3)
)
def test_its_digest_of_a_request_is_the_desks(identity, scope, body, arguments, headers):
    lines = tuple(headers)
    request = Request(method="POST", target="/orders", headers=lines, body=body)
    mine = Bound(recipient="desk", identity=identity, request=request, arguments=arguments, scope=scope)
    theirs = Representation(
        method="POST",
        target="/orders",
        headers=lines,
        body=body,
        arguments=arguments,
        scope=scope,
        identity=identity,
    )
    assert mine.digest == theirs.digest
