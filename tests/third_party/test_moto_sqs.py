"""One message to a FIFO queue of moto by AWS's own library: the id protects while the message is in the queue, and not after."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.third_party.aws import Aws
from tests.third_party.calling import Caller, caller
from tests.third_party.desk import Egress, own_contract, put_up
from tests.third_party.installed import needs
from tests.third_party.proxy import Loss, proxy_before, unrecorded
from tests.third_party.wire import Request

pytestmark = [needs("moto"), pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def library(logs: Path) -> Iterator[Caller]:
    with caller("moto", "aws_library", log=logs / "caller.log") as found:
        yield found


@pytest.fixture
def sqs(library: Caller, moto: int) -> Iterator[Aws]:
    put_up("moto-sqs", contract=own_contract("moto-sqs"))
    with proxy_before(moto) as proxy:
        yield Aws(library, proxy, moto, "sqs")


@pytest.fixture
def queue(sqs: Aws, request: pytest.FixtureRequest) -> str:
    """A queue of the test's own."""
    attributes = {"FifoQueue": "true", "VisibilityTimeout": "600"}
    url: str = sqs.look("create_queue", QueueName=f"{request.node.name[:60]}.fifo", Attributes=attributes)["QueueUrl"]
    return url


def is_message(request: Request) -> bool:
    return request.header("x-amz-target") == "AmazonSQS.SendMessage"


def send(sqs: Aws, queue: str, *, sends: int | None = 1) -> dict[str, Any]:
    told = {"QueueUrl": queue, "MessageBody": "shipped", "MessageGroupId": "order-17"}
    return sqs.call("send_message", sends=sends, MessageDeduplicationId="order-17-shipped", **told)


def agent_of(sqs: Aws, queue: str, desk: str, *, sends: str = "one") -> Egress:
    return sqs.egress(desk, identity="order-17-shipped", scope=queue, about=is_message, sends=sends)


def messages(sqs: Aws, queue: str) -> int:
    """How many are in the queue, in flight included."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    found = sqs.look("get_queue_attributes", QueueUrl=queue, AttributeNames=names)["Attributes"]
    return sum(int(found[name]) for name in names)


def consumed(sqs: Aws, queue: str) -> list[dict[str, Any]]:
    """What a consumer takes out and deletes."""
    names = ["MessageDeduplicationId", "MessageGroupId"]
    found = sqs.look("receive_message", QueueUrl=queue, AttributeNames=names, MaxNumberOfMessages=10).get(
        "Messages", []
    )
    for message in found:
        sqs.look("delete_message", QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    return list(found)


def lost(sqs: Aws, queue: str, agent: Egress) -> None:
    """The first send, of which the reply is lost."""
    sqs.proxy.tell("POST", "/", loss=Loss.REPLY)
    assert send(sqs, queue)["error"] == "ConnectionClosedError"
    agent.lost()


def test_a_lost_reply_can_not_be_asked_about_and_a_repeat_is_refused(sqs, queue, live_server):
    agent = agent_of(sqs, queue, live_server.url)
    lost(sqs, queue, agent)
    known = agent.standing()
    assert (known["evidence"], known["protection"]) == ("unknown", "unestablished")
    assert "observe" not in known["permitted"]
    assert agent.refusal() == "harm"
    assert messages(sqs, queue) == 1


def test_while_the_message_is_in_the_queue_a_repeat_adds_none_and_is_given_another_id(sqs, queue, live_server):
    agent = agent_of(sqs, queue, live_server.url)
    lost(sqs, queue, agent)
    sqs.proxy.before = unrecorded  # it is done all the same
    answered = send(sqs, queue)["result"]["MessageId"]
    assert messages(sqs, queue) == 1
    assert [one["MessageId"] for one in consumed(sqs, queue)] != [answered]


def test_while_the_message_is_in_flight_a_repeat_adds_none(sqs, queue):
    send(sqs, queue)
    assert len(sqs.look("receive_message", QueueUrl=queue)["Messages"]) == 1
    send(sqs, queue)
    assert messages(sqs, queue) == 1


def test_once_the_message_was_consumed_a_repeat_is_a_second_one(sqs, queue, live_server):
    agent = agent_of(sqs, queue, live_server.url)
    lost(sqs, queue, agent)
    first = consumed(sqs, queue)
    assert agent.refusal() == "harm"
    sqs.proxy.before = unrecorded  # it is done all the same
    send(sqs, queue)
    assert len(first + consumed(sqs, queue)) == 2


def test_the_librarys_own_repeat_adds_no_message(sqs, queue, live_server):
    agent = agent_of(sqs, queue, live_server.url, sends="many")
    sqs.proxy.tell("POST", "/", loss=Loss.REPLY)
    assert "result" in send(sqs, queue, sends=None)
    assert agent.created == [True, False]
    agent.answered(sqs.proxy.of("POST", "/")[1].reply, attempt="a1")
    agent.must("POST", "/seal", {})
    known = agent.standing()
    assert (known["evidence"], known["duplicate_effect"]) == ("applied", False)
    assert messages(sqs, queue) == 1
