"""Taking down what the staff said, on the screen: nothing is filled in, nothing is opened, and two people where two are asked."""

from uuid import uuid4

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from escalation.models import Inspection, User
from escalation.policy import Role
from operations import models
from operations.contracts.loading import library_text
from tests.escalation.building import HOUR, T0, Made, contract_of, operation
from tests.escalation.people import viewer, with_role
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
ALONE = library_text("collection-desk").replace("second_person: true", "second_person: false")
WITHOUT = library_text("collection-desk-without-keys")


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at an hour after the request was sent."""
    with time_machine.travel(NOW, tick=False):
        yield


def at(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def mira():
    return at(with_role("mira", Role.REVIEWER))


@pytest.fixture
def omar():
    return at(with_role("omar", Role.REVIEWER))


def address(made: Made) -> str:
    return reverse("inspect", args=[made.number])


def names(client: Client, made: Made) -> dict[str, str]:
    """The names of the fields by what they ask for."""
    return {
        line.asked.place.rpartition("/")[2]: line.name for line in client.get(address(made)).context["form"].lines()
    }


def typed(client: Client, made: Made, **other: object) -> dict[str, object]:
    """The form as a careful person sends it."""
    fields = names(client, made)
    given = {f"{fields[name]}_text": value for name, value in (("key", "order-1001"), ("place", "East"))}
    given |= {f"{fields['parcel']}_text": "Cedar", f"{fields['ticket']}_text": "T-1", fields["state"]: "0"}
    return {**given, "read_at": "2026-11-30T12:59:30", "once": str(uuid4()), "notes": "", **other}


def test_nothing_is_filled_in_or_chosen_beforehand(mira):
    made = operation()
    text = mira.get(address(made)).text
    form = text[text.index("<form method") :]
    assert "checked" not in form
    assert "order-1001" not in form
    assert "Cedar" not in form.replace("parcel Cedar", "")
    assert "Ask at the counter" in text
    assert "asks for a second person" in text


def test_somebody_who_may_only_read_gets_no_form_and_can_not_send_one(mira):
    made = operation()
    reader = at(viewer())
    given = typed(mira, made)
    assert "Take it down" not in reader.get(address(made)).text
    answer = reader.post(address(made), given)
    assert (answer.status_code, Inspection.objects.count()) == (403, 0)
    assert "may read, but not record" in answer.text


def test_a_form_without_the_token_is_refused(mira):
    made = operation()
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="mira"))
    answer = strict.post(address(made), typed(mira, made))
    assert (answer.status_code, Inspection.objects.count()) == (403, 0)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"read_at": ""}, "Say when you read it"),
        ({"read_at": "yesterday"}, "Say when as YYYY-MM-DD"),
        ({"read_at": "2026-11-30T13:00:01"}, "still to come"),
        ({"read_at": "2026-11-30T11:58"}, "Nothing was sent before 2026-11-30 12:00"),
        ({"state": ""}, "State: choose what is shown there."),
        ({"state": "99"}, "Select a valid choice"),
        ({"state": "other"}, "State: type what is shown there instead."),
        ({"state": "0", "state_text": "closed"}, "you chose one answer and typed another"),
        ({"key_text": "x" * 4001}, "at most 4000 characters"),
        ({"key_text": "order\x001001"}, "Null characters are not allowed"),
        ({"notes": "x" * 4001}, "at most 4000 characters"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(mira, change, sentence):
    made = operation()
    fields = names(mira, made)
    wrong = {
        (
            f"{fields[name.removesuffix('_text')]}{'_text' * name.endswith('_text')}"
            if name != "read_at" and name != "notes"
            else name
        ): value
        for name, value in change.items()
    }
    answer = mira.post(address(made), typed(mira, made, **wrong))
    assert (answer.status_code, Inspection.objects.count(), models.Observation.objects.count()) == (422, 0, 0)
    assert sentence in answer.text


def test_what_was_typed_stays_typed_and_chosen(mira):
    made = operation()
    fields = names(mira, made)
    wrong = {"read_at": "", f"{fields['key']}_text": "order-1002", fields["state"]: "1", "notes": "read twice"}
    text = mira.post(address(made), typed(mira, made, **wrong)).text
    assert "order-1002</textarea>" in text
    assert f'name="{fields["state"]}" value="1" required checked' in text
    assert "read twice</textarea>" in text


def test_a_contract_without_such_a_channel_says_so(mira):
    made = operation(contract=contract_of(WITHOUT, key="without", name="Without"))
    assert "lists no screen and no staff" in mira.get(address(made)).text
    assert mira.get(address(made) + "?channel=record").status_code == 404
    assert mira.post(address(made), {}).status_code == 200
    assert Inspection.objects.count() == 0


def test_a_file_that_is_too_large_is_refused_before_it_is_read(mira):
    made = operation()
    answer = mira.post(address(made), typed(mira, made), CONTENT_LENGTH=str(11 * 1024 * 1024))
    assert (answer.status_code, Inspection.objects.count()) == (413, 0)
    large = SimpleUploadedFile("a.png", b"x" * (10 * 1024 * 1024 + 1), content_type="image/png")
    answer = mira.post(address(made), typed(mira, made, attachment=large))
    assert (answer.status_code, Inspection.objects.count()) == (422, 0)
    assert "larger than 10 MB" in answer.text


@pytest.mark.parametrize("length", ["-1", "\u00b2", "1e3", "+5", "9" * 5000])
def test_what_is_said_of_a_length_that_is_none_is_refused(mira, length):
    made = operation()
    answer = mira.post(address(made), typed(mira, made), CONTENT_LENGTH=length)
    assert (answer.status_code, Inspection.objects.count()) == (413, 0)


def test_one_takes_it_down_another_confirms_it(mira, omar):
    made = operation()
    answer = mira.post(address(made), typed(mira, made), follow=True)
    row = Inspection.objects.get()
    assert "waits for a second person" in answer.text
    assert "Confirm it" not in answer.text
    assert "waits for a second person" in omar.get(reverse("operation", args=[made.number])).text
    page = reverse("inspection", args=[made.number, row.id])
    assert omar.post(page, {"act": "confirm"}).status_code == 422  # without the yes
    assert models.Observation.objects.count() == 0
    done = omar.post(page, {"act": "confirm", "read_it": "on"}, follow=True)
    assert "Nothing was sent." in done.text
    assert made.row.evidence == "applied"
    assert omar.post(page, {"act": "confirm", "read_it": "on"}).status_code == 409
    assert "who had proved who they are by " in omar.get(page).text


def test_who_confirms_proves_it_first_and_comes_back_to_confirm_there(mira):
    made = operation()
    mira.post(address(made), typed(mira, made))
    page = reverse("inspection", args=[made.number, Inspection.objects.get().id])
    omar = with_role("omar", Role.REVIEWER)
    omar.set_password("a long enough phrase")
    omar.save()
    client = at(omar)
    proved_ago(client, minutes=16)
    assert "You will be asked for your password first." in client.get(page).text
    led = client.post(page, {"act": "confirm", "read_it": "on"})
    assert (led.status_code, models.Observation.objects.count()) == (302, 0)
    shown = client.get(led["Location"])
    proof = {"password": "a long enough phrase", "next": shown.context["redirect_field_value"]}
    back = client.post(led["Location"].partition("?")[0], proof)
    assert (back["Location"], models.Observation.objects.count()) == (page, 0)
    assert "Nothing was decided yet" in client.get(page).text
    assert client.post(page, {"act": "confirm", "read_it": "on"}).status_code == 302
    assert models.Observation.objects.count() == 1


def test_who_can_not_prove_it_here_confirms_nothing_and_may_still_put_it_aside(mira, omar):
    made = operation()
    mira.post(address(made), typed(mira, made))
    page = reverse("inspection", args=[made.number, Inspection.objects.get().id])
    proved_ago(omar, minutes=16)
    answer = omar.post(page, {"act": "confirm", "read_it": "on"})
    assert (answer.status_code, models.Observation.objects.count()) == (403, 0)
    assert "Nothing was written." in answer.text
    assert omar.post(page, {"act": "reject", "because": "It says closed."}).status_code == 302


def test_who_took_it_down_may_take_it_back_and_not_confirm_it(mira):
    made = operation()
    mira.post(address(made), typed(mira, made))
    page = reverse("inspection", args=[made.number, Inspection.objects.get().id])
    assert mira.post(page, {"act": "confirm", "read_it": "on"}).status_code == 403
    assert mira.post(page, {"act": "reject"}).status_code == 422
    assert "is put aside" in mira.post(page, {"act": "reject", "because": "Mistyped."}, follow=True).text
    assert "Mistyped." in mira.get(page).text
    assert models.Observation.objects.count() == 0


def test_where_one_is_enough_the_contract_reads_it_at_once(mira):
    made = operation(contract=contract_of(ALONE))
    answer = mira.post(address(made), typed(mira, made), follow=True)
    assert "read by the contract" in answer.text
    assert made.row.evidence == "applied"


def test_an_attachment_is_only_ever_a_download(mira):
    made = operation()
    evil = SimpleUploadedFile('a"\u202egnp.html', b"<script>alert(1)</script>", content_type="text/html; charset=x")
    mira.post(address(made), typed(mira, made, attachment=evil))
    row = Inspection.objects.get()
    answer = mira.get(reverse("inspection_attachment", args=[made.number, row.id]))
    assert answer.content == b"<script>alert(1)</script>"
    assert answer["content-type"] == "application/octet-stream"
    assert answer["content-disposition"].startswith("attachment")
    assert "\u202e" not in answer["content-disposition"]
    assert answer["x-content-type-options"] == "nosniff"
    assert answer["content-security-policy"] == "default-src 'none'; sandbox"


def test_an_inspection_is_found_only_under_its_own_operation(mira):
    made, other = operation(), operation("order-2")
    mira.post(address(made), typed(mira, made))
    row = Inspection.objects.get()
    for number, name in ((other.number, row.id), (made.number, uuid4()), (made.number, "1")):
        assert mira.get(f"/operations/{number}/inspections/{name}").status_code == 404
        assert mira.get(f"/operations/{number}/inspections/{name}/attachment").status_code == 404
    assert mira.get(reverse("inspection_attachment", args=[made.number, row.id])).status_code == 404


def test_hostile_words_are_shown_as_words(mira):
    made = operation()
    hostile = "\u202e<script>alert(1)</script>"
    fields = names(mira, made)
    mira.post(address(made), typed(mira, made, notes=hostile, **{f"{fields['ticket']}_text": hostile}))
    page = reverse("inspection", args=[made.number, Inspection.objects.get().id])
    for address_ in (page, reverse("operation", args=[made.number])):
        text = mira.get(address_).text
        assert "<script>alert" not in text
        assert "\u202e" not in text


def test_a_recipient_that_can_not_be_asked_leads_to_what_a_person_reads(mira):
    made = operation()
    assert reverse("inspect", args=[made.number]) in mira.get(reverse("observe", args=[made.number])).text
