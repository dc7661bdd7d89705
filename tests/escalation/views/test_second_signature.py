"""Proposing on a door's page, and signing on the page of what was proposed, as people and their browsers do it."""

import html
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.decisions.signing import NAMED
from escalation.models import (
    CloseOriginal,
    LeftUnresolved,
    NewOperation,
    ProtectedRepeat,
    RecordRepair,
    SecondSignature,
)
from escalation.policy import DOORS, May, Role
from escalation.views.second_signature import PAGES
from operations import models, reading
from operations.api.decided import decisions_said
from tests.escalation.building import HOUR, T0, Made, contract_of, operation
from tests.escalation.closings import closing_contract
from tests.escalation.decisions.risks import accepted, owner
from tests.escalation.decisions.two_people import rule
from tests.escalation.people import viewer, with_role
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
NOW = T0 + HOUR


@pytest.fixture(autouse=True)
def at_one():
    with time_machine.travel(NOW, tick=False):
        yield


def seat(name: str, *roles: Role) -> Client:
    client = Client()
    client.force_login(with_role(name, *(roles or (Role.REVIEWER,))))
    return client


@pytest.fixture
def asha():
    return seat("asha", Role.OPERATOR, Role.AUTHORISER)


@pytest.fixture
def ben():
    return seat("ben", Role.OPERATOR, Role.AUTHORISER)


def happened(identity: str = "order-1001") -> Made:
    made = operation(identity, parcel=identity)
    made.issued("T-1", now=T0)
    return made


def lost(identity: str = "order-2002") -> Made:
    made = operation(identity, parcel=identity)
    made.timed_out(now=T0 + MINUTE)
    return made


def closed(identity: str = "order-3003") -> Made:
    made = operation(identity, parcel=identity)
    made.recorded("closed", now=T0 + MINUTE)
    return made


def sent(made: Made, **typed: str) -> dict[str, str]:
    return {"revision": str(made.row.revision), "once": str(uuid4()), **typed}


def repairing(made: Made, **more: str) -> dict[str, str]:
    receipt = str(made.row.observations.earliest("position").id)
    return sent(made, receipt=receipt, remark="Read it aloud.", compared="on", **more)


def leaving(made: Made, **more: str) -> dict[str, str]:
    at = f"{NOW + timedelta(days=1):%Y-%m-%dT%H:%M}"
    return sent(made, fact="whether_it_happened", told="Ada", look_again_at=at, remark="", **more)


def repeating(made: Made, **more: str) -> dict[str, str]:
    return sent(made, executor="agent", understood="on", **more)


def closing(made: Made, **more: str) -> dict[str, str]:
    return sent(made, executor="agent", understood="on", taken_back="on", **more)


def authorising(client: Client, made: Made, **more: str) -> dict[str, str]:
    """What is typed for a new request, compared first as the page demands it."""
    typed = sent(
        made,
        identity="order-3003-b",
        target="/desks/West/tickets",
        scope="desk-west",
        body=bytes(made.row.body or b"").decode(),
        authority="Ada",
        because="East is closed.",
        reference="order 5512",
        what_1="West is open",
        by_1="Ada",
        checked_1="on",
    )
    page = client.post(reverse("new_operation", args=[made.number]), {**typed, "compare": "1"}).text
    found = re.search(r'name="compared" value="([0-9a-f]{64})"', page)
    assert found is not None
    return {**typed, "compared": found[1], **more}


def proposed(client: Client, page: str, made: Made, typed: dict[str, str]) -> SecondSignature:
    answer = client.post(reverse(page, args=[made.number]), {**typed, "propose": "1"})
    assert answer.status_code == 302, html.unescape(answer.text)
    return SecondSignature.objects.latest("id")


def address(row: SecondSignature) -> str:
    return reverse("second_signature", args=[row.pk])


def signed(client: Client, row: SecondSignature, made: Made, **typed: str):
    form = sent(made, act="sign", looked="on", **typed)
    return client.post(address(row), form)


def test_there_is_no_page_of_a_number_that_is_none(asha):
    assert asha.get(reverse("second_signature", args=[4711])).status_code == 404


def test_who_may_not_read_the_recipient_finds_nothing(asha):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    elsewhere = contract_of(key="elsewhere", name="Elsewhere").recipient
    client = Client()
    client.force_login(with_role("olga", Role.OPERATOR, recipient=elsewhere))
    assert client.get(address(row)).status_code == 404
    assert signed(client, row, made).status_code == 404
    assert "asha" not in client.get(reverse("second_signatures")).text
    assert not models.Decision.objects.exists()


def test_a_post_that_does_not_propose_decides_nothing_under_a_rule_and_keeps_what_was_typed(asha):
    rule(May.REPAIR_RECORD)
    made = happened()
    answer = asha.post(reverse("repair_record", args=[made.number]), repairing(made))
    assert answer.status_code == 409
    assert "takes two people to repair our record" in answer.text
    assert "Read it aloud." in answer.text
    assert not models.Decision.objects.exists()
    assert not SecondSignature.objects.exists()


def test_who_proposed_reads_that_another_signs_and_signs_nothing(asha):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    page = asha.get(address(row)).text
    assert "You proposed it yourself; another person has to sign it." in page
    assert 'value="sign"' not in page
    answer = signed(asha, row, made)
    assert answer.status_code == 403
    assert "You proposed it yourself" in answer.text
    assert not models.Decision.objects.exists()


def test_a_viewer_reads_it_and_signs_nothing(asha):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    client = Client()
    client.force_login(viewer())
    assert 'value="sign"' not in client.get(address(row)).text
    assert signed(client, row, made).status_code == 403
    assert not models.Decision.objects.exists()


def test_nothing_is_signed_unlooked_at_and_nothing_declined_without_a_reason(asha, ben):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    unlooked = ben.post(address(row), sent(made, act="sign"))
    assert (unlooked.status_code, "Say that you looked" in unlooked.text) == (422, True)
    for_no_reason = ben.post(address(row), sent(made, act="decline"))
    assert (for_no_reason.status_code, "Say why it is declined." in for_no_reason.text) == (422, True)
    assert ben.post(address(row), sent(made)).status_code == 422
    assert not models.Decision.objects.exists()


def test_what_came_on_record_while_the_second_read_is_said_and_nothing_is_signed(asha, ben):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    form = sent(made, act="sign", looked="on")
    made.timed_out(now=NOW)
    answer = ben.post(address(row), form)
    assert answer.status_code == 409
    assert "changed while you were reading" in answer.text
    assert "Observation 2 (wire)" in answer.text
    assert not models.Decision.objects.exists()
    assert signed(ben, row, made).status_code == 302
    assert models.Decision.objects.get().decided_by == "ben"


def test_what_is_known_otherwise_since_is_shown_and_can_not_be_signed(asha, ben):
    rule(May.LEAVE_UNRESOLVED)
    made = lost()
    row = proposed(asha, "leave_unresolved", made, leaving(made))
    made.recorded("pending", now=NOW)
    listed = ben.get(reverse("second_signatures")).text
    assert "Nothing waits for your signature" in listed
    assert "Nobody can sign these" in listed
    page = ben.get(address(row)).text
    assert "What is known of whether it happened changed since." in page
    assert 'value="sign"' not in page
    answer = signed(ben, row, made)
    assert answer.status_code == 409
    assert "Propose anew." in answer.text
    assert not LeftUnresolved.objects.exists()


def test_what_can_not_be_decided_as_it_was_filled_in_is_said(asha, ben):
    rule(May.LEAVE_UNRESOLVED)
    made = lost()
    at = f"{NOW + MINUTE:%Y-%m-%dT%H:%M}"
    row = proposed(asha, "leave_unresolved", made, {**leaving(made), "look_again_at": at})
    with time_machine.travel(NOW + HOUR, tick=False):
        assert "The time to look again must be to come." in ben.get(address(row)).text
        answer = signed(ben, row, made)
    assert answer.status_code == 409
    assert "can&#x27;t be decided any more" in answer.text
    assert not LeftUnresolved.objects.exists()


def test_what_a_third_signed_is_said_and_decided_once(asha, ben):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    late = sent(made, act="sign", looked="on")
    assert signed(seat("lena"), row, made).status_code == 302
    answer = ben.post(address(row), late)
    assert answer.status_code == 409
    assert "lena has signed it" in answer.text
    assert models.Decision.objects.get().decided_by == "lena"


def test_declining_and_taking_back_decide_nothing(asha, ben):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    assert ben.post(address(row), sent(made, act="decline", reason="The wrong parcel.")).status_code == 302
    page = asha.get(address(row)).text
    assert "The wrong parcel." in page
    assert "Declined" in page
    other = proposed(asha, "repair_record", made, repairing(made))
    assert asha.post(address(other), sent(made, act="withdraw")).status_code == 302
    assert "Taken back" in asha.get(reverse("second_signatures")).text
    assert not models.Decision.objects.exists()


def test_declining_is_open_when_the_door_is_shut(asha, ben):
    rule(May.LEAVE_UNRESOLVED)
    made = lost()
    row = proposed(asha, "leave_unresolved", made, leaving(made))
    made.issued("T-9", now=NOW)
    assert ben.post(address(row), sent(made, act="decline", reason="It happened.")).status_code == 302
    assert SecondSignature.objects.get().ended_as == "declined"


def test_a_double_submit_proposes_once(asha):
    rule(May.REPAIR_RECORD)
    made = happened()
    typed = repairing(made)
    assert proposed(asha, "repair_record", made, typed) == proposed(asha, "repair_record", made, typed)
    assert SecondSignature.objects.count() == 1


def test_a_proposal_is_told_to_no_agent_and_moves_nothing(asha):
    rule(May.REPAIR_RECORD)
    made = happened()
    before = made.row.revision
    proposed(asha, "repair_record", made, repairing(made))
    assert made.row.revision == before
    assert decisions_said(reading.operation(made.id), now=NOW) == []
    assert not models.Decision.objects.exists()
    assert not models.Completion.objects.exists()


Scene = tuple[May, Made, dict[str, str], Any]


def scene(door: str, client: Client) -> Scene:
    """What each door takes a second person for: an operation, what is typed there, and the rows that it leaves."""
    scenes: dict[str, Callable[[], Scene]] = {
        "repair_record": lambda: (May.REPAIR_RECORD, found := happened(), repairing(found), RecordRepair),
        "leave_unresolved": lambda: (May.LEAVE_UNRESOLVED, found := lost(), leaving(found), LeftUnresolved),
        "protected_repeat": lambda: (May.REPEAT, found := lost(), repeating(found), ProtectedRepeat),
        "new_operation": lambda: (May.AUTHORISE_NEW, found := closed(), authorising(client, found), NewOperation),
        "close_original": lambda: (May.CLOSE_ORIGINAL, found := lost(), closing(found), CloseOriginal),
    }
    return scenes[door]()


DOOR_NAMES = ["repair_record", "leave_unresolved", "protected_repeat", "new_operation", "close_original"]


def test_every_door_for_which_a_rule_may_be_set_can_be_proposed_and_signed():
    assert {page.may for page in PAGES} == set(DOORS)
    assert all(page.second is not None for page in PAGES)


@pytest.mark.parametrize("door", DOOR_NAMES)
def test_no_door_decides_by_one_person_under_a_rule(asha, door):
    closing_contract()
    may, made, typed, left = scene(door, asha)
    rule(may)
    answer = asha.post(reverse(door, args=[made.number]), typed)
    assert answer.status_code == 409
    assert "takes two people" in answer.text
    assert not models.Decision.objects.exists()
    assert not left.objects.exists()


@pytest.mark.parametrize("door", DOOR_NAMES)
def test_proposing_sends_nothing_and_leaves_no_row_but_its_own(asha, door):
    closing_contract()
    may, made, typed, left = scene(door, asha)
    rule(may)
    proposed(asha, door, made, typed)
    assert (models.Operation.objects.count(), models.Attempt.objects.count()) == (1, 1)
    for row in (models.Decision, models.Dispatch, models.Grant, models.Completion, models.Successor, left):
        assert not row.objects.exists(), row


@pytest.mark.parametrize("door", DOOR_NAMES)
def test_each_door_is_proposed_by_one_read_whole_and_signed_by_another(asha, ben, door):
    closing_contract()
    may, made, typed, left = scene(door, asha)
    rule(may)
    assert "Propose: " in asha.get(reverse(door, args=[made.number])).text or door == "new_operation"
    row = proposed(asha, door, made, typed)
    assert not left.objects.exists()
    assert "waits for a second signature" in ben.get(reverse("operation", args=[made.number])).text
    assert "waits for a second signature" in ben.get(reverse(door, args=[made.number])).text
    page = ben.get(address(row))
    assert page.status_code == 200
    assert "filled it in" in page.text
    for name, value in typed.items():
        if name not in ("revision", "once", "compared", "understood", "checked_1", "taken_back"):
            assert str(value) in html.unescape(page.text), name
    answer = signed(ben, row, made)
    assert answer.status_code == 302, html.unescape(answer.text)
    decision = models.Decision.objects.get()
    assert (decision.decided_by, decision.content[NAMED]["proposed_by"]) == ("ben", "asha")
    assert left.objects.count() == 1
    record = ben.get(reverse("record", args=[made.number])).text
    assert "Proposed by" in record
    assert "Signed by" in record


def test_the_list_says_whose_signature_is_waited_for(asha, ben):
    rule(May.REPAIR_RECORD)
    made = happened()
    proposed(asha, "repair_record", made, repairing(made))
    assert "1 waits for your signature" in ben.get(reverse("second_signatures")).text
    mine = asha.get(reverse("second_signatures")).text
    assert "Nothing waits for your signature" in mine
    assert "You proposed, and another has to sign" in mine
    reader = Client()
    reader.force_login(viewer())
    assert "For others to sign" in reader.get(reverse("second_signatures")).text


def test_the_queue_says_what_waits_for_ones_signature(asha, ben):
    rule(May.REPAIR_RECORD)
    made = happened()
    proposed(asha, "repair_record", made, repairing(made))
    assert "waits for your signature" in ben.get(reverse("queue")).text
    assert "waits for your signature" not in asha.get(reverse("queue")).text


def test_closing_the_original_is_signed_as_the_same_request_under_the_same_number(asha, ben):
    rule(May.CLOSE_ORIGINAL)
    closing_contract()
    made = lost()
    row = proposed(asha, "close_original", made, closing(made))
    assert signed(ben, row, made).status_code == 302
    assert CloseOriginal.objects.get().closing.identity == row.content["request_number"]


def test_a_stale_proof_is_asked_for_before_a_signature_that_sends(asha, ben):
    rule(May.REPEAT)
    made = lost()
    row = proposed(asha, "protected_repeat", made, repeating(made))
    proved_ago(ben, minutes=60)
    assert signed(ben, row, made).status_code in (302, 403)
    assert not models.Decision.objects.exists()
    assert SecondSignature.objects.get().ended_as == ""
    assert ben.post(address(row), sent(made, act="decline", reason="Not now.")).status_code == 302
    assert SecondSignature.objects.get().ended_as == "declined"


def test_who_signs_at_a_door_that_asks_for_no_proof_proves_it_first_and_comes_back(asha):
    rule(May.REPAIR_RECORD)
    made = happened()
    row = proposed(asha, "repair_record", made, repairing(made))
    ben = with_role("ben", Role.REVIEWER)
    ben.set_password("a long enough phrase")
    ben.save()
    seat_of_ben = Client()
    seat_of_ben.force_login(ben)
    proved_ago(seat_of_ben, minutes=16)
    assert "You will be asked for your password first." in seat_of_ben.get(address(row)).text
    led = signed(seat_of_ben, row, made)
    assert (led.status_code, models.Decision.objects.exists()) == (302, False)
    shown = seat_of_ben.get(led["Location"])
    proof = {"password": "a long enough phrase", "next": shown.context["redirect_field_value"]}
    back = seat_of_ben.post(led["Location"].partition("?")[0], proof)
    assert (back["Location"], models.Decision.objects.exists()) == (address(row), False)
    assert "Nothing was decided yet" in seat_of_ben.get(address(row)).text
    assert signed(seat_of_ben, row, made).status_code == 302
    assert SecondSignature.objects.get().ended_as == "signed"


def test_a_second_request_that_rests_on_an_accepted_risk_is_signed_on_that_risk(asha, ben):
    rule(May.AUTHORISE_NEW)
    made = lost("order-3003")
    risk = accepted(made, with_role("mira", Role.REVIEWER), owner(), now=NOW)
    row = proposed(asha, "new_operation", made, authorising(asha, made))
    assert (row.action, row.content["exception_id"]) == ("except", risk.pk)
    answer = signed(ben, row, made)
    assert answer.status_code == 302, html.unescape(answer.text)
    assert NewOperation.objects.get().exception == risk
