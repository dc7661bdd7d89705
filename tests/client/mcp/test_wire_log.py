"""The wire log that the proxy writes is read by the desk's importer, and says of each call what the journal says."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from operations.imports import imported
from operations.imports.document import member
from tests.client.mcp.scripted import Between, between, call, result
from unresolved import Desk

NOWHERE = Desk(url="http://127.0.0.1:9", key="unr_none")


def story(relay: Between) -> None:
    """One call that is answered, one with an error, a repeat, one that is refused, and one that nobody answers."""
    for number, more in ((1, {}), (2, {"isError": True})):
        relay.client.say(call(number, order=f"order-{number}"))
        relay.server.hear()
        relay.server.say(result(number, **more))
        relay.client.hear()
    relay.client.say(call(3, order="order-2"))
    relay.client.hear()
    relay.client.say(call(4, order=""))
    relay.client.hear()
    relay.client.say(call(5, order="order-5"))
    relay.server.hear()
    relay.client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
    relay.server.hear()
    relay.end_server()
    relay.client.hear()


def test_an_import_of_it_says_what_the_journal_says(tmp_path: Path):
    with between(tmp_path, NOWHERE) as relay:
        story(relay)
    found = imported(relay.wire.read_bytes())
    facts = {one.call_id: one.shown() for one in found.calls}
    assert found.format == "mcp"
    assert [facts[f"c{number}"].get("outputs", [[None]])[0][0] for number in range(1, 6)] == [
        "claims_result",
        "inconclusive",
        "envelope",
        "not_attempted",
        "envelope",
    ]
    assert "cancel_requested" in facts["c5"]["reasons"]
    with closing(sqlite3.connect(tmp_path / "ops.db")) as journal:
        rows = journal.execute(
            "SELECT o.identity, m.sent, m.says FROM operations o JOIN attempts a ON a.operation = o.key"
            " LEFT JOIN marks m ON m.attempt = a.key AND m.mark = 'ended' ORDER BY a.key"
        ).fetchall()
    # Of five calls three left: the third is a repeat of the second, the fourth names no intent.
    assert rows == [("order-1", "yes", "answered"), ("order-2", "yes", "answered"), ("order-5", "yes", "closed")]
    replies = {
        member(one.arguments, "order"): one.outputs[0].kind for one in found.calls if one.call_id in ("c1", "c2", "c5")
    }
    assert list(replies) == [identity for identity, *_ in rows]


def test_who_only_reads_the_log_of_a_killed_proxy_sees_a_call_without_an_answer(tmp_path: Path):
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(call(1))
        relay.server.hear()
        at_that_moment = relay.wire.read_bytes()
        [attempt] = relay.recorder.journal.open_attempts()
        assert attempt.is_open
    [found] = imported(at_that_moment).calls
    assert (found.produced, found.reasons, found.arguments) == (False, ["no_output"], {"order": "order-1"})
    assert json.loads(at_that_moment)["t"] == 1.0
