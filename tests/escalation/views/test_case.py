"""Who looks after an operation: refusals first, then what people do, and that none of it changes what is known."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from escalation.models import Case, User
from escalation.models.case import Act
from escalation.policy import Role
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import viewer, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
VERBS = ["take", "give_back", "seen", "hand_over", "put_off", "note"]


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def asha(client):
    """A reviewer at the screen."""
    client.force_login(with_role("asha", Role.REVIEWER))
    return client


@pytest.fixture
def lost():
    """An operation that has been unknown for too long."""
    made = operation()
    made.timed_out(now=T0 + timedelta(seconds=10))
    calling.call(now=NOW, most=10)
    return made


def case_of(made: Made) -> Case:
    return Case.objects.get(operation=made.id)


def post(client, made: Made, verb: str, **typed):
    seen = typed.pop("seen", None) or case_of(made).revision
    return client.post(reverse(f"case_{verb}", args=[made.number]), {"seen": seen, **typed})


def owner_of(made: Made) -> str:
    """Who looks after it, empty where nobody does."""
    owner = case_of(made).owner
    return "" if owner is None else owner.username


def acts(made: Made) -> list[str]:
    return list(case_of(made).acts.order_by("id").values_list("act", flat=True))


TYPED = {"hand_over": {"to": "ben"}, "put_off": {"until": "2026-12-01T10:00"}, "note": {"note": "Called them."}}


@pytest.mark.parametrize("verb", VERBS)
def test_a_viewer_reads_and_does_nothing(client, lost, verb):
    with_role("ben", Role.REVIEWER)
    client.force_login(viewer())
    answer = post(client, lost, verb, **TYPED.get(verb, {}))
    assert answer.status_code == 403
    assert "It takes the role" in answer.text
    assert acts(lost) == [Act.OPENED]


@pytest.mark.parametrize("verb", VERBS)
def test_looking_does_nothing(asha, lost, verb):
    assert asha.get(reverse(f"case_{verb}", args=[lost.number])).status_code == 405


@pytest.mark.parametrize("verb", VERBS)
def test_a_case_that_changed_meanwhile_is_looked_at_again(asha, lost, verb):
    with_role("ben", Role.REVIEWER)
    seen = case_of(lost).revision
    Case.objects.update(revision=seen + 1)
    answer = post(asha, lost, verb, seen=seen, **TYPED.get(verb, {}))
    assert answer.status_code == 409
    assert "changed while you were reading" in answer.text
    assert acts(lost) == [Act.OPENED]


def test_what_was_typed_is_kept_when_it_changed_meanwhile(asha, lost):
    with_role("ben", Role.REVIEWER)
    Case.objects.update(revision=7)
    answer = post(asha, lost, "hand_over", seen=1, to="ben", note="Ring Ada at four.")
    assert "Ring Ada at four." in answer.text
    assert 'name="seen" value="7"' in answer.text  # so that it can be sent again


@pytest.mark.parametrize("verb", VERBS)
def test_where_nothing_is_open_there_is_nothing_to_look_after(asha, lost, verb):
    with_role("ben", Role.REVIEWER)
    lost.issued("T-1", now=NOW)
    answer = post(asha, lost, verb, **TYPED.get(verb, {}))
    assert answer.status_code == 409
    assert "nothing to look after" in answer.text


@pytest.mark.parametrize(
    ("verb", "typed", "sentence"),
    [
        ("hand_over", {"to": ""}, "Choose who looks after it from now on."),
        ("hand_over", {"to": "nobody"}, "They may not look after this recipient"),
        ("hand_over", {"to": "vera"}, "They may not look after this recipient"),
        ("put_off", {"until": ""}, "Set a time to look again."),
        ("put_off", {"until": "tomorrow"}, "Write the time as 2026-12-31 16:00"),
        ("put_off", {"until": "2026-11-30T12:59"}, "Choose a time that is still to come."),
        ("put_off", {"until": "2027-12-01T10:00"}, "Choose a time within 31 days."),
        ("note", {"note": "  "}, "Write what others should know."),
        ("give_back", {}, "It is not yours to give back."),
    ],
)
def test_what_can_not_be_is_said_beside_its_field(asha, lost, verb, typed, sentence):
    viewer("vera")
    answer = post(asha, lost, verb, **typed)
    assert answer.status_code == 422
    assert sentence in answer.text.replace("&#x27;", "'")
    assert acts(lost) == [Act.OPENED]


def test_nobody_looks_after_a_new_case_and_the_page_says_so(asha, lost):
    page = asha.get(reverse("operation", args=[lost.number])).text
    assert "Nobody looks after it" in page
    assert "The outcome has been unknown for longer than expected." in page


def test_whoever_takes_it_is_its_owner(asha, lost):
    answer = post(asha, lost, "take", back="operation")
    assert answer.url == reverse("operation", args=[lost.number])
    case = case_of(lost)
    assert (owner_of(lost), case.owned_since, acts(lost)) == ("asha", NOW, [Act.OPENED, Act.TAKEN])


def test_taking_what_another_has_is_taking_over_and_says_so(asha, lost, client):
    post(asha, lost, "take")
    client.force_login(with_role("ben", Role.OPERATOR))
    assert "Take it over" in client.get(reverse("operation", args=[lost.number])).text
    post(client, lost, "take")
    assert acts(lost) == [Act.OPENED, Act.TAKEN, Act.TAKEN_OVER]


def test_two_who_take_the_same_page_are_one_owner_and_one_who_looks_again(asha, lost, client):
    seen = case_of(lost).revision
    post(asha, lost, "take", seen=seen)
    client.force_login(with_role("ben", Role.OPERATOR))
    assert post(client, lost, "take", seen=seen).status_code == 409
    assert owner_of(lost) == "asha"


def test_taking_it_twice_is_no_second_line(asha, lost):
    post(asha, lost, "take")
    assert post(asha, lost, "take").status_code == 422
    assert acts(lost) == [Act.OPENED, Act.TAKEN]


def test_it_is_handed_over_with_where_things_stand(asha, lost):
    ben = with_role("ben", Role.AUTHORISER)
    post(asha, lost, "take")
    assert post(asha, lost, "hand_over", to="ben", note="Ada rings back at four.").status_code == 302
    assert case_of(lost).owner == ben
    page = asha.get(reverse("case", args=[lost.number])).text
    assert "Handed over to <bdi>ben</bdi>" in page
    assert "Ada rings back at four." in page


def test_people_who_may_not_read_the_recipient_are_not_offered(asha, lost):
    other = with_role("omar")
    User.objects.filter(pk=other.pk).update(is_active=True)
    with_role("gone", Role.REVIEWER)
    User.objects.filter(username="gone").update(is_active=False)
    page = asha.get(reverse("case", args=[lost.number])).text
    assert "<option>asha" in page
    assert "omar" not in page
    assert "gone" not in page


def test_seen_counts_for_half_an_hour_and_lapses(asha, lost, clock):
    post(asha, lost, "seen")
    assert "Seen; that counts until" in asha.get(reverse("operation", args=[lost.number])).text
    clock.move_to(NOW + timedelta(minutes=31))
    assert "Seen;" not in asha.get(reverse("operation", args=[lost.number])).text


def test_it_is_put_off_and_one_more_reason_brings_it_back(asha, lost):
    post(asha, lost, "put_off", until="2026-12-10T10:00", note="They are closed until Monday.")
    assert "Put off until" in asha.get(reverse("operation", args=[lost.number])).text
    calling.call(now=T0 + 24 * HOUR, most=10)
    case = case_of(lost)
    assert case.snoozed_until is None
    assert case.acts.filter(act=Act.WOKEN).get().note.startswith("Repeating stops being harmless")


def test_a_note_is_in_the_history_and_settles_nothing(asha, lost):
    before = lost.row.revision
    post(asha, lost, "note", note="<b>They say it was issued</b>")
    page = asha.get(reverse("case", args=[lost.number])).text
    assert "&lt;b&gt;They say it was issued" in page
    assert lost.row.revision == before


def test_the_owner_gives_it_back(asha, lost):
    post(asha, lost, "take")
    post(asha, lost, "give_back")
    assert (case_of(lost).owner, acts(lost)[-1]) == (None, Act.GIVEN_BACK)


def test_an_operation_that_never_needed_anybody_says_so(asha):
    made = operation("order-2", now=NOW)
    assert "needed a person so far" in asha.get(reverse("case", args=[made.number])).text


def test_a_case_that_ended_tells_its_history_and_offers_nothing(asha, lost):
    post(asha, lost, "take")
    lost.issued("T-1", now=NOW)
    page = asha.get(reverse("case", args=[lost.number])).text
    assert "Nothing is open any more" in page
    assert '<form method="post" action="/operations' not in page


def test_nobody_reads_the_case_of_a_recipient_that_is_not_theirs(client, lost):
    other = operation("order-9", contract=None).row.recipient
    client.force_login(with_role("far", Role.REVIEWER, recipient=_another(other)))
    assert client.get(reverse("case", args=[lost.number])).status_code == 404
    assert post(client, lost, "take").status_code == 404


def _another(recipient):
    return type(recipient).objects.create(key="far", name="Far", created_at=T0)


def test_the_queue_says_that_nobody_looks_after_it_and_then_who_does(asha, lost):
    assert "nobody looks after it" in asha.get(reverse("queue")).text
    post(asha, lost, "take")
    page = asha.get(reverse("queue")).text
    assert "<bdi>asha</bdi> looks after it" in page
    assert "nobody looks after it" not in page


def test_what_was_put_off_stands_apart_in_the_queue_until_then(asha, lost, clock):
    heading = "Left unresolved or put off until a time that was set"
    assert heading not in asha.get(reverse("queue")).text
    post(asha, lost, "put_off", until="2026-11-30T15:00")
    assert heading in asha.get(reverse("queue")).text
    clock.move_to(T0 + 4 * HOUR)
    assert heading not in asha.get(reverse("queue")).text
