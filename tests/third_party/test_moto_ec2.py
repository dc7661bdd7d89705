"""Launches at moto's EC2 by AWS's own library: the ClientToken is shown and protects nothing, the library's own repeat included."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.third_party.aws import Aws, authorization
from tests.third_party.calling import Caller, caller
from tests.third_party.desk import Egress, own_contract, put_up
from tests.third_party.installed import needs
from tests.third_party.proxy import Loss, proxy_before, unrecorded
from tests.third_party.wire import Request

pytestmark = [needs("moto"), pytest.mark.django_db(transaction=True)]

IMAGE = "ami-03cf127a"  # one that moto brings
SCOPE = "123456789012/eu-west-1"


@pytest.fixture(scope="module")
def library(logs: Path) -> Iterator[Caller]:
    with caller("moto", "aws_library", log=logs / "caller.log") as found:
        yield found


@pytest.fixture
def ec2(library: Caller, moto: int, credential: Callable[..., None]) -> Iterator[Aws]:
    credential("MOTO_EC2", authorization("ec2"), recipient="moto-ec2", port=moto)
    put_up("moto-ec2", contract=own_contract("moto-ec2"), address=f"http://127.0.0.1:{moto}")
    with proxy_before(moto) as proxy:
        yield Aws(library, proxy, moto, "ec2")


def is_launch(request: Request) -> bool:
    return b"Action=RunInstances" in request.body


def launch(ec2: Aws, token: str, *, sends: int | None = 1) -> dict[str, Any]:
    tags = [{"Key": "operation", "Value": token}, {"Key": "count", "Value": "1"}]
    told = {"ImageId": IMAGE, "InstanceType": "t2.micro", "MinCount": 1, "MaxCount": 1, "ClientToken": token}
    specified = [{"ResourceType": "instance", "Tags": tags}]
    return ec2.call("run_instances", sends=sends, **told, TagSpecifications=specified)


def agent_of(ec2: Aws, token: str, desk: str, *, sends: str = "one") -> Egress:
    return ec2.egress(desk, identity=token, scope=SCOPE, about=is_launch, sends=sends)


def launches(ec2: Aws, token: str) -> int:
    """How many reservations moto has whose instances bear the token."""
    found = ec2.look("describe_instances")["Reservations"]
    return sum(any(one["ClientToken"] == token for one in reservation["Instances"]) for reservation in found)


def test_it_has_no_filter_for_the_token(ec2):
    assert "result" in launch(ec2, "t-0")
    assert "error" in ec2.call("describe_instances", Filters=[{"Name": "client-token", "Values": ["t-0"]}])
    assert [one.reply.status for one in ec2.proxy.of("POST", "/")] == [200, 500]


def test_a_lost_reply_is_unknown_until_the_desk_finds_the_tag(ec2, live_server):
    agent = agent_of(ec2, "t-1", live_server.url)
    ec2.proxy.tell("POST", "/", loss=Loss.REPLY)
    assert launch(ec2, "t-1")["error"] == "ConnectionClosedError"
    agent.lost()
    known = agent.standing()
    assert (known["evidence"], known["protection"]) == ("unknown", "absent")
    assert agent.refusal() == "harm"
    agent.ask("instances")
    assert agent.standing()["evidence"] == "applied"
    assert agent.refusal() == "settled"
    assert launches(ec2, "t-1") == 1


def test_the_repeat_that_is_refused_would_have_launched_twice(ec2, live_server):
    agent = agent_of(ec2, "t-2", live_server.url)
    ec2.proxy.tell("POST", "/", loss=Loss.REPLY)
    launch(ec2, "t-2")
    agent.lost()
    assert agent.refusal() == "harm"
    ec2.proxy.before = unrecorded  # it is done all the same
    assert "result" in launch(ec2, "t-2")
    assert launches(ec2, "t-2") == 2
    agent.ask("instances")
    assert agent.standing()["duplicate_effect"] is True


def test_the_librarys_own_repeat_launches_twice_in_one_call(ec2, live_server):
    agent = agent_of(ec2, "t-3", live_server.url, sends="many")
    ec2.proxy.tell("POST", "/", loss=Loss.REPLY)
    assert "result" in launch(ec2, "t-3", sends=None)
    assert agent.created == [True, False]
    assert launches(ec2, "t-3") == 2
    agent.answered(ec2.proxy.of("POST", "/")[1].reply, attempt="a1")
    agent.must("POST", "/seal", {})
    assert agent.standing()["further_effect"] == "possible"
    agent.ask("instances")
    assert agent.standing()["duplicate_effect"] is True
