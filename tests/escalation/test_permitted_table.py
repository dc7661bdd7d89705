"""`manage.py permitted_table`, run for real: it prints the table that decides, and the README shows the same."""

import os
import subprocess
import sys

from escalation.env import ROOT
from operations.core.tables import permitted_in_markdown

BEGIN, END = "<!-- permitted_table -->\n", "<!-- /permitted_table -->"


def printed() -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "permitted_table"],
        capture_output=True,
        encoding="utf-8",
        cwd="/",
        env={**environment, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"},
        check=False,
        timeout=60,
    )


def test_the_table_is_printed_without_a_database():
    done = printed()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == permitted_in_markdown()


def test_the_readme_shows_what_the_command_prints():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.count(BEGIN) == readme.count(END) == 1
    shown = readme.split(BEGIN)[1].split(END)[0]
    assert shown.strip("\n") == printed().stdout.strip("\n")
