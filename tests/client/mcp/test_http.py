"""Over streamable HTTP everybody brings a key of their own, and no page of another site gets a word in."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from operations import models
from tests.client import doors
from tests.client.mcp.agents import ORDER, call, served, with_key
from tests.client.mcp.listening import Socket
from unresolved.__main__ import main

pytestmark = pytest.mark.django_db
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def server(at: Socket) -> Iterator[str]:
    """A server in a process of its own."""
    with served(f"http://127.0.0.1:{at.server_port}") as url:
        yield url


def post(url: str, **headers: str) -> int:
    """The status of one message."""
    own = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(url, json.dumps(PING).encode(), own)  # noqa: S310  # a loopback address
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # likewise
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_each_caller_speaks_with_its_own_key(server, listening):
    keys = [doors.key("agent"), doors.key("agent")]

    async def says():
        for number, key in enumerate(keys):
            async with with_key(server, key) as client:
                listed = await client.list_tools()
                order = {**ORDER, "operation_key": f"order-{number}", "arguments": {"parcel": f"P{number}"}}
                headers = {"Idempotency-Key": f"order-{number}", "Content-Type": "application/json"}
                body = json.dumps({"parcel": f"P{number}"})
                order["request"] = {**ORDER["request"], "headers": headers, "body": body}
                listening.loses = ""
                lost = await call(client, "record_operation", **order)
                found = await call(client, "record_operation", **order)
                told = await call(client, "record_attempt", operation=found["operation"], attempt_id="a")
                assert (len(listed.tools), lost["error"], told["send"]) == (5, "desk_unreachable", True)

    asyncio.run(says())
    assert set(listening.keys) == {f"Bearer {key}" for key in keys}
    by = models.Attempt.objects.order_by("recorded_at").values_list("recorded_by", flat=True)
    assert list(by) == [f"key {key.partition('.')[0]}" for key in keys]


def test_a_key_that_is_none_is_refused_by_the_desk(server, listening):
    async def says():
        async with with_key(server, "unr_none") as client:
            return await call(client, "record_operation", **ORDER)

    told = asyncio.run(says())
    assert (told["error"], told["send"]) == ("no_key", False)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Basic dXNlcg=="}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "Bearer unr_x", "Host": "evil.example"}, 421),
        ({"Authorization": "Bearer unr_x", "Origin": "https://evil.example"}, 403),
    ],
)
def test_who_has_no_key_or_comes_from_elsewhere_is_not_let_in(server, headers, status):
    assert post(server, **headers) == status


def test_a_message_that_is_too_long_is_not_read(server):
    request = urllib.request.Request(  # noqa: S310  # a loopback address
        server, b" " * (5 * 1024 * 1024), {"Authorization": "Bearer unr_x", "Content-Type": "application/json"}
    )
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as refused:
        urllib.request.urlopen(request, timeout=60)  # noqa: S310  # likewise
    if isinstance(refused.value, urllib.error.HTTPError):
        assert refused.value.code == 413
        refused.value.close()


def test_it_listens_to_other_machines_only_by_names_that_are_given(capsys):
    assert main(["mcp", "--desk", "http://127.0.0.1:9", "--http", "0.0.0.0:0"]) == 2
    assert "--allow-host" in capsys.readouterr().err


def test_by_stdio_it_takes_a_key_from_the_environment_alone(monkeypatch, capsys):
    monkeypatch.delenv("UNRESOLVED_KEY", raising=False)
    monkeypatch.delenv("UNRESOLVED_KEY_FILE", raising=False)
    assert main(["mcp", "--desk", "http://127.0.0.1:9"]) == 2
    assert "UNRESOLVED_KEY" in capsys.readouterr().err
