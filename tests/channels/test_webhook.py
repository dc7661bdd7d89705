"""What proves a message, and what doesn't, with the reason; every scheme, both ends of the window, rotation."""

import base64
import hashlib
import hmac

import pytest

from operations.channels.credentials import NoCredential
from operations.channels.webhook import Came, NotProven, Secret, SecretUnusable, Way, check_secret, verify
from operations.channels.webhook_secrets import secrets_of
from tests.recipients.collection_desk.webhooks import signature

NOW = 1_780_000_000.0
BODY = b'{"id": "evt_1", "key": "order-1001"}'
NEW = Secret(name="DESK", value="whsec_" + base64.b64encode(b"invented for tests alone").decode())
OLD = Secret(name="DESK_PREVIOUS", value="whsec_" + base64.b64encode(b"invented earlier for test").decode())
STANDARD = Way(scheme="standard_webhooks", header="webhook-signature", tolerance=300)
STRIPE = Way(scheme="stripe", header="stripe-signature", tolerance=300)
PLAIN = Way(scheme="hmac_sha256", header="x-hub-signature-256", tolerance=300)


def came(headers: dict[str, str], *, body: bytes = BODY, at: float = NOW) -> Came:
    return Came(headers=headers, body=body, received_at=at)


def standard(*, at: float = NOW, secret: Secret = NEW, event: str = "msg_1", **other: str) -> dict[str, str]:
    signed = signature(secret=secret.value, event=event, timestamp=int(at), body=BODY)
    lines = {"webhook-id": event, "webhook-timestamp": str(int(at)), "webhook-signature": signed}
    return {**lines, **{f"webhook-{name}": value for name, value in other.items()}}


def of(secret: Secret, signed: bytes) -> str:
    return hmac.digest(secret.value.encode(), signed, hashlib.sha256).hex()


def stripe(written: str | None = None, *, at: float = NOW, secret: Secret = NEW) -> dict[str, str]:
    whole = f"t={int(at)},v1={of(secret, f'{int(at)}.'.encode() + BODY)}"
    return {"stripe-signature": whole if written is None else written}


GOOD = standard()["webhook-signature"]
GOOD_HEX = of(NEW, f"{int(NOW)}.".encode() + BODY)


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({}, "isn't signed"),
        (standard(signature=""), "isn't signed"),
        (standard(signature="x" * 5000), "longer than"),
        (standard(id=""), "webhook-id is missing"),
        (standard(id="msg_1\x00"), "webhook-id is missing, too long or holds"),
        (standard(id="m" * 256), "webhook-id is missing, too long"),
        (standard(timestamp=""), "isn't a time"),
        (standard(timestamp="1e9"), "isn't a time"),
        (standard(timestamp="-5"), "isn't a time"),
        (standard(timestamp=f"{int(NOW)}.0"), "isn't a time"),
        (standard(timestamp="9" * 40), "isn't a time"),
        (standard(timestamp="999999999999"), "in the future"),
        (standard(at=NOW - 301), "may be a replay"),
        (standard(at=NOW + 301), "in the future"),
        (standard(signature="v1"), "isn't a list of signatures"),
        (standard(signature=GOOD + "  " + GOOD), "isn't a list of signatures"),
        (standard(signature=GOOD.replace("v1,", "v1,,")), "isn't a list of signatures"),
        (standard(signature=f"{GOOD},{GOOD}"), "isn't a list of signatures"),
        (standard(signature="v1,abc"), "isn't base64"),
        (standard(signature=" ".join([GOOD] * 17)), "more than 16"),
        (standard(signature=GOOD.replace("v1,", "v2,")), "No signature was made"),
        (standard(signature=GOOD.replace("v1,", "v1a,")), "No signature was made"),
        (standard(id="msg_2"), "No signature was made"),
        (standard(timestamp=str(int(NOW) + 1)), "No signature was made"),
        (standard(secret=Secret(name="X", value="whsec_" + "A" * 32)), "No signature was made"),
    ],
)
def test_a_message_that_standard_webhooks_does_not_prove_is_refused_with_the_reason(headers, reason):
    with pytest.raises(NotProven, match=reason) as refused:
        verify(came(headers), way=STANDARD, secrets=[NEW, OLD])
    assert GOOD[3:] not in str(refused.value)


@pytest.mark.parametrize("body", [b"", BODY + b" ", BODY.replace(b"1001", b"1002"), b"\xff\xfe"])
def test_another_body_under_the_same_signature_is_refused(body):
    for way, headers in ((STANDARD, standard()), (STRIPE, stripe())):
        with pytest.raises(NotProven):
            verify(came(headers, body=body), way=way, secrets=[NEW])


@pytest.mark.parametrize("at", [NOW - 300, NOW, NOW + 300])
def test_both_ends_of_the_window_are_within_it(at):
    assert verify(came(standard(at=at)), way=STANDARD, secrets=[NEW]).by == "DESK"
    assert verify(came(stripe(at=at)), way=STRIPE, secrets=[NEW]).by == "DESK"


def test_while_secrets_change_either_proves_and_which_one_is_said():
    both = [NEW, OLD]
    assert verify(came(standard(secret=OLD)), way=STANDARD, secrets=both).by == "DESK_PREVIOUS"
    assert verify(came(stripe(secret=OLD)), way=STRIPE, secrets=both).by == "DESK_PREVIOUS"
    mixed = f"{standard(secret=OLD)['webhook-signature']} v1a,AAAA {GOOD}"
    assert verify(came(standard(signature=mixed)), way=STANDARD, secrets=[NEW]).by == "DESK"


def test_only_what_the_signature_covers_counts_among_the_headers():
    headers = {**standard(), "content-type": "application/problem+json", "x-kind": "anything"}
    signed = dict(verify(came(headers), way=STANDARD, secrets=[NEW]).signed)
    assert signed == {"webhook-id": "msg_1", "webhook-timestamp": str(int(NOW))}
    assert verify(came(stripe()), way=STRIPE, secrets=[NEW]).signed == ()


def test_a_vendor_may_name_the_three_headers_after_itself():
    headers = {name.replace("webhook", "svix"): value for name, value in standard().items()}
    way = Way(scheme="standard_webhooks", header="svix-signature", tolerance=300)
    assert verify(came(headers), way=way, secrets=[NEW]).by == "DESK"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "isn't signed"),
        ("nonsense", "isn't t=SECONDS"),
        (f"v1={GOOD_HEX}", "isn't t=SECONDS"),
        (f"t={int(NOW)},t={int(NOW)},v1={GOOD_HEX}", "isn't t=SECONDS"),
        (f"t={int(NOW)}, v1={GOOD_HEX}", "isn't t=SECONDS"),
        (f"t={int(NOW)},v1={GOOD_HEX}=x", "isn't t=SECONDS"),
        (f"t={int(NOW)},v1={GOOD_HEX},", "isn't t=SECONDS"),
        (f"t=+{int(NOW)},v1={GOOD_HEX}", "isn't a time"),
        (f"t={int(NOW)}," + ",".join(["v1=00"] * 16), "more than 16"),
        (f"t={int(NOW)}", "No signature was made"),
        (f"t={int(NOW)},v0={GOOD_HEX}", "No signature was made"),
        (f"t={int(NOW)},v1={GOOD_HEX.upper()}", "No signature was made"),
        (f"t={int(NOW)},v1=é", "No signature was made"),
        (f"t={int(NOW) - 1},v1={GOOD_HEX}", "No signature was made"),
        (stripe(at=NOW - 301)["stripe-signature"], "may be a replay"),
        (stripe(at=NOW + 301)["stripe-signature"], "in the future"),
    ],
)
def test_a_message_that_stripes_scheme_does_not_prove_is_refused_with_the_reason(written, reason):
    with pytest.raises(NotProven, match=reason):
        verify(came(stripe(written)), way=STRIPE, secrets=[NEW, OLD])


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "isn't signed"),
        ("sha256=", "isn't an HMAC-SHA256"),
        ("sha256=zz", "isn't base64|isn't an HMAC"),
        ("é", "isn't base64"),
        ("sha1=" + of(NEW, BODY)[:40], "isn't base64"),
        ("sha256=" + of(NEW, BODY)[:-2], "isn't base64|isn't an HMAC"),
        ("sha256=" + of(OLD, BODY), "No signature was made"),
        ("sha256=" + of(NEW, BODY + b"\n"), "No signature was made"),
    ],
)
def test_a_message_that_plain_hmac_does_not_prove_is_refused_with_the_reason(written, reason):
    with pytest.raises(NotProven, match=reason):
        verify(came({"x-hub-signature-256": written}), way=PLAIN, secrets=[NEW])


@pytest.mark.parametrize(
    "written",
    ["sha256=" + of(NEW, BODY), of(NEW, BODY), base64.b64encode(bytes.fromhex(of(NEW, BODY))).decode()],
)
def test_plain_hmac_is_read_in_hexadecimal_and_in_base64(written):
    assert verify(came({"x-hub-signature-256": written}), way=PLAIN, secrets=[OLD, NEW]).by == "DESK"


def test_the_example_of_the_vendors_documentation_is_proven():
    """The example of GitHub's documentation, "Testing the webhook payload validation"."""
    headers = {"x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}
    found = verify(
        came(headers, body=b"Hello, World!"),
        way=PLAIN,
        secrets=[Secret(name="GITHUB", value="It's a Secret to Everybody")],
    )
    assert found.by == "GITHUB"


@pytest.mark.parametrize("value", ["whsec_", "whsec_!!!", "whsec_" + "A" * 28, "whsec_" + "A" * 92, "é" * 40])
def test_what_is_no_secret_of_standard_webhooks_proves_nothing(value):
    with pytest.raises(SecretUnusable) as refused:
        check_secret(Secret(name="DESK", value=value), scheme="standard_webhooks")
    assert value not in str(refused.value)


def test_a_secret_is_not_shown():
    assert NEW.value not in repr(NEW)


SETTING = "UNRESOLVED_CREDENTIAL_DESK"


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({SETTING: NEW.value}, "DESK_FROM isn't set"),
        ({SETTING: NEW.value, f"{SETTING}_FROM": "other"}, "of other only, not of desk"),
        ({f"{SETTING}_FROM": "desk"}, "Neither"),
        ({f"{SETTING}_FROM": "desk", f"{SETTING}_NEXT": NEW.value}, "Neither"),
        ({f"{SETTING}_FROM": "desk", SETTING: "short"}, "shorter than 8"),
        ({f"{SETTING}_FROM": "desk", SETTING: "not a secret of it"}, "isn't whsec_"),
        ({f"{SETTING}_FROM": "desk", SETTING: NEW.value, f"{SETTING}_NEXT": "not a secret"}, "DESK_NEXT isn't whsec_"),
    ],
)
def test_a_secret_that_is_not_this_recipients_proves_nothing(environ, reason):
    with pytest.raises(NoCredential, match=reason) as refused:
        secrets_of("DESK", recipient="desk", scheme="standard_webhooks", environ=environ)
    assert NEW.value not in str(refused.value)


@pytest.mark.parametrize("name", ["desk", "DESK_FROM", "DESK_NEXT", "DESK_PREVIOUS", "DESK_FILE", "DESK_FOR", ""])
def test_a_name_that_is_anothers_setting_is_refused(name):
    with pytest.raises(NoCredential, match="A secret's name"):
        secrets_of(name, recipient="desk", scheme="stripe", environ={})


def test_the_secrets_of_a_rotation_are_found_each_under_its_name(tmp_path):
    (tmp_path / "old").write_text(f"{OLD.value}\n")
    environ = {
        f"{SETTING}_FROM": "desk",
        SETTING: NEW.value,
        f"{SETTING}_PREVIOUS_FILE": str(tmp_path / "old"),
    }
    found = secrets_of("DESK", recipient="desk", scheme="standard_webhooks", environ=environ)
    assert [(one.name, one.value) for one in found] == [("DESK", NEW.value), ("DESK_PREVIOUS", OLD.value)]
