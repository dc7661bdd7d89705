"""docs/integrate/mcp.md runs as it stands there: its server, its clients and its commands."""

import re
import shlex
from pathlib import Path

import pytest

from tests.client import doors, test_docs
from tests.client.mcp.proxied import publish, transport_key
from tests.client.parcels import tickets
from tests.client.processes import ROOT
from unresolved.__main__ import parser

PAGE = test_docs.DOCS / "mcp.md"


@pytest.mark.django_db
def test_ten_minutes_to_a_guarded_server(listening, desk, tmp_path: Path, monkeypatch, capsys):
    publish("tickets")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unresolved").symlink_to(ROOT / "client" / "unresolved")  # as if it were installed
    server = re.search(r"^```py\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert server is not None
    (tmp_path / "tickets_server.py").write_text(server[1])
    told = {"DESK_URL": listening.url, "UNRESOLVED_KEY": transport_key(), "AGENT_KEY": doors.key("agent")}
    for name, value in {**told, "TICKETS_URL": desk.url, "TICKETS_TOKEN": "credential-of-one"}.items():
        monkeypatch.setenv(name, value)
    test_docs.run("mcp.md")
    assert '"key": "order-1001"' in capsys.readouterr().out
    assert (tickets(desk, "order-1001"), len(desk.control.truth("order-1001")["passages"])) == (1, 1)


def test_its_commands_are_ones_that_there_are():
    found = re.findall(r"python3 -m unresolved (.*?)[`\n]", PAGE.read_text())
    verbs = [parser().parse_args(shlex.split(line)) for line in found]
    assert len(verbs) == 3
