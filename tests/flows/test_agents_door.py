"""An agent that records at the door before it sends, at a recipient that loses replies, over real HTTP throughout."""

import base64
import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from operations import models
from operations.keys import create_key
from tests.flows.wire import PATIENCE
from tests.operations.granted import granted
from tests.operations.rows import contract
from tests.recipients.client import Ended, Facts, send
from tests.recipients.fixtures import CollectionDesk, desk_on

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "order-1001"
FACTS = {Ended.TIMED_OUT: "timeout", Ended.RESET: "reset", Ended.CLOSED: "closed", Ended.NOT_CONNECTED: "not_sent"}


@dataclass(frozen=True, slots=True)
class Program:
    """Code that owns its socket and tells the door what it does."""

    door: str
    key: str
    desk: CollectionDesk

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One call at the door, on a connection of its own."""
        where = urlsplit(self.door)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            connection.request(method, f"/api/v1{path}", json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def register(self, identity: str = KEY, *, place: str = "East", attempt: str = "a1", ago: float = 10) -> Any:
        """Tell the intent; `ago` seconds because the recipient wants some between two requests."""
        begun_at = datetime.now(UTC) - timedelta(seconds=ago)
        body = {
            "recipient": "desk",
            "identity": identity,
            "request": {
                "method": "POST",
                "target": f"/desks/{place}/tickets",
                "headers": [["Content-Type", "application/json"], ["Idempotency-Key", identity]],
                "body": base64.b64encode(b'{"parcel": "Cedar"}').decode(),
                "scope": "desk/one",
            },
            "attempt": {"id": attempt, "sends": "one", "begun_at": begun_at.isoformat()},
        }
        return self.call("POST", "/operations", body)

    def send(self, operation: str, attempt: str, *, to: str = "") -> Facts:
        """Send the bound bytes once, and report what came of it."""
        seen = send(
            "POST",
            (to or self.desk.url) + "/desks/East/tickets",
            headers={
                "Authorization": "Bearer credential-of-one",
                "Content-Type": "application/json",
                "Idempotency-Key": KEY,
            },
            body=b'{"parcel": "Cedar"}',
            within=PATIENCE if self.desk.control.programme() else 10,
        )
        if seen.reply is None:
            told: dict[str, Any] = {"event": f"{attempt} ended", "attempt": attempt, "fact": FACTS[seen.ended]}
            assert self.call("POST", f"/operations/{operation}/facts", told)[0] == 201
        else:
            told = {
                "event": f"{attempt} answered",
                "attempt": attempt,
                "status": seen.reply.status,
                "headers": [list(line) for line in seen.reply.headers.items()],
                "body": base64.b64encode(seen.reply.body).decode(),
            }
            assert self.call("POST", f"/operations/{operation}/replies", told)[0] == 201
        return seen

    def standing(self, operation: str) -> Any:
        """What is known now."""
        return self.call("GET", f"/operations/{operation}/standing")[1]


@pytest.fixture
def desk() -> Iterator[CollectionDesk]:
    with desk_on({"keeps_for": 86_400, "after": "runs_as_new"}) as opened:
        yield opened


def program(live_server: Any, desk: CollectionDesk, *scopes: str) -> Program:
    contract()
    key = create_key("flow", scopes=scopes, recipients=["desk"], now=datetime.now(UTC), lasts=timedelta(days=1))
    return Program(live_server.url, key, desk)


@pytest.fixture
def wire(live_server: Any, desk: CollectionDesk) -> Program:
    return program(live_server, desk, "transport")


def test_a_lost_reply_is_repeated_only_under_protection_and_there_is_one_ticket(wire, desk, live_server):
    desk.control.tell(key=KEY, reply="lost")
    status, body = wire.register()
    operation = body["operation"]
    assert status == 201
    assert wire.send(operation, "a1").reply is None
    assert wire.standing(operation)["evidence"] == "unknown"

    status, refused = wire.call("POST", f"/operations/{operation}/attempts", {"id": "a2", "sends": "one"})
    assert (status, refused["refusal"]["kind"]) == (409, "harm")

    model = program(live_server, desk, "agent")
    words = {"event": "w1", "words": "The ticket was not issued; please send again."}
    assert model.call("POST", f"/operations/{operation}/words", words)[0] == 201
    assert model.call("POST", f"/operations/{operation}/seal", {})[0] == 403
    assert model.standing(operation)["permitted"] == wire.standing(operation)["permitted"]
    assert "repeat" not in wire.standing(operation)["permitted"]

    assert wire.call("POST", f"/operations/{operation}/seal", {})[0] == 200
    assert "repeat" in wire.standing(operation)["permitted"]
    status, refused = wire.call("POST", f"/operations/{operation}/attempts", {"id": "a2", "sends": "one"})
    assert (status, refused["type"]) == (409, "urn:unresolved:grant_needed")
    granted(UUID(operation), now=datetime.now(UTC))
    _, grant = wire.call("GET", f"/operations/{operation}/grant")
    asked = {"id": "a2", "sends": "one", "grant": grant["grant"], "digest": grant["digest"]}
    status, begun = wire.call("POST", f"/operations/{operation}/attempts", asked)
    assert (status, begun["number"]) == (201, 2)
    reply = wire.send(operation, "a2").reply
    assert reply is not None
    assert reply.headers["idempotent-replayed"] == "true"

    found = wire.standing(operation)
    assert (found["evidence"], found["finality"], found["further_effect"]) == ("applied", "settled", "excluded")
    status, refused = wire.call("POST", f"/operations/{operation}/attempts", {"id": "a3", "sends": "one"})
    assert (status, refused["refusal"]["kind"]) == (409, "settled")
    assert len(desk.control.tickets(KEY)) == 1


def test_another_place_for_the_same_parcel_is_not_asked_for(wire, desk):
    desk.control.tell(key=KEY, reply="lost")
    _, body = wire.register()
    wire.send(body["operation"], "a1")
    status, refused = wire.register("order-1002", place="West")
    assert (status, refused["operation"]) == (409, body["operation"])
    assert models.Operation.objects.count() == 1
    assert desk.control.tickets("order-1002") == []


def test_a_request_that_never_left_is_ruled_out_by_the_owner_of_the_socket(wire, desk):
    _, body = wire.register()
    operation = body["operation"]
    assert wire.send(operation, "a1", to="http://127.0.0.1:9").not_sent
    assert wire.standing(operation)["evidence"] == "unknown"  # somebody else may have sent it
    wire.call("POST", f"/operations/{operation}/seal", {})
    found = wire.standing(operation)
    assert (found["evidence"], found["finality"]) == ("not_applied", "excluded")
    assert desk.control.tickets(KEY) == []


def test_a_program_that_crashed_before_the_answer_of_the_door_finds_its_operation(wire):
    first = wire.register(ago=10)
    again = wire.register(ago=5)
    assert [first[0], again[0]] == [201, 200]
    assert again[1] == {**first[1], "created": False}
    assert models.Attempt.objects.count() == 1


def test_of_many_at_once_one_registers(wire):
    with ThreadPoolExecutor(max_workers=8) as pool:
        found = list(pool.map(lambda number: wire.register(attempt=f"a{number}"), range(8)))
    assert sorted(status for status, _ in found) == [200] * 7 + [201]
    recorded = [body["attempt"]["recorded"] for _, body in found]
    assert sum(recorded) == 1
    assert (models.Operation.objects.count(), models.Attempt.objects.count()) == (1, 1)
