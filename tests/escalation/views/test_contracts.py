"""Every contract of the library can be shown: its clauses, its sources, its doors."""

import pytest
import time_machine
from django.urls import reverse

from operations import recording
from operations.contracts import asked
from operations.contracts.loading import document_of, library, library_text
from operations.contracts.specimen import representation
from operations.core.facts import Sends
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, contract_of
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", list(library()))
def test_an_operation_under_this_contract_is_shown(client, name):
    contract = contract_of(library_text(name), key=name, name=name)
    document = document_of(contract.document)
    request = representation(document)
    binding = recording.Binding(
        contract=contract,
        representation=request,
        identity_known=True,
        effect=asked.effect_sentence(document, request),
    )
    intent = recording.Intent(attempt="a1", sends=Sends.ONE, scope="", begun_at=T0)
    made = Made(recording.register(binding, intent=intent, now=T0, by="key").operation_id, request.identity, "")
    with time_machine.travel(T0 + HOUR, tick=False):
        client.force_login(viewer("mira"))
        calling.call(now=T0 + HOUR, most=100)  # the sweep that finds what time alone brought about
        whole = client.get(reverse("operation", args=[made.number]))
        waiting = client.get(reverse("queue"))
    assert whole.status_code == waiting.status_code == 200
    assert "What this table takes for granted" in whole.text
    assert f"/operations/{made.number}" in waiting.text
