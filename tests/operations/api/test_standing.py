"""What is read is the answer of the semantics at that moment, with its times in seconds and in ISO 8601."""

from typing import Any
from uuid import uuid4

import pytest

from operations import models, reading
from operations.core.scenario import answer
from tests.operations.api.calls import issued, registration, reply
from tests.operations.rows import NOW, later, observed

pytestmark = pytest.mark.django_db

OURS = {"operation", "revision", "sealed", "now", "now_iso", "protection_until_iso", "decisions"}


def test_an_operation_that_is_not_there_is_not_known(reader):
    for address in (f"/operations/{uuid4()}", f"/operations/{uuid4()}/standing"):
        assert reader.get(address).status == 404


def test_an_id_that_is_none_is_named(reader):
    for address in ("/operations/x", "/operations/x/standing"):
        assert reader.get(address).wrong == [("operation_id", "uuid_parsing")]


def test_a_parameter_that_is_not_known_is_refused(reader, operation):
    found = reader.get(f"/operations/{operation}/standing?as_of=yesterday")
    assert (found.status, found.wrong) == (422, [("as_of", "extra_forbidden")])


def said(found) -> Any:
    """The answer without what this door adds to it."""
    bare = {name: value for name, value in found.items() if name not in OURS}
    for refusal in bare["refusals"].values():
        assert set(refusal) == {"kind", "reason", "rule", "until", "until_iso", "history"}
        for name in ("rule", "until", "until_iso"):
            del refusal[name]
        for fate in refusal["history"] or []:
            del fate["at_iso"]
    for line in bare["not_counted"]:
        del line["observation"]
    return bare


@pytest.mark.parametrize("claims", [(), ("applied",), ("closed",), ("pending",), ("absent",), ("applied", "closed")])
def test_the_answer_is_that_of_the_semantics(reader, wire, operation, clock, claims):
    for number, claim in enumerate(claims):
        observed(operation, claim, event=f"e{number}", at=30 + number)
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(120)
    found = reader.get(f"/operations/{operation}/standing")
    assert found.status == 200
    assert found.headers["Cache-Control"] == "no-store"
    assert said(found.body) == answer(reading.operation(operation).standing(now=later(120)))


def test_times_stand_twice(reader, wire, operation):
    wire.post(f"/operations/{operation}/seal", {})
    found = reader.get(f"/operations/{operation}/standing").body
    assert (found["now"], found["now_iso"]) == (NOW.timestamp(), "2026-05-04T09:00:00Z")
    assert found["protection_until"] == later(86_400 - 60).timestamp()
    assert found["protection_until_iso"] == "2026-05-05T08:59:00Z"
    assert found["refusals"]["repeat"]["until_iso"] == "2026-05-04T09:00:05Z"


def test_protection_ends_by_the_clock_alone(reader, wire, operation, clock):
    wire.post(f"/operations/{operation}/seal", {})
    clock.shift(86_400)
    found = reader.get(f"/operations/{operation}/standing").body
    assert (found["protection"], found["protection_reason"]) == ("unestablished", "lapsed")
    assert models.Operation.objects.get().protection == "active"  # the cache, until it is swept


def test_the_whole_shows_what_was_bound_tried_and_learnt(reader, wire, operation, clock):
    clock.shift(2)
    wire.post(f"/operations/{operation}/replies", reply(body=issued("order-9")))
    wire.post(f"/operations/{operation}/replies", reply("e2"))
    found = reader.get(f"/operations/{operation}").body
    asked = registration()["request"]
    assert {name: found["request"][name] for name in asked} == asked
    assert found["request"]["digest"] == models.Operation.objects.get().digest
    assert (found["recipient"], found["identity"], found["contract"]) == ("desk", "order-1", 1)
    assert [(one["id"], one["number"], one["sends"]) for one in found["attempts"]] == [("a1", 1, "one")]
    assert [(one["event"], one["counts"]) for one in found["observations"]] == [("reply:e1", False), ("reply:e2", True)]
    assert found["observations"][0]["why_not"] == found["standing"]["not_counted"][0]["reason"]
    assert (found["evidence"], found["standing"]["evidence"]) == ("applied", "applied")
    assert found["revision"] == found["standing"]["revision"] == models.Operation.objects.get().revision


def test_an_answer_that_names_two_effects_is_shown_once(reader, operation):
    observed(operation, "applied", effect_refs=("T-1", "T-2"), at=-1)
    found = reader.get(f"/operations/{operation}").body
    assert [one["effect_refs"] for one in found["observations"]] == [["T-1", "T-2"]]
    assert found["standing"]["duplicate_effect"]
