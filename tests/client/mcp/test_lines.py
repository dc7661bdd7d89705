"""Lines pass however they come in pieces; one that never ends is taken for no line, and its sender for no server."""

import json
from pathlib import Path

from tests.client.mcp.scripted import between, call
from unresolved import Desk
from unresolved.proxy import relaying

NOWHERE = Desk(url="http://127.0.0.1:9", key="unr_none")  # nobody listens there


def test_a_server_whose_line_has_no_end_is_ended_and_its_call_is_unknown(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(relaying, "LONGEST", 1000)
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(call(1))
        relay.server.hear()
        relay.server.say(b"x" * 1001)
        told = json.loads(relay.client.message()["result"]["content"][0]["text"])
        assert (told["next"], told["sent"]) == ("held", "yes")


def test_a_line_that_comes_in_pieces_is_one(tmp_path: Path):
    path = tmp_path / "said"
    path.write_bytes(b"\n" + b"a" * 3_000_000 + b"\nb\n\nc")
    with path.open("rb") as source:
        found = list(relaying.lines(source.fileno()))
    assert [len(one) for one in found] == [1, 3_000_001, 2, 1, 1]
