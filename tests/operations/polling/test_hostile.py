"""What a recipient says, or an operation carries, hurts neither the record nor whoever else is asked about."""

import json

import pytest

from operations import models
from tests.recipients.counting import Behaviour, record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("number", ["T\0", "T" * 300])
def test_an_answer_that_names_its_effect_by_what_no_row_can_hold_is_stored_and_read(ask, asked, made, number):
    said = json.loads(record("order-0", state="issued"))
    said["ticket"]["number"] = said["tickets"][0]["number"] = number
    asked.behaviour = Behaviour(body=json.dumps(said).encode())
    made(1)
    ask()
    row = models.Reading.objects.get()
    assert (row.says, row.effect_refs, models.Pace.objects.get().failures) == ("applied", [], 0)
