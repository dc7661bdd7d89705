"""One conditional PUT at moto's S3 by AWS's own library: the condition protects while the object is there, and not after."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.third_party.aws import Aws, authorization, checksum
from tests.third_party.calling import Caller, caller
from tests.third_party.desk import Egress, own_contract, put_up
from tests.third_party.installed import needs
from tests.third_party.proxy import Loss, proxy_before, unrecorded
from tests.third_party.wire import Request

pytestmark = [needs("moto"), pytest.mark.django_db(transaction=True)]

CONTENT = "three parcels"
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def library(logs: Path) -> Iterator[Caller]:
    with caller("moto", "aws_library", log=logs / "caller.log") as found:
        yield found


@pytest.fixture
def s3(library: Caller, moto: int, credential: Callable[..., None]) -> Iterator[Aws]:
    credential("MOTO_S3", authorization("s3"), recipient="moto-s3", port=moto)
    put_up("moto-s3", contract=own_contract("moto-s3"), address=f"http://127.0.0.1:{moto}")
    with proxy_before(moto) as proxy:
        yield Aws(library, proxy, moto, "s3")


@pytest.fixture
def bucket(s3: Aws) -> str:
    """A bucket of the test's own that keeps every write."""
    name = f"ledger-{next(NUMBERS)}"
    s3.look("create_bucket", Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    s3.look("put_bucket_versioning", Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    return name


def put(
    s3: Aws, bucket: str, *, sends: int | None = 1, condition: bool = True, algorithm: bool = True
) -> dict[str, Any]:
    more = {"IfNoneMatch": "*"} if condition else {}
    told = {"Bucket": bucket, "Key": "day/1", "Body": CONTENT}
    checked = {"ChecksumSHA256": checksum(CONTENT), **({"ChecksumAlgorithm": "SHA256"} if algorithm else {})}
    return s3.call("put_object", sends=sends, **told, **checked, **more)


def agent_of(s3: Aws, bucket: str, desk: str, *, sends: str = "one") -> Egress:
    def is_put(request: Request) -> bool:
        return request.method == "PUT"

    return s3.egress(desk, identity=f"{bucket}/day/1", scope=bucket, about=is_put, sends=sends)


def writes(s3: Aws, bucket: str) -> int:
    return len(s3.look("list_object_versions", Bucket=bucket).get("Versions", []))


def test_a_lost_reply_is_unknown_until_the_desk_asks_for_the_object(s3, bucket, live_server):
    agent = agent_of(s3, bucket, live_server.url)
    s3.proxy.tell("PUT", f"/{bucket}/day/1", loss=Loss.REPLY)
    assert put(s3, bucket)["error"] == "ConnectionClosedError"
    agent.lost()
    known = agent.standing()
    assert (known["evidence"], known["protection"]) == ("unknown", "unestablished")
    assert agent.refusal() == "harm"
    agent.ask("object")
    known = agent.standing()
    assert (known["evidence"], known["finality"]) == ("applied", "settled")
    assert agent.refusal() == "settled"
    assert writes(s3, bucket) == 1


def test_a_lost_request_leaves_nothing_that_the_desk_could_take_for_never(s3, bucket, live_server):
    agent = agent_of(s3, bucket, live_server.url)
    s3.proxy.tell("PUT", f"/{bucket}/day/1", loss=Loss.REQUEST)
    put(s3, bucket)
    agent.lost()
    agent.ask("object")
    assert agent.standing()["evidence"] == "unknown"
    assert writes(s3, bucket) == 0


def test_without_the_name_of_the_algorithm_nothing_shows_whose_object_it_is(s3, bucket, live_server):
    agent = agent_of(s3, bucket, live_server.url)
    s3.proxy.tell("PUT", f"/{bucket}/day/1", loss=Loss.REPLY)
    put(s3, bucket, algorithm=False)
    agent.lost()
    agent.ask("object")
    assert agent.standing()["evidence"] == "unknown"
    assert writes(s3, bucket) == 1


def test_while_the_object_is_there_a_repeat_is_refused_and_writes_nothing(s3, bucket, live_server):
    agent_of(s3, bucket, live_server.url)
    s3.proxy.tell("PUT", f"/{bucket}/day/1", loss=Loss.REPLY)
    put(s3, bucket)
    s3.proxy.before = unrecorded  # it is done all the same
    assert "PreconditionFailed" in put(s3, bucket)["message"]
    assert writes(s3, bucket) == 1


def test_after_the_object_is_gone_a_repeat_writes_again(s3, bucket, live_server):
    agent_of(s3, bucket, live_server.url)
    s3.proxy.tell("PUT", f"/{bucket}/day/1", loss=Loss.REPLY)
    put(s3, bucket)
    s3.look("delete_object", Bucket=bucket, Key="day/1")
    s3.proxy.before = unrecorded  # it is done all the same
    assert "result" in put(s3, bucket)
    assert writes(s3, bucket) == 2


def test_without_the_condition_a_repeat_writes_again(s3, bucket, live_server):
    s3.proxy.tell("PUT", f"/{bucket}/day/1", loss=Loss.REPLY)
    put(s3, bucket, condition=False)
    assert "result" in put(s3, bucket, condition=False)
    assert writes(s3, bucket) == 2


def test_the_librarys_own_repeat_hides_its_success_and_the_desk_still_finds_it(s3, bucket, live_server):
    agent = agent_of(s3, bucket, live_server.url, sends="many")
    s3.proxy.tell("PUT", f"/{bucket}/day/1", loss=Loss.REPLY)
    assert "PreconditionFailed" in put(s3, bucket, sends=None)["message"]
    first, second = s3.proxy.of("PUT", f"/{bucket}/day/1")
    assert (first.reply.status, second.reply.status) == (200, 412)
    assert agent.created == [True, False]
    agent.answered(second.reply, attempt="a1")
    agent.must("POST", "/seal", {})
    assert agent.standing()["evidence"] == "unknown"  # it was told that nothing was written, by the second of two
    agent.ask("object")
    assert agent.standing()["evidence"] == "applied"
    assert writes(s3, bucket) == 1
