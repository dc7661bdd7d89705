"""Against the vendors' own libraries: whatever we accept they accept, and what is written as they say, they and we alike.

They read some headers more leniently than their documents describe, and we don't: a time with a fraction, an exponent
or space around it; base64 with characters that are none; parts after a signature that matched; a second `t`; and, with
Stripe, a time in the future.
"""

import base64
import re
from datetime import UTC, datetime

import stripe
import time_machine
from hypothesis import example, given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from operations.channels.webhook import Came, NotProven, Secret, Way, verify

NOW = 1_780_000_000
STANDARD = Way(scheme="standard_webhooks", header="webhook-signature", tolerance=300)
STRIPE = Way(scheme="stripe", header="stripe-signature", tolerance=300)

bodies = st.one_of(
    st.binary(max_size=30), st.text(max_size=30).map(str.encode), st.just(b'{"id": "evt_1", "object": "event"}')
)
keys = st.binary(min_size=24, max_size=64)
offsets = st.sampled_from([0, 1, -1, 299, 300, 301, -299, -300, -301, 10**6, -(10**6)])


def accepts(headers: dict[str, str], body: bytes, *, way: Way, value: str, at: float = NOW) -> bool:
    try:
        verify(Came(headers=headers, body=body, received_at=at), way=way, secrets=[Secret(name="S", value=value)])
    except NotProven:
        return False
    return True


def library_accepts(headers: dict[str, str], body: bytes, *, value: str, at: float = NOW) -> bool:
    with time_machine.travel(datetime.fromtimestamp(at, tz=UTC), tick=False):
        try:
            Webhook(value).verify(body, headers, json_parse=False)
        except (WebhookVerificationError, ValueError, OverflowError):  # what it raises on headers that it can't read
            return False
    return True


def stripe_accepts(header: str, body: bytes, *, value: str, at: float = NOW) -> bool:
    with time_machine.travel(datetime.fromtimestamp(at, tz=UTC), tick=False):
        try:
            stripe.WebhookSignature.verify_header(body, header, value, 300)
        except (stripe.SignatureVerificationError, ValueError):
            return False
    return True


def secret_of(key: bytes) -> str:
    return "whsec_" + base64.b64encode(key).decode()


@st.composite
def standard_headers(draw, key: bytes, body: bytes) -> dict[str, str]:
    """Headers as the sender writes them, signed with this key or another, some changed on the way."""
    event = draw(st.sampled_from(["msg_1", "msg.2", "m" * 255, "msg_1 ", ""]))
    sent = NOW + draw(offsets)
    signer = draw(st.sampled_from([key, b"another key of this length"]))
    text = draw(st.sampled_from([body.decode(errors="replace"), "{}"]))
    good = Webhook(signer).sign(event, datetime.fromtimestamp(sent, tz=UTC), text)
    other = "v1," + base64.b64encode(b"x" * 32).decode()
    signature = draw(
        st.sampled_from([good, f"{other} {good}", f"{good} {other}", f"v1a,AAAA {good}", "", "v1", good[:-1], good[3:]])
        | st.text(alphabet="v1a,=+/ AZ9é", max_size=60)
    )
    stamp = draw(st.sampled_from([str(sent), f" {sent}", f"{sent}.5", f"{sent:e}", "nan", "", "-1", "9" * 30]))
    return {"webhook-id": event, "webhook-timestamp": stamp, "webhook-signature": signature}


def is_as_specified(headers: dict[str, str]) -> bool:
    """The specification's grammar: an id, whole seconds, signatures apart by one space, each `v1,` and base64."""
    items = headers["webhook-signature"].split(" ")
    return (
        re.fullmatch(r"[\x21-\x7e]{1,255}", headers["webhook-id"]) is not None
        and re.fullmatch(r"[0-9]{1,12}", headers["webhook-timestamp"]) is not None
        and all(
            re.fullmatch(r"v1,(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|v1a,AAAA", one)
            for one in items
        )
    )


@given(st.data(), keys, bodies)
def test_standard_webhooks_is_accepted_and_refused_as_its_library_does(data, key, body):
    headers = data.draw(standard_headers(key, body))
    ours = accepts(headers, body, way=STANDARD, value=secret_of(key))
    theirs = library_accepts(headers, body, value=secret_of(key))
    if is_as_specified(headers):
        assert ours == theirs
    assert theirs or not ours


@given(st.binary(min_size=24, max_size=64), st.text(max_size=40), st.integers(min_value=-300, max_value=300))
def test_what_the_library_signs_is_accepted(key, text, offset):
    sent = NOW + offset
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(sent),
        "webhook-signature": Webhook(key).sign("msg_1", datetime.fromtimestamp(sent, tz=UTC), text),
    }
    assert accepts(headers, text.encode(), way=STANDARD, value=secret_of(key))
    assert library_accepts(headers, text.encode(), value=secret_of(key))


@st.composite
def stripe_header(draw, value: str, body: bytes) -> str:
    """A header as Stripe writes it, signed with this secret or another, some changed on the way."""
    sent = NOW + draw(offsets)
    signer = draw(st.sampled_from([value, "whsec_other"]))
    good = stripe.WebhookSignature.generate_signature_header(body.decode(errors="replace"), signer, timestamp=sent)
    signature = good.partition(",")[2]
    written: str = draw(
        st.sampled_from(
            [
                good,
                f"{good},v0=00",
                f"t={sent},v1={'0' * 64},{signature}",
                f"{signature},t={sent}",
                f"t={sent}",
                f"t= {sent} ,{signature}",
                f"t={sent},t=1,{signature}",
                f"t={sent}, {signature}",
                f"t={sent + 1},{signature}",
                f"t={sent},{signature.upper()}",
                f"t=0{sent},{signature}",
                signature,
                "",
                "t=,v1=",
            ]
        )
        | st.text(alphabet="tv01=,abcdef9 é", max_size=60)
    )
    return written


def is_as_stripe_writes_it(header: str) -> bool:
    """One time in whole seconds and named signatures, apart by commas."""
    parts = header.split(",")
    times = [part for part in parts if part.startswith("t=")]
    wellformed = all(re.fullmatch(r"[A-Za-z0-9_]{1,32}=[^,=\s]*", part) for part in parts)
    return wellformed and len(times) == 1 and re.fullmatch(r"t=[0-9]{1,12}", times[0]) is not None


def is_of_the_future(header: str) -> bool:
    found = re.search(r"t=([0-9]{1,12})(,|$)", header)
    return found is not None and int(found[1]) > NOW + 300


@given(st.data(), st.sampled_from(["whsec_invented", "whsec_" + "é" * 9]), bodies)
@example(None, "whsec_invented", b"{}")
def test_stripes_scheme_is_accepted_and_refused_as_its_library_does(data, value, body):
    header = (
        stripe.WebhookSignature.generate_signature_header(body.decode(), value, timestamp=NOW)
        if data is None
        else data.draw(stripe_header(value, body))
    )
    ours = accepts({"stripe-signature": header}, body, way=STRIPE, value=value)
    theirs = stripe_accepts(header, body, value=value)
    if is_as_stripe_writes_it(header) and not is_of_the_future(header):
        assert ours == theirs
    assert theirs or not ours


def test_an_event_that_we_accept_the_vendors_own_door_opens():
    body = b'{"id": "evt_1", "object": "event", "type": "payment_intent.succeeded", "data": {"object": {}}}'
    header = stripe.WebhookSignature.generate_signature_header(body.decode(), "whsec_invented", timestamp=NOW)
    assert accepts({"stripe-signature": header}, body, way=STRIPE, value="whsec_invented")
    with time_machine.travel(datetime.fromtimestamp(NOW, tz=UTC), tick=False):
        event = stripe.Webhook.construct_event(body, header, "whsec_invented")
    assert event["id"] == "evt_1"
