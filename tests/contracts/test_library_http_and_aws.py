"""What EC2, S3, SQS, Stripe v2 and plain asynchronous HTTP say is read as what they promise, and as no more."""

import pytest

from operations.contracts.asked import Unaskable, question
from operations.contracts.http_semantics import conditional_headers, place_to_ask
from operations.contracts.loading import selectable
from operations.contracts.references import known_references
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Evidence, FurtherEffect
from tests.contracts.library_readings import DAY, SENT_AT, Case, named

OURS = "xMcwG14507example"
NAMES = ("async-http", "ec2-run-instances", "s3-conditional-put", "sqs-fifo", "stripe-v2")


@pytest.mark.parametrize("name", NAMES)
def test_it_rests_on_more_than_invention(name):
    assert selectable(named(name)).contract == name


@pytest.mark.parametrize("name", NAMES)
def test_a_lost_reply_leaves_everything_open_and_nothing_that_could_be_harmful_is_offered(name):
    case = Case(name)
    case.send()
    case.learn("wire", fact="timeout")
    assert case.standing().evidence is Evidence.UNKNOWN
    assert case.may() & {"repeat", "record", "propose_new"} == set()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("status", [302, 304, 429, 500, 502, 503, 504])
def test_no_answer_of_the_moment_settles_anything(name, status):
    case = Case(name)
    case.send()
    case.learn("reply", status=status, body=b"<html>busy</html>")
    assert case.standing().evidence is Evidence.UNKNOWN


def launched(token: str = OURS, *reservations: str, image: str = "ami-bff32ccc") -> bytes:
    found = "".join(
        f"<item><reservationId>{one}</reservationId><instancesSet><item><imageId>{image}</imageId>"
        f"<instanceType>t2.micro</instanceType><clientToken>{token}</clientToken></item></instancesSet></item>"
        for one in reservations
    )
    return f"<DescribeInstancesResponse><reservationSet>{found}</reservationSet></DescribeInstancesResponse>".encode()


class TestEC2:
    """A token can be looked up, late; what is not shown is neither yet nor never."""

    def test_nothing_shown_excludes_nothing(self):
        case = Case("ec2-run-instances")
        case.send()
        reading = case.learn("instances", status=200, body=launched(), at=SENT_AT + DAY)
        assert (reading.says, reading.rule) == (Claim.INDETERMINATE, "nothing_shown")
        assert case.standing(SENT_AT + DAY).evidence is Evidence.UNKNOWN

    def test_how_long_a_token_is_kept_is_not_documented_so_it_protects_nothing(self):
        case = Case("ec2-run-instances")
        case.send()
        standing = case.standing()
        assert standing.protection is Protection.UNESTABLISHED
        assert "repeat" not in case.may()

    def test_another_account_s_token_is_not_ours(self):
        case = Case("ec2-run-instances")
        case.send()
        assert case.learn("instances", status=200, body=launched("other", "r-9")).rule == "nothing_shown"

    def test_another_image_under_the_token_is_another_thing(self):
        case = Case("ec2-run-instances")
        case.send()
        reading = case.learn("instances", status=200, body=launched("xMcwG14507example", "r-1", image="ami-0"))
        assert reading.correlation is Correlation.MISMATCH

    def test_one_reservation_is_the_launch_and_two_are_a_duplicate(self):
        case = Case("ec2-run-instances")
        case.send()
        case.learn("instances", status=200, body=launched("xMcwG14507example", "r-1"))
        assert (case.standing().evidence, case.standing().duplicate_effect) == (Evidence.APPLIED, False)
        case.learn("instances", status=200, body=launched("xMcwG14507example", "r-1", "r-2"))
        assert case.standing().duplicate_effect

    def test_a_token_whose_instance_is_terminated_was_launched(self):
        case = Case("ec2-run-instances")
        case.send()
        body = b"<Response><Errors><Error><Code>IdempotentInstanceTerminated</Code></Error></Errors></Response>"
        case.learn("reply", status=400, body=body)
        assert case.standing().evidence is Evidence.APPLIED

    def test_the_question_is_put_by_the_token_that_was_sent(self):
        document = named("ec2-run-instances")
        asked = question(document, "instances", request=representation(document))
        assert "Filter.1.Value.1=xMcwG14507example" in asked.target
        assert asked.asked_by == "identity"


CHECKSUM = ("x-amz-checksum-sha256", "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=")


class TestS3:
    """A 412 shows that an object is there, and the checksum whose it is."""

    def test_a_412_is_no_success_of_ours_and_no_failure_of_the_first_attempt(self):
        case = Case("s3-conditional-put")
        case.send()
        case.send(SENT_AT + 10)
        case.learn("reply", at=SENT_AT + 11, status=412, body=b"<Error><Code>PreconditionFailed</Code></Error>")
        assert case.standing().evidence is Evidence.UNKNOWN

    def test_an_object_of_another_content_is_somebody_else_s(self):
        case = Case("s3-conditional-put")
        case.send()
        other = ("x-amz-checksum-sha256", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        assert case.learn("object", status=200, headers=(("etag", '"a"'), other)).correlation is Correlation.MISMATCH
        assert case.standing().evidence is Evidence.UNKNOWN

    def test_an_object_without_a_checksum_proves_nothing(self):
        case = Case("s3-conditional-put")
        case.send()
        assert case.learn("object", status=200, headers=(("etag", '"a"'),)).says is Claim.INDETERMINATE

    def test_no_object_now_is_not_never(self):
        case = Case("s3-conditional-put")
        case.send()
        case.learn("object", status=404)
        assert case.standing().evidence is Evidence.UNKNOWN
        assert "propose_new" not in case.may()

    def test_it_protects_while_an_object_exists_which_nobody_promises(self):
        case = Case("s3-conditional-put")
        case.send()
        assert case.standing().protection_reason is ProtectionReason.DEPENDS_ON_EXISTENCE

    def test_an_object_of_our_content_under_our_key_is_ours(self):
        case = Case("s3-conditional-put")
        case.send()
        reading = case.learn("object", status=200, headers=(("etag", '"a"'), CHECKSUM))
        assert (reading.correlation, reading.effect_refs) == (Correlation.OPERATION, ('"a"',))
        assert case.standing().evidence is Evidence.APPLIED

    def test_the_key_is_asked_for_as_it_was_written(self):
        document = named("s3-conditional-put")
        asked = question(document, "object", request=representation(document))
        assert (asked.method, asked.target) == ("HEAD", "/ledger/2026-11/order-17.json")


SENT = {"MD5OfMessageBody": "fafb00f5732ab283681e124bf8747ed1", "MessageId": "219f8380-5770-4cc2-8c3e-5c715e145f5e"}


class TestSQS:
    """A reply is the only receipt, and nothing can be asked by a deduplication id."""

    def test_nothing_can_be_asked(self):
        assert [channel for channel in named("sqs-fifo").channels.values() if channel.asks is not None] == []

    def test_it_protects_what_succeeded_only_so_it_makes_no_repeat_harmless(self):
        case = Case("sqs-fifo")
        case.send()
        assert case.standing().protection_reason is ProtectionReason.OUTCOMES_NOT_COVERED
        assert "repeat" not in case.may()

    def test_another_content_than_was_sent_is_another_message(self):
        case = Case("sqs-fifo")
        case.send()
        reading = case.learn("reply", status=200, json_body=SENT | {"MD5OfMessageBody": "0" * 32})
        assert reading.correlation is Correlation.MISMATCH

    def test_a_reply_with_the_digest_of_our_content_is_a_receipt(self):
        case = Case("sqs-fifo")
        case.send()
        case.learn("reply", status=200, json_body=SENT)
        standing = case.standing()
        assert (standing.evidence, standing.further_effect) == (Evidence.APPLIED, FurtherEffect.EXCLUDED)


def payment(status: str, **more) -> dict[str, object]:
    return {
        "id": "obp_test_1",
        "object": "v2.money_management.outbound_payment",
        "amount": {"value": 1000, "currency": "gbp"},
        "from": {"financial_account": "fa_test_1"},
        "to": {"recipient": "acct_1", "payout_method": "gbba_test_1"},
        "metadata": {"operation": "payout-2026-11-17"},
        "status": status,
        **more,
    }


class TestStripeV2:
    """A repeat is an attempt, and lists lag."""

    def test_a_repeat_would_run_failed_work_again_so_it_is_not_offered(self):
        case = Case("stripe-v2")
        case.send()
        case.learn("reply", status=500, json_body={"error": {"code": "api_error"}})
        assert case.standing().protection_reason is ProtectionReason.OUTCOMES_NOT_COVERED
        assert "repeat" not in case.may()

    @pytest.mark.parametrize("status", ["failed", "canceled"])
    def test_a_payment_that_moved_nothing_excludes_no_later_one(self, status):
        case = Case("stripe-v2")
        case.send()
        case.learn("reply", status=200, json_body=payment(status))
        assert case.standing().evidence is Evidence.UNKNOWN
        assert "propose_new" not in case.may()

    def test_an_error_of_the_request_settles_nothing_since_part_may_be_done(self):
        case = Case("stripe-v2")
        case.send()
        found = case.learn("reply", status=400, json_body={"error": {"code": "insufficient_funds"}})
        assert found.says is Claim.INDETERMINATE

    def test_a_list_without_the_number_says_nothing(self):
        case = Case("stripe-v2")
        case.send()
        others = payment("posted", metadata={"operation": "payout-2026-11-18"})
        assert case.learn("list", status=200, json_body={"data": [others]}).says is Claim.INDETERMINATE

    def test_a_payment_of_the_number_to_somebody_else_is_a_mismatch(self):
        case = Case("stripe-v2")
        case.send()
        other = payment("posted", to={"recipient": "acct_2", "payout_method": "gbba_test_1"})
        assert case.learn("list", status=200, json_body={"data": [other]}).correlation is Correlation.MISMATCH

    def test_an_event_counts_once_its_payment_is_known_to_be_ours(self):
        case = Case("stripe-v2")
        case.send()
        event = {
            "id": "evt_1",
            "object": "v2.core.event",
            "type": "v2.money_management.outbound_payment.posted",
            "related_object": {"id": "obp_test_1"},
        }
        assert case.learn("events", json_body=event).correlation is Correlation.WEAK
        case.learn("reply", status=200, json_body=payment("processing"))
        assert case.standing().evidence is Evidence.PENDING
        case.learn("events", json_body=event)
        assert case.standing().evidence is Evidence.APPLIED


class TestAsynchronousHttp:
    """Where and how often to ask is known; what was done is not."""

    def test_no_answer_settles_anything(self):
        for status in range(100, 600):
            case = Case("async-http")
            case.send()
            case.learn("reply", status=status)
            case.learn("monitor", status=status, reference="/jobs/17")
            assert case.standing().evidence is Evidence.UNKNOWN

    def test_nothing_is_asked_before_an_answer_said_where(self):
        document = named("async-http")
        with pytest.raises(Unaskable):
            question(document, "monitor", request=representation(document))

    def test_the_monitor_is_asked_at_the_location_on_the_same_origin_only(self):
        case = Case("async-http")
        case.send()
        said = case.learn("reply", status=202, headers=(("location", "https://api.example/jobs/17"),))
        (reference,) = known_references(case.standing())
        assert said.effect_refs == (reference,)
        there = place_to_ask(reference, address="https://api.example", target="/orders")
        stored = representation(case.document)
        asked = question(case.document, "monitor", request=stored, reference=reference, location=there)
        assert (asked.target, asked.asked_by, asked.reference) == ("/jobs/17", "reference", reference)
        found = case.learn("monitor", status=202, reference=reference)
        assert (found.says, found.correlation) == (Claim.ACCEPTED, Correlation.OPERATION)
        assert place_to_ask("https://other.example/jobs/17", address="https://api.example", target="/orders") is None

    def test_the_monitor_is_asked_whether_anything_changed(self):
        asks = named("async-http").channels["monitor"].asks
        assert conditional_headers(asks, previous={"etag": '"7"'}) == (("if-none-match", '"7"'),)
