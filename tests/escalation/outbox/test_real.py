"""Over a real connection on loopback: what a program verifies with the standard's own library, and what it can't do to us."""

import json
import logging
import socket
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from standardwebhooks import Webhook, WebhookVerificationError
from werkzeug import Request, Response

from escalation.models import OutboxEvent, OutboxTry, Subscription
from escalation.models.outbox import End, Over
from escalation.models.subscription import EventKind
from escalation.outbox.telling import by, tell
from tests.escalation.building import T0, operation
from tests.escalation.outbox.made import KEY, NOW, OLD, subscription

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


def environ(**more: str) -> dict[str, str]:
    return {
        "UNRESOLVED_SUBSCRIPTION_KEY_BILLING": KEY,
        "UNRESOLVED_SUBSCRIPTION_KEY_BILLING_OLD": OLD,
        "UNRESOLVED_NETWORKS_OF_SUBSCRIPTIONS": "127.0.0.0/8",
        **more,
    }


def now() -> datetime:
    return datetime.now(UTC)


def sent(url: str, *, keys: tuple[str, ...] = ("BILLING",), found: dict[str, str] | None = None) -> int:
    """One event is told at an address, by the real client."""
    made = operation("order-1", effect=f"Issue a ticket{chr(0x202E)} for\n{'x' * 400}")
    made.timed_out(now=T0 + SECOND)
    if not Subscription.objects.exists():
        subscription(EventKind.STANDING_CHANGED, address=url, keys=keys)
    made.recorded("issued", now=T0 + 2 * SECOND, ticket="T-1")
    return again(found)


def again(found: dict[str, str] | None = None, *, at: datetime = NOW) -> int:
    return tell(
        clock=lambda: at,
        send=by(now, environ=environ() if found is None else found),
        monotonic=lambda: 0.0,
        jitter=lambda: 1.0,
    )


def the_try() -> OutboxTry:
    return OutboxTry.objects.latest("nth")


def verified(request: Request, key: str = KEY) -> Any:
    return Webhook(key).verify(request.get_data(), dict(request.headers))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://169.254.169.254/latest", "169.254.169.254"),
        ("https://10.1.2.3/hook", "10.1.2.3"),
        ("https://[::1]/hook", "::1"),
        ("http://192.0.2.7/hook", "not in an allow-listed network"),
        ("https://ann:word@billing.example/", "no user name or password"),
        ("billing.example/hook", "begins with https://"),
    ],
)
def test_where_the_guard_lets_nothing_leave_it_is_not_sent_and_tried_again(url, said):
    sent(url)
    assert (the_try().ended_as, OutboxEvent.objects.get().ended_as) == (End.NOT_SENT, "")
    assert said in the_try().detail


def test_a_private_network_that_nobody_lists_is_not_reached(httpserver: HTTPServer):
    sent(httpserver.url_for("/hook"), found=environ(UNRESOLVED_NETWORKS_OF_SUBSCRIPTIONS=""))
    assert (the_try().ended_as, httpserver.log) == (End.NOT_SENT, [])


@pytest.mark.parametrize("key", ["", "whsec_short", "not base64 at all !!"])
def test_nothing_is_sent_unsigned(httpserver: HTTPServer, key):
    sent(httpserver.url_for("/hook"), found=environ(UNRESOLVED_SUBSCRIPTION_KEY_BILLING=key))
    assert (the_try().ended_as, httpserver.log) == (End.NOT_SENT, [])
    assert "UNRESOLVED_SUBSCRIPTION_KEY_BILLING" in the_try().detail
    assert not key or key not in the_try().detail


def test_no_setting_but_a_key_is_read_by_a_keys_name():
    sent("https://billing.example/", keys=("../SECRET_KEY",))
    assert the_try().ended_as == End.NOT_SENT


def test_a_redirect_is_not_followed(httpserver: HTTPServer):
    there = httpserver.url_for("/there")
    httpserver.expect_request("/hook").respond_with_data(status=307, headers={"Location": there})
    sent(httpserver.url_for("/hook"))
    assert (the_try().ended_as, [request.path for request, _ in httpserver.log]) == (End.REFUSED, ["/hook"])


def test_the_standards_own_library_verifies_what_comes(httpserver: HTTPServer):
    httpserver.expect_request("/hook").respond_with_data("")
    assert sent(httpserver.url_for("/hook?tenant=7")) == 1
    [(request, _)] = httpserver.log
    found = verified(request)
    assert (found["type"], found["timestamp"]) == ("operation.standing_changed", "2026-11-30T12:00:02Z")
    assert found["data"]["changed"]["to"]["evidence"] == found["data"]["standing"]["evidence"] == "applied"
    assert found["data"]["operation"]["identity"] == "order-1"
    assert request.headers["webhook-id"] == f"event_{OutboxEvent.objects.get().key.hex}"
    assert request.headers["Content-Type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        verified(request, OLD)
    with pytest.raises(WebhookVerificationError):
        Webhook(KEY).verify(request.get_data().replace(b"order-1", b"order-2"), dict(request.headers))


def test_what_others_wrote_is_one_bounded_line_and_no_request_is_told(httpserver: HTTPServer):
    httpserver.expect_request("/hook").respond_with_data("")
    sent(httpserver.url_for("/hook"))
    raw = httpserver.log[0][0].get_data()
    effect = json.loads(raw)["data"]["operation"]["effect"]
    assert effect.startswith("Issue a ticket for xxx")
    assert len(effect) == 300
    assert not any(word in raw for word in (b"/desks/East", b"idempotency-key", b"desk-east", KEY.encode()))
    assert len(raw) < 4_096


def test_while_keys_change_both_prove_it_and_afterwards_the_new_one_alone(httpserver: HTTPServer):
    httpserver.expect_request("/hook").respond_with_data(status=500)
    sent(httpserver.url_for("/hook"), keys=("BILLING", "BILLING_OLD"))
    made = Subscription.objects.get()
    made.keys.filter(name="BILLING_OLD").update(ended_at=NOW, ended_by=made.made_by)
    again(at=NOW + 10 * SECOND)
    first, second = [request for request, _ in httpserver.log]
    assert verified(first) == verified(first, OLD) == verified(second)
    with pytest.raises(WebhookVerificationError):
        verified(second, OLD)


def test_an_answer_that_is_lost_has_the_same_message_come_again(httpserver: HTTPServer):
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[bytes] = []

        def hang_up() -> None:
            wire, _ = server.accept()
            with wire:
                kept.append(wire.recv(65_536))

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        sent(f"http://127.0.0.1:{server.getsockname()[1]}/hook")
        thread.join()
    assert (the_try().ended_as, the_try().status) == (End.NO_ANSWER, None)
    with HTTPServer(port=int(Subscription.objects.get().address.split(":")[2].split("/")[0])) as there:
        there.expect_request("/hook").respond_with_data("")
        assert again(at=NOW + 10 * SECOND) == 1
        request = there.log[0][0]
    assert request.headers["webhook-id"].encode() in kept[0]
    assert kept[0].endswith(request.get_data())
    assert OutboxEvent.objects.get().ended_as == Over.TAKEN


@pytest.mark.parametrize("body", [b"<b>no</b>" * 100_000, b"\xff\xfe\x00", b""])
def test_a_hostile_answer_is_kept_short(httpserver: HTTPServer, body):
    httpserver.expect_request("/hook").respond_with_handler(lambda _: Response(body, status=400))
    sent(httpserver.url_for("/hook"))
    assert the_try().status == 400
    assert len(the_try().said) <= 300
    assert "\0" not in the_try().said


def test_what_is_no_http_is_no_answer():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def babble() -> None:
            wire, _ = server.accept()
            with wire:
                wire.recv(65_536)
                wire.sendall(b"SSH-2.0-nothing\r\n" * 100)

        thread = threading.Thread(target=babble, daemon=True)
        thread.start()
        sent(f"http://127.0.0.1:{server.getsockname()[1]}/hook")
        thread.join()
    assert the_try().ended_as == End.NO_ANSWER


def test_no_key_is_logged_or_shown(httpserver: HTTPServer, caplog):
    caplog.set_level(logging.DEBUG)
    httpserver.expect_request("/hook").respond_with_data(KEY, status=500)
    sent(httpserver.url_for("/hook"))
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name != "werkzeug")
    assert KEY not in ours + the_try().said + the_try().detail
