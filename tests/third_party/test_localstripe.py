"""Refunds at localstripe by Stripe's own library: the key that Stripe promises protects nothing here, and the desk says so."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.third_party.calling import Caller, caller
from tests.third_party.desk import Egress, egress, now, own_contract, put_up, put_up_from_library
from tests.third_party.installed import needs
from tests.third_party.proxy import Loss, Proxy, proxy_before, unrecorded
from tests.third_party.wire import Request

pytestmark = [needs("localstripe"), pytest.mark.django_db(transaction=True)]

CREDENTIAL = "sk_test_invented"
AT = ("POST", "/v1/refunds")


def is_refund(request: Request) -> bool:
    return (request.method, request.path) == AT


@pytest.fixture(scope="module")
def library(logs: Path) -> Iterator[Caller]:
    with caller("localstripe", "stripe_library", log=logs / "caller.log") as found:
        yield found


@pytest.fixture
def proxy(localstripe: int) -> Iterator[Proxy]:
    with proxy_before(localstripe) as found:
        yield found


@dataclass(frozen=True)
class Shop:
    """An agent that refunds, and what the recipient's own store has of it. `direct`: past the proxy."""

    library: Caller
    proxy: Proxy
    direct: str
    payment: str

    def refund(self, identity: str, *, retries: int = 0) -> dict[str, Any]:
        told = {"payment": self.payment, "amount": 100, "identity": identity, "retries": retries}
        return self.library.call(do="refund", credential=CREDENTIAL, url=self.proxy.url, **told)

    def refunds(self) -> list[str]:
        told = {"do": "refunds", "credential": CREDENTIAL, "payment": self.payment}
        return list(self.library.must(url=self.direct, **told))

    def egress(self, desk: str, *, identity: str, sends: str = "one") -> Egress:
        """From here on the proxy records what it is asked to send."""
        found = egress(
            desk, recipient="localstripe", identity=identity, scope="acct_invented", sends=sends, about=is_refund
        )
        self.proxy.before = found
        return found


@pytest.fixture
def shop(library: Caller, proxy: Proxy, localstripe: int, credential: Callable[..., None]) -> Shop:
    direct = f"http://127.0.0.1:{localstripe}"
    for name in ("LOCALSTRIPE_KEY", "STRIPE_API_KEY"):
        credential(name, CREDENTIAL, recipient="localstripe", port=localstripe)
    payment = library.must(do="pay", credential=CREDENTIAL, url=direct, amount=1000)
    return Shop(library, proxy, direct, payment)


@pytest.fixture
def honest(shop: Shop) -> None:
    put_up("localstripe", contract=own_contract("localstripe-refunds"), address=shop.direct)


def test_what_the_door_does_not_take_never_reaches_the_recipient(shop, live_server, honest):
    shop.egress(live_server.url, identity="r" * 300)
    assert shop.refund("r-0")["error"] == "APIConnectionError"
    assert [one.forwarded for one in shop.proxy.of(*AT)] == [False]
    assert len(shop.proxy.refused) == 1
    assert shop.refunds() == []


def test_what_the_library_sent_is_on_record_byte_for_byte_but_the_credential(shop, live_server, honest):
    agent = shop.egress(live_server.url, identity="r-1")
    assert "result" in shop.refund("r-1")
    sent = shop.proxy.of(*AT)[0].request
    stored = agent.must("GET", "")["request"]
    assert (stored["method"], stored["target"], b64decode(stored["body"])) == ("POST", "/v1/refunds", sent.body)
    assert stored["headers"] == [list(line) for line in sent.headers if line[0] != "Authorization"]
    assert CREDENTIAL in sent.header("authorization")
    assert CREDENTIAL not in str(stored)


def test_a_lost_reply_is_unknown_and_nothing_protects_a_repeat(shop, live_server, honest):
    agent = shop.egress(live_server.url, identity="r-2")
    shop.proxy.tell(*AT, loss=Loss.REPLY)
    assert shop.refund("r-2")["error"] == "APIConnectionError"
    agent.lost()
    known = agent.standing()
    assert (known["evidence"], known["protection"]) == ("unknown", "absent")
    assert "repeat" not in known["permitted"]
    assert agent.refusal() == "harm"
    assert len(shop.refunds()) == 1


def test_a_lost_request_looks_the_same_and_an_empty_list_settles_nothing(shop, live_server, honest):
    agent = shop.egress(live_server.url, identity="r-3")
    shop.proxy.tell(*AT, loss=Loss.REQUEST)
    assert shop.refund("r-3")["error"] == "APIConnectionError"
    agent.lost()
    agent.ask("list")
    assert agent.standing()["evidence"] == "unknown"
    assert agent.refusal() == "harm"
    assert shop.refunds() == []


def test_the_desk_finds_the_refund_and_lets_nobody_repeat_it(shop, live_server, honest):
    agent = shop.egress(live_server.url, identity="r-4")
    shop.proxy.tell(*AT, loss=Loss.REPLY)
    shop.refund("r-4")
    agent.lost()
    agent.ask("list")
    known = agent.standing()
    assert (known["evidence"], known["finality"], known["further_effect"]) == ("applied", "settled", "excluded")
    assert "record" in known["permitted"]
    assert agent.refusal() == "settled"
    assert len(shop.refunds()) == 1


def test_the_repeat_that_is_refused_would_have_refunded_twice(shop, live_server, honest):
    agent = shop.egress(live_server.url, identity="r-5")
    shop.proxy.tell(*AT, loss=Loss.REPLY)
    shop.refund("r-5")
    agent.lost()
    assert agent.refusal() == "harm"
    shop.proxy.before = unrecorded  # it is done all the same
    assert "result" in shop.refund("r-5")
    assert len(shop.refunds()) == 2
    agent.ask("list")
    assert agent.standing()["duplicate_effect"] is True


def test_a_library_that_resends_by_itself_refunds_twice_in_one_call(shop, live_server, honest):
    agent = shop.egress(live_server.url, identity="r-6", sends="many")
    shop.proxy.tell(*AT, loss=Loss.REPLY)
    assert "result" in shop.refund("r-6", retries=2)
    assert [one.loss for one in shop.proxy.of(*AT)] == [Loss.REPLY, Loss.NOTHING]
    assert agent.created == [True, False]
    assert len(shop.refunds()) == 2
    agent.answered(shop.proxy.of(*AT)[1].reply, attempt="a1")
    agent.must("POST", "/seal", {})
    known = agent.standing()
    assert (known["evidence"], known["further_effect"]) == ("applied", "possible")
    agent.ask("list")
    assert agent.standing()["duplicate_effect"] is True


def test_by_stripes_own_contract_the_repeat_would_be_permitted_and_refund_twice_here(shop, live_server):
    put_up_from_library("localstripe", contract="stripe-refunds", address=shop.direct)
    agent = shop.egress(live_server.url, identity="r-7")
    agent.begun_at = now() - timedelta(seconds=10)  # Stripe is to be given some between two requests
    shop.proxy.tell(*AT, loss=Loss.REPLY)
    shop.refund("r-7")
    agent.lost()
    assert agent.standing()["protection"] == "active"
    agent.repeat_with_a_grant()
    assert len(shop.refunds()) == 1
    shop.proxy.before = unrecorded  # the attempt is on record
    assert "result" in shop.refund("r-7")
    assert len(shop.refunds()) == 2


def test_refunds_are_not_held_to_what_is_left_of_the_payment(shop):
    told = {"payment": shop.payment, "amount": 600, "credential": CREDENTIAL, "url": shop.direct}
    for identity in ("r-8", "r-9"):
        assert "result" in shop.library.call(do="refund", identity=identity, **told)
    assert len(shop.refunds()) == 2  # 1,200 of 1,000
