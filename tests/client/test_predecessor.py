"""A run that really went on is checked: what openai-agents left out before 0.24 is named, and nothing is now.

The predecessor can't be installed beside its successor: `UNRESOLVED_PREDECESSOR` names the interpreter of an environment
that has openai-agents 0.22 (docs/integrate/openai-agents.md). Without it only this version is run.
"""

import os
import subprocess
import sys
from io import StringIO
from itertools import product
from pathlib import Path

import pytest
from django.core.management import call_command

SCRIPT = Path(__file__).with_name("mixed_response.py")
BEFORE = os.environ.get("UNRESOLVED_PREDECESSOR", "")
WAYS = list(product(["none", "conversation_id", "auto_previous_response_id"], ["live", "json"]))


def checked(python: str, folder: Path, mode: str, through: str) -> tuple[int, str]:
    """What `check_next_input` says of the run by an interpreter: its exit status, and its lines."""
    subprocess.run([python, "-P", SCRIPT, folder, mode, through], check=True, timeout=120, cwd=folder, env={})
    said = StringIO()
    try:
        call_command("check_next_input", str(folder / "state.json"), str(folder / "request.json"), stdout=said)
    except SystemExit as ended:
        return int(str(ended.code)), said.getvalue()
    return 0, said.getvalue()


@pytest.mark.skipif(not BEFORE, reason="UNRESOLVED_PREDECESSOR names no interpreter with openai-agents 0.22")
@pytest.mark.parametrize(("mode", "through"), WAYS)
def test_what_the_predecessor_left_out_is_named_where_the_server_keeps_the_history(tmp_path, mode, through):
    status, said = checked(BEFORE, tmp_path, mode, through)
    assert (status, "call_1" in said) == ((0, False) if mode == "none" else (1, True))


@pytest.mark.parametrize(("mode", "through"), [("conversation_id", "json"), ("auto_previous_response_id", "live")])
def test_this_version_leaves_nothing_out(tmp_path, mode, through):
    assert checked(sys.executable, tmp_path, mode, through)[0] == 0
