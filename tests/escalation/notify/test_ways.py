"""Webhooks over a real connection on loopback, through the guarded client; and what an answer says of a message."""

import json
import logging
import socket
import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from standardwebhooks import Webhook, WebhookVerificationError
from werkzeug import Request, Response

from escalation.models.notice import End
from escalation.models.notice_address import Way
from escalation.notify.ways import read, send
from operations.posting import Posted, Wire
from tests.escalation.notify.messages import AT, HOSTILE_ONE, about, message

KEY, OLD = "whsec_" + "bmV3ZXN0IHNlY3JldCBvZiB0aGUgZGVzayE=", "whsec_" + "cHJldmlvdXMgc2VjcmV0IG9mIHRoZSBkZXNr"
ALL = [Way.SLACK, Way.MSTEAMS, Way.WEBHOOK]


def environ(url: str, **more: str) -> dict[str, str]:
    return {
        "UNRESOLVED_NOTICE_OPS_ROOM": url,
        "UNRESOLVED_NOTICE_OPS_ROOM_SECRET": KEY,
        "UNRESOLVED_NETWORKS_OF_NOTICES": "127.0.0.0/8",
        **more,
    }


def told(found: dict[str, str], *, way: Way = Way.SLACK, to: str = "OPS_ROOM", what: Any = None) -> Any:
    return send(what or message(about()), way=way, to=to, clock=lambda: datetime.now(UTC), environ=found)


@pytest.mark.parametrize("way", ALL)
@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({}, "Neither UNRESOLVED_NOTICE_OPS_ROOM nor UNRESOLVED_NOTICE_OPS_ROOM_FILE is set."),
        (
            environ("hooks.example/T0/B0/token"),
            "UNRESOLVED_NOTICE_OPS_ROOM isn't an address that begins with https://.",
        ),
        (environ("http://192.0.2.7/T0"), "192.0.2.7 is not in an allow-listed network"),
        (environ("https://169.254.169.254/latest"), "169.254.169.254"),
        (environ("https://10.1.2.3/hook"), "10.1.2.3"),
        (environ("https://ann:word@hooks.example/T0"), "An address holds no user name or password"),
        (environ("https://hooks.example/T0/../B0"), "A path holds a segment of dots"),
        (environ("https://hooks.example/#T0"), "The target"),
        (environ("http://127.0.0.1:1/x", UNRESOLVED_NETWORKS_OF_NOTICES=""), "allow-listed"),
        (environ("http://127.0.0.1:1/x", UNRESOLVED_NETWORKS_OF_NOTICES="64.0.0.0/2"), "wider than /8"),
    ],
)
def test_where_the_guard_or_a_setting_lets_nothing_leave_it_is_not_sent(way, found, said):
    outcome = told({"UNRESOLVED_NOTICE_OPS_ROOM_SECRET": KEY, **found}, way=way)
    assert outcome.end is End.NOT_SENT
    assert said in outcome.detail
    assert "T0" not in outcome.detail


@pytest.mark.parametrize("to", ["", "ops_room", "OPS_ROOM_SECRET", "OPS_ROOM_FILE", "../X", "SECRET_KEY\n"])
def test_a_name_that_is_none_reads_no_setting(to):
    assert told(environ("https://hooks.example/x"), to=to).end is End.NOT_SENT


@pytest.mark.parametrize("secret", ["", "whsec_short", "not base64 at all !!"])
def test_a_webhook_is_not_sent_unsigned(secret):
    outcome = told(environ("https://hooks.example/x", UNRESOLVED_NOTICE_OPS_ROOM_SECRET=secret), way=Way.WEBHOOK)
    assert outcome.end is End.NOT_SENT
    assert "UNRESOLVED_NOTICE_OPS_ROOM_SECRET" in outcome.detail
    assert not secret or secret not in outcome.detail


def test_nobody_there_is_not_sent():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert told(environ(f"http://127.0.0.1:{port}/x")).end is End.NOT_SENT


def test_a_redirect_is_not_followed(httpserver: HTTPServer):
    httpserver.expect_request("/hook").respond_with_data(status=307, headers={"Location": httpserver.url_for("/there")})
    outcome = told(environ(httpserver.url_for("/hook")))
    assert outcome.end is End.REFUSED
    assert [request.path for request, _ in httpserver.log] == ["/hook"]


@pytest.mark.parametrize("way", ALL)
def test_it_is_posted_once_and_neither_address_nor_secret_is_said_or_logged(httpserver: HTTPServer, way, caplog):
    caplog.set_level(logging.DEBUG)
    httpserver.expect_request("/T0/B0/sesame").respond_with_data("ok")
    outcome = told(environ(httpserver.url_for("/T0/B0/sesame?sig=tulip")), way=way, what=HOSTILE_ONE)
    assert (outcome.end, outcome.detail) == (End.TAKEN, f"{way.sentence} answered 200: ok.")
    [(request, _)] = httpserver.log
    assert request.headers["Content-Type"] == "application/json"
    assert request.query_string == b"sig=tulip"
    json.loads(request.get_data())
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name != "werkzeug")
    assert not any(word in ours + repr(outcome) for word in ("sesame", "tulip", KEY))


def signed(httpserver: HTTPServer, **more: str) -> Request:
    httpserver.expect_request("/hook").respond_with_data("")
    assert told(environ(httpserver.url_for("/hook"), **more), way=Way.WEBHOOK).end is End.TAKEN
    return httpserver.log[-1][0]


def test_a_receiver_that_uses_the_standards_own_library_knows_the_message(httpserver: HTTPServer):
    request = signed(httpserver)
    found = Webhook(KEY).verify(request.get_data(), dict(request.headers))
    assert found["type"] == "case.call"
    assert found["timestamp"] == "2026-11-30T14:00:00Z"
    assert found["data"]["operations"][0]["answers"]["Did it happen?"] == "We don't know"
    assert found["data"]["calls"] == [1]
    assert request.headers["webhook-id"] == f"notice_{77:032x}"


def test_another_secret_or_another_body_proves_nothing(httpserver: HTTPServer):
    request = signed(httpserver)
    with pytest.raises(WebhookVerificationError):
        Webhook(OLD).verify(request.get_data(), dict(request.headers))
    with pytest.raises(WebhookVerificationError):
        Webhook(KEY).verify(request.get_data().replace(b"1042", b"1043"), dict(request.headers))


def test_while_a_secret_changes_both_prove_it(httpserver: HTTPServer):
    request = signed(httpserver, UNRESOLVED_NOTICE_OPS_ROOM_SECRET_PREVIOUS=OLD)
    for secret in (KEY, OLD):
        assert Webhook(secret).verify(request.get_data(), dict(request.headers))


def test_a_secret_may_be_a_file(httpserver: HTTPServer, tmp_path):
    (tmp_path / "key").write_text(f"{KEY}\n")
    request = signed(
        httpserver,
        UNRESOLVED_NOTICE_OPS_ROOM_SECRET="",
        UNRESOLVED_NOTICE_OPS_ROOM_SECRET_FILE=str(tmp_path / "key"),
    )
    assert Webhook(KEY).verify(request.get_data(), dict(request.headers))


def test_an_answer_that_never_comes_leaves_it_open(httpserver: HTTPServer):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            wire, _ = server.accept()
            with wire:
                wire.recv(65_536)

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        outcome = told(environ(f"http://127.0.0.1:{server.getsockname()[1]}/hook"))
        thread.join()
    assert outcome.end is End.MAY_HAVE_ARRIVED


@pytest.mark.parametrize(
    ("status", "end"),
    [
        (200, End.TAKEN),
        (202, End.TAKEN),
        (301, End.REFUSED),
        (400, End.REFUSED),
        (403, End.REFUSED),
        (404, End.REFUSED),
        (408, End.NOT_SENT),
        (410, End.REFUSED),
        (425, End.NOT_SENT),
        (429, End.NOT_SENT),
        (500, End.MAY_HAVE_ARRIVED),
        (502, End.MAY_HAVE_ARRIVED),
        (503, End.NOT_SENT),
        (504, End.MAY_HAVE_ARRIVED),
        (999, End.MAY_HAVE_ARRIVED),
    ],
)
def test_what_an_answer_says_of_the_message(status, end):
    assert read(Posted(wire=Wire.ANSWERED, status=status), receiver="Slack", now=AT).end is end


def test_a_receiver_that_asks_to_wait_is_heard(httpserver: HTTPServer):
    httpserver.expect_request("/hook").respond_with_data(status=429, headers={"Retry-After": "45"})
    outcome = told(environ(httpserver.url_for("/hook")))
    assert outcome.wait is not None
    assert outcome.wait.total_seconds() == 45


@pytest.mark.parametrize("said", ["<script>", "https://hooks.example/T0/B0/sesame", "x" * 200, "{}", "bad\r\nline"])
def test_what_a_receiver_says_at_length_is_not_quoted(httpserver: HTTPServer, said):
    httpserver.expect_request("/hook").respond_with_handler(lambda _: Response(said, status=400))
    assert told(environ(httpserver.url_for("/hook"))).detail == "Slack answered 400."
