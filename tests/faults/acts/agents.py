"""The agents' door: a program that registers, begins, sends and reports, at a web process that may die on it."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

from escalation.decisions.protected_repeat import protected_repeat
from operations import models
from operations.recording.unasked import UNASKED
from tests.faults.acts.deciding import taker
from tests.faults.case import Act, Case, answered
from tests.faults.process import Outcome
from tests.faults.scenes import AGO, SCOPE, Intended
from tests.faults.stage import KEPT, Stage, visitor
from tests.recipients.client import Facts


def call(stage: Stage, path: str, body: Any, *, key: str = "program") -> Outcome:
    """One call at the door."""
    client = visitor()
    headers = {"Authorization": f"Bearer {stage.keys[key]}"}
    found = client.post(f"/api/v1{path}", json.dumps(body), content_type="application/json", headers=headers)
    said = answered(found)
    if path != "/batch" or not said.good:
        return said
    return replace(said, status=found.json()["results"][0]["status"])  # of the one item, which may have failed alone


def _in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _registration(stage: Stage, made: Intended) -> dict[str, Any]:
    body = json.dumps({"parcel": made.parcel}).encode()
    return {
        "recipient": KEPT,
        "identity": made.key,
        "request": {
            "method": "POST",
            "target": "/desks/East/tickets",
            "headers": [["Idempotency-Key", made.key], ["Content-Type", "application/json"]],
            "body": _in_base64(body),
            "scope": SCOPE,
        },
        "attempt": {"id": "a1", "sends": "one", "begun_at": (stage.now() - AGO).isoformat()},
    }


def _find(made: Intended) -> None:
    made.operation = models.Operation.objects.filter(identity=made.key).values_list("id", flat=True).first()


def _sent_once(made: Intended, registered: Outcome) -> Outcome:
    """Nothing leaves before the door has said that the intent is on record."""
    if registered.status in (200, 201) and not made.desk.control.truth(made.key)["passages"]:
        made.send(reply="lost")
    return registered


def _registers(stage: Stage, path: str, body: Callable[[Intended], Any]) -> Case:
    made = Intended(stage)
    asked = body(made)

    def register() -> Outcome:
        return _sent_once(made, call(stage, path, asked))

    def wrong() -> Iterator[str]:
        _find(made)
        if models.Operation.objects.filter(identity=made.key).count() != 1:
            yield "the operation is not on record once"
        if models.Attempt.objects.filter(operation__identity=made.key).count() != 1:
            yield "its first attempt is not on record once"

    return Case(stage=stage, intended=made, do=register, wrong=wrong)


def register(stage: Stage) -> Case:
    """A program registers, and sends once it was told that this is on record."""
    return _registers(stage, "/operations", lambda made: _registration(stage, made))


def register_in_a_batch(stage: Stage) -> Case:
    """The same in a batch."""

    def batch(made: Intended) -> Any:
        return {"items": [{"kind": "register", **_registration(stage, made)}]}

    return _registers(stage, "/batch", batch)


def begin_with_a_grant(stage: Stage) -> Case:
    """A program that was granted one more attempt begins it, and sends once it was told that this is on record."""
    made = Intended(stage).lost()
    assert made.operation is not None
    row = protected_repeat(made.operation, taker(stage, made, "otto"), executor="agent")
    assert row.grant_id is not None
    grant = models.Grant.objects.get(id=row.grant_id)
    asked = {"id": "a2", "sends": "one", "grant": str(grant.id), "digest": grant.request_digest}

    def begin() -> Outcome:
        found = call(stage, f"/operations/{made.operation}/attempts", asked)
        if found.status in (200, 201) and len(made.desk.control.truth(made.key)["passages"]) == 1:
            made.send()
        return found

    def wrong() -> Iterator[str]:
        if models.Attempt.objects.filter(operation=made.operation).count() != 2:
            yield "the attempt that was granted is not on record once"
        if models.GrantUse.objects.filter(grant=grant).count() != 1:
            yield "the grant was not used once"

    return Case(stage=stage, intended=made, do=begin, wrong=wrong)


def tell_what_went_out_unasked(stage: Stage) -> Case:
    """The door could not be reached and a program sent once more; from its journal it tells so when the door is there."""
    made = Intended(stage).on_record(sealed=False)
    made.reported(made.send(reply="lost"))
    asked = _registration(stage, made)
    asked["request"]["arguments"] = _in_base64(json.dumps({"parcel": made.parcel, "place": "East"}).encode())
    asked["attempt"] = {"id": "a2", "sends": "one", "begun_at": stage.now().isoformat(), "unasked": True}
    made.send()

    def wrong() -> Iterator[str]:
        told = models.Attempt.objects.filter(operation=made.operation, attempt="a2")
        if [one.recorded_by.endswith(UNASKED) for one in told] != [True]:
            yield "what went out unasked is not on record once and as such"
        if models.Attempt.objects.filter(operation=made.operation).count() != 2:
            yield "there are not two attempts on record"

    batch = {"items": [{"kind": "register", **asked}]}
    return Case(stage=stage, intended=made, do=lambda: call(stage, "/batch", batch), wrong=wrong)


def _reports(stage: Stage, made: Intended, path: str, body: Any, *, key: str = "program") -> Case:
    event = str(uuid4())
    asked = {"event": event, **body}

    def wrong() -> Iterator[str]:
        if models.Observation.objects.filter(operation=made.operation, event__endswith=event).count() != 1:
            yield "what was reported is not on record once"

    return Case(
        stage=stage,
        intended=made,
        do=lambda: call(stage, f"/operations/{made.operation}/{path}", asked, key=key),
        wrong=wrong,
    )


def report_a_reply(stage: Stage) -> Case:
    """A program tells what the recipient answered."""
    made = Intended(stage).on_record()
    seen = made.send()
    assert seen.reply is not None
    reply = {
        "attempt": "a1",
        "status": seen.reply.status,
        "headers": [list(line) for line in seen.reply.headers.items()],
        "body": _in_base64(seen.reply.body),
    }
    return _reports(stage, made, "replies", reply)


def report_a_fact(stage: Stage) -> Case:
    """A program tells that no byte was written."""
    made = Intended(stage).on_record()
    assert Facts().not_sent
    return _reports(stage, made, "facts", {"attempt": "a1", "fact": "not_sent"})


def report_words(stage: Stage) -> Case:
    """A model says something."""
    return _reports(stage, Intended(stage).lost(), "words", {"words": "It was not issued; send again."}, key="model")


def ask_for_a_person(stage: Stage) -> Case:
    """A model asks for a person to look at it."""
    return _reports(stage, Intended(stage).lost(), "person", {"words": "Please look at it."}, key="model")


def seal(stage: Stage) -> Case:
    """A program says that it begins nothing further."""
    made = Intended(stage).on_record(sealed=False)
    made.reported(made.send(reply="lost"))

    def wrong() -> Iterator[str]:
        if models.Seal.objects.filter(operation=made.operation).count() != 1:
            yield "the record is not sealed once"

    return Case(
        stage=stage, intended=made, do=lambda: call(stage, f"/operations/{made.operation}/seal", {}), wrong=wrong
    )


ACTS = tuple(
    Act(name=prepare.__name__.replace("_", " "), process="web", prepare=prepare)
    for prepare in (
        register,
        register_in_a_batch,
        begin_with_a_grant,
        tell_what_went_out_unasked,
        report_a_reply,
        report_a_fact,
        report_words,
        ask_for_a_person,
        seal,
    )
)
