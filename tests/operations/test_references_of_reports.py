"""What an answer that counts named can be asked for from then on, and nowhere but at the recipient's own origin."""

from typing import Any

import pytest

from operations import models, reading
from operations.asking import CannotAsk, askable, findable, prepared
from operations.contracts.loading import document_of, library_text
from operations.contracts.specimen import representation
from operations.recording import Report, register
from operations.recording.publishing import publish
from operations.reporting import report
from tests.operations.rows import BY, binding, intent, later

pytestmark = pytest.mark.django_db
ADDRESS = "https://api.example/v1"


@pytest.fixture
def made() -> Any:
    """An operation at an asynchronous API of which nothing else is known."""
    text = library_text("async-http")
    under = publish("async-http", name="Somewhere", text=text, now=later(0))
    models.Recipient.objects.filter(key="async-http").update(address=ADDRESS)
    asked = representation(document_of(text))
    return register(binding(asked, contract=under), intent=intent(), now=later(0), by=BY).operation_id


def taken(made: Any, location: str, *, event: str = "e1", attempt: str = "a1") -> None:
    told = Report(
        event=event,
        channel="reply",
        received_at=later(2),
        authentic=True,
        attempt=attempt,
        status=202,
        headers=(("location", location),),
        payload=b"",
    )
    report(made, told, now=later(2), source="x")


def asked_at(made: Any) -> str:
    return prepared(reading.operation(made), "monitor").ask.target


def test_nothing_is_asked_before_an_answer_said_where(made):
    with pytest.raises(CannotAsk, match="says where to ask"):
        asked_at(made)


@pytest.mark.parametrize("location", ["https://other.example/v1/jobs/7", "//other.example/v1/jobs/7", "/admin/jobs/7"])
def test_nothing_is_asked_elsewhere_because_an_answer_says_so(made, location):
    taken(made, location)
    with pytest.raises(CannotAsk, match="says where to ask"):
        asked_at(made)


def test_two_places_are_a_guess(made):
    taken(made, "/v1/jobs/7")
    taken(made, "/v1/jobs/8", event="e2")
    with pytest.raises(CannotAsk, match="says where to ask"):
        asked_at(made)


def test_an_accepted_request_is_asked_about_at_its_location_and_the_answer_is_tied(made):
    taken(made, "https://api.example/v1/jobs/7")
    asked = prepared(reading.operation(made), "monitor")
    assert (asked.ask.target, asked.reference) == ("/jobs/7", "https://api.example/v1/jobs/7")
    told = Report(
        event="e2",
        channel="monitor",
        received_at=later(9),
        asked_at=later(8),
        authentic=True,
        status=202,
        reference=asked.reference,
    )
    report(made, told, now=later(9), source="x")
    found = models.Reading.objects.get(observation__event="e2")
    assert (found.says, found.correlation) == ("accepted", "operation")


def test_a_place_to_ask_at_is_found_by_what_an_answer_named(made):
    document = document_of(library_text("async-http"))
    assert (list(askable(document)), list(findable(document))) == ([], ["monitor"])
