"""Whoever is killed at whatever point: what left is counted at the recipient, and the same call afterwards sends nothing more."""

import json
import signal
import subprocess

import pytest

from operations import models
from tests.client.mcp.proxied import CALL, Proxied
from tests.client.parcels import until_issued

pytestmark = pytest.mark.django_db
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "issue_ticket", "arguments": CALL}}


def said(proxied: Proxied, *, point: str = "", server: str = "") -> tuple[int, list[dict[str, object]]]:
    """Say the guarded call to a proxy of its own; its exit status, and what came back."""
    how = proxied.command(point=point, server=server)
    with subprocess.Popen(
        [how.command, *how.args], env=how.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(ASKED).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        process.stdin.close()
        told = [json.loads(line) for line in [answer, *process.stdout] if line.strip()]
    return process.returncode, told


def envelope(told: list[dict[str, object]]) -> dict[str, object]:
    """The envelope that was the only answer."""
    [message] = told
    found: dict[str, object] = json.loads(message["result"]["content"][0]["text"])  # type: ignore[index]
    return found


POINTS = [
    ("meant", 0),
    ("journalled", 0),
    ("asked", 0),
    ("leaving", 0),
    ("sent", 1),
    ("ended", 1),
    ("recorded", 1),
]


@pytest.mark.parametrize(("point", "issued"), POINTS)
def test_after_the_proxy_was_killed_the_same_call_leaves_nothing_more(proxied: Proxied, point: str, issued: int):
    status, told = said(proxied, point=point)
    assert (status, told) == (-signal.SIGKILL, [])
    until_issued(proxied.desk, issued)
    assert (proxied.tickets, proxied.passages) == (issued, issued)
    _, told = said(proxied)
    if point == "meant":  # nothing was on record, and nothing had left: this is the first
        assert told[0]["id"] == 1
        assert proxied.passages == 1
    else:
        held = envelope(told)
        assert (held["next"], held["evidence"], proxied.passages) == ("held", "unknown", issued)
    journalled = proxied.attempts()
    assert [*models.Attempt.objects.values_list("attempt", flat=True)] == journalled
    assert len(journalled) == 1
    assert models.Operation.objects.get().sealed


@pytest.mark.parametrize(("point", "issued"), [("before", 0), ("after", 1)])
def test_after_the_server_was_killed_nobody_knows(proxied: Proxied, point: str, issued: int):
    status, told = said(proxied, server=point)
    found = envelope(told)
    assert (found["next"], found["sent"], found["evidence"]) == ("held", "yes", "unknown")
    assert status == 128 + signal.SIGKILL
    assert (proxied.tickets, models.Observation.objects.get().fact) == (issued, "closed")
    _, told = said(proxied)
    assert (envelope(told)["next"], proxied.passages) == ("held", issued)
