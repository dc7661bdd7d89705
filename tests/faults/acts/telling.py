"""What recipients tell by themselves: heard by a web process, judged by a worker, placed by a person."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from operations import listening, models, tasks
from tests.faults.acts.inspecting import posting
from tests.faults.case import Act, Case, answered
from tests.faults.process import Outcome
from tests.faults.scenes import Intended
from tests.faults.stage import KEPT, Stage, visitor
from tests.recipients.collection_desk.webhooks import signature


def _event(stage: Stage, made: Intended) -> tuple[bytes, dict[str, str]]:
    """What the recipient tells of an operation, as it signs it."""
    body = json.dumps({"type": "operation.issued", "data": made.desk.public.operation(made.key)}).encode()
    name, stamp = f"msg_{made.key}", int(stage.now().timestamp())
    signed = signature(secret=stage.secret, event=name, timestamp=stamp, body=body)
    return body, {
        "content-type": "application/json",
        "webhook-id": name,
        "webhook-timestamp": str(stamp),
        "webhook-signature": signed,
    }


def _wrong(made: Intended, *, evidence: str = "applied") -> Iterator[str]:
    rows = models.Message.objects.filter(event=f"msg_{made.key}")
    if rows.count() != 1:
        yield "the recipient's message is not on record once"
    if models.Observation.objects.filter(operation=made.operation, channel="events").count() != (evidence == "applied"):
        yield "the recipient's message was not given to its operation once"
    if made.operation is not None and made.row.evidence != evidence:
        yield f"after the recipient told it the evidence is {made.row.evidence}, not {evidence}"


def _telling(stage: Stage, made: Intended) -> Any:
    body, headers = _event(stage, made)
    lines: Mapping[str, Any] = {name: text for name, text in headers.items() if name != "content-type"}

    def tell() -> Outcome:
        return answered(visitor().post(f"/hooks/{KEPT}", body, content_type="application/json", headers=lines))

    return tell


def hear_the_recipient(stage: Stage) -> Case:
    """The recipient tells that it issued the ticket, and tells it again until it is answered with 2xx."""
    made = Intended(stage).lost()
    return Case(stage=stage, intended=made, do=_telling(stage, made), wrong=lambda: _wrong(made))


def hear_of_what_nobody_registered(stage: Stage) -> Case:
    """The same about a request that is not on record: the message is kept, and belongs to no operation."""
    made = Intended(stage)
    made.send()
    return Case(stage=stage, intended=made, do=_telling(stage, made), wrong=lambda: _wrong(made, evidence="unknown"))


def _heard(stage: Stage, made: Intended) -> listening.Heard:
    body, headers = _event(stage, made)
    return listening.hear(KEPT, None, headers=headers, body=body, now=stage.now())


def judge_what_was_heard(stage: Stage) -> Case:
    """A message is on record, and whoever heard it died before it was judged."""
    made = Intended(stage).lost()
    _heard(stage, made)

    def judge() -> Outcome:
        tasks.judge()
        return Outcome(status=200, way="judge")

    return Case(stage=stage, intended=made, do=judge, wrong=lambda: _wrong(made))


def _orphan(stage: Stage) -> tuple[Intended, Any]:
    """A message that names no operation on record, and one that it could be given to."""
    other = Intended(stage)
    other.send()
    found = _heard(stage, other)
    listening.judge(found.message_id, now=stage.now())
    return other, found.message_id


def place_an_orphan(stage: Stage) -> Case:
    """A person gives a message to an operation; whose it is, the contract says all the same."""
    other, message = _orphan(stage)
    made = Intended(stage).lost()
    press = posting(stage.browser("mira"), "orphan", message, act="link", number=made.row.number)

    def wrong() -> Iterator[str]:
        if models.Message.objects.get(id=message).operation_id != made.operation:
            yield "the message was not given to the operation"
        if models.Observation.objects.filter(operation=made.operation, channel="events").count() != 1:
            yield "the message was not read once"
        if made.row.evidence != "unknown":
            yield f"a message about {other.key} established something about {made.key}"

    return Case(stage=stage, intended=made, do=press, wrong=wrong)


def dismiss_an_orphan(stage: Stage) -> Case:
    """A person puts a message aside, with a remark."""
    other, message = _orphan(stage)
    press = posting(stage.browser("mira"), "orphan", message, act="dismiss", remark="Of another system.")

    def wrong() -> Iterator[str]:
        if models.Message.objects.get(id=message).dismissed_at is None:
            yield "the message was not put aside"

    return Case(stage=stage, intended=other, do=press, wrong=wrong)


ACTS = tuple(
    Act(name=prepare.__name__.replace("_", " "), process=process, prepare=prepare)
    for prepare, process in (
        (hear_the_recipient, "web"),
        (hear_of_what_nobody_registered, "web"),
        (judge_what_was_heard, "worker"),
        (place_an_orphan, "web"),
        (dismiss_an_orphan, "web"),
    )
)
