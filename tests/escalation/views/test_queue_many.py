"""One safe thing done about many rows: refused first, then each row told apart."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from escalation.models import Case
from escalation.policy import Role
from operations.models import Due
from operations.recording import calling
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import viewer, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR


@pytest.fixture(autouse=True)
def an_hour_later():
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def mira(client):
    """Somebody who may look after every case, and is signed in."""
    person = with_role("mira", Role.REVIEWER)
    client.force_login(person)
    return person


def lost(identity="order-1001", **more):
    made = operation(identity, **more)
    made.timed_out(now=T0)
    calling.call(now=NOW, most=10)
    return made


def ticked(made):
    case = Case.objects.filter(operation=made.id, closed_at=None).first()
    return f"{made.number}.{0 if case is None else case.revision}"


def many(client, *rows, **typed):
    return client.post(reverse("queue_many"), {"row": rows, **typed})


def owners():
    return list(Case.objects.order_by("id").values_list("owner__username", flat=True))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"act": "take", "row": []}, "Tick the rows that you mean first."),
        ({"act": "repeat", "row": ["1.1"]}, "Choose what to do."),
        ({"act": "note", "row": ["1.1"], "note": " "}, "Write what others should know."),
        ({"act": "put_off", "row": ["1.1"]}, "Set a time to look again."),
        ({"act": "put_off", "row": ["1.1"], "until": "soon"}, "Write the time as 2026-12-31 16:00, in UTC."),
    ],
)
def test_what_is_wrong_with_the_form_is_said_and_nothing_is_done(client, mira, typed, said):
    lost()
    answer = client.post(reverse("queue_many"), typed)
    assert (answer.status_code, said in answer.text, owners()) == (422, True, [None])


def test_who_may_not_is_told_so_row_by_row(client):
    made = lost()
    client.force_login(viewer("vera"))
    text = many(client, ticked(made), act="take").text
    assert "Nothing was done" in text
    assert "You may read, but not look after" in text
    assert owners() == [None]


def test_each_row_is_told_apart(client, mira):
    good, changed, mine = lost("o-1"), lost("o-2", parcel="B"), lost("o-3", parcel="C")
    known = operation("o-4", parcel="D")
    known.issued("T-1", now=T0)
    rows = [ticked(good), ticked(changed).replace(".1", ".9"), ticked(mine), ticked(known), "987654321.1"]
    many(client, ticked(mine), act="take")
    rows[2] = ticked(mine)
    answer = many(client, *rows, act="take")
    assert answer.context["counts"] == [("Done", 1), ("Not for this one", 2), ("Not done", 1)]
    assert answer.context["gone"] == [987654321]
    assert {one.chosen.number: one.why.partition(";")[0] for one in answer.context["ended"]} == {
        good.number: "",
        changed.number: "It changed while you were reading",
        mine.number: "It is yours already.",
        known.number: "Nothing of it is open, so there is nothing to look after.",
    }
    assert owners() == ["mira", None, "mira"]


def test_what_one_may_not_read_is_answered_like_what_is_not_there(client):
    hidden = lost()
    person = with_role("otto", Role.REVIEWER, recipient=contract_of(key="other", name="Other").recipient)
    client.force_login(person)
    answer = many(client, ticked(hidden), act="take")
    assert (answer.context["ended"], answer.context["gone"], owners()) == ([], [hidden.number], [None])


def test_a_note_is_found_by_the_search_at_once_and_what_is_put_off_stands_apart(client, mira):
    made = lost()
    many(client, ticked(made), act="note", note="ring Ada at the counter")
    assert "data-row" in client.get(reverse("queue"), {"text": "at the counter"}).text
    many(client, ticked(made), act="put_off", until=f"{NOW + 5 * HOUR:%Y-%m-%dT%H:%M}")
    assert [one.heading.partition(" ")[0] for one in client.get(reverse("queue")).context["sections"]] == ["Left"]
    shown = client.get(reverse("queue"), {"group": "left_unresolved", "owner": "nobody"}).context
    assert [row.operation.number for section in shown["sections"] for row in section.rows] == [made.number]


def test_asking_now_moves_the_schedule_and_no_further_than_the_contract_lets_it(client, mira):
    made = lost()
    Due.objects.filter(operation=made.id).update(at=NOW + 5 * HOUR)
    assert many(client, ticked(made), act="ask").context["counts"] == [("Done", 1)]
    assert Due.objects.get(operation=made.id).at == NOW
    until = (NOW + timedelta(minutes=3)).timestamp()
    row = Due.objects.get(operation=made.id)
    channels = {name: {"at": 0, "not_before": until} for name in ("record", row.channel)}
    Due.objects.filter(operation=made.id).update(at=NOW + 5 * HOUR, asked=channels)
    [one] = many(client, ticked(made), act="ask").context["ended"]
    assert (one.end, one.why) == ("ineligible", "It may not be asked about before 2026-11-30 13:03:00 UTC.")


def test_all_of_them_takes_their_number_typed(client, mira):
    made = [lost(f"o-{number}", parcel=f"P{number}x") for number in range(3)]
    address = reverse("queue_all") + "?text=P1x"
    assert "Do one thing about the only row" in client.get(address).text
    assert client.post(address, {"act": "take", "many": "3"}).status_code == 422
    assert owners() == [None] * 3
    assert client.post(address, {"act": "take", "many": "1"}).context["counts"] == [("Done", 1)]
    assert owners() == [None, "mira", None]
    assert [one.number for one in made][1] == Case.objects.get(owner__username="mira").operation.number


def test_nobody_is_handed_what_they_may_not_look_after(client, mira):
    made, elsewhere = lost(), lost("o-2", contract=contract_of(key="other", name="Other"))
    with_role("otto", Role.REVIEWER, recipient=contract_of(key="other", name="Other").recipient)
    answer = many(client, ticked(made), ticked(elsewhere), act="hand_over", to="otto", note="until noon")
    assert {one.chosen.number: (one.end, one.why) for one in answer.context["ended"]} == {
        made.number: ("ineligible", "otto may not look after this recipient's cases."),
        elsewhere.number: ("done", ""),
    }
    assert owners() == [None, "otto"]


@pytest.mark.parametrize(
    ("to", "said"), [("", "Say who looks after them from now on."), ("nobody-here", "Nobody of that name works here.")]
)
def test_to_whom_it_is_handed_has_to_be_said(client, mira, to, said):
    made = lost()
    for answer in (
        many(client, ticked(made), act="hand_over", to=to),
        client.post(reverse("queue_all"), {"act": "hand_over", "to": to, "many": "1"}),
    ):
        assert answer.status_code == 422
        assert said in answer.text
    assert owners() == [None]


def test_all_of_them_are_handed_over_by_their_number(client, mira):
    with_role("ben", Role.OPERATOR)
    for number in range(2):
        lost(f"o-{number}", parcel=f"P{number}x")
    assert '<option value="ben">' in client.get(reverse("queue_all")).text
    answer = client.post(reverse("queue_all"), {"act": "hand_over", "to": "ben", "many": "2"})
    assert answer.context["counts"] == [("Done", 2)]
    assert owners() == ["ben", "ben"]


def test_to_choose_from_are_those_who_may_look_after_what_one_reads(client):
    here, other = contract_of().recipient, contract_of(key="other", name="Other").recipient
    client.force_login(with_role("lena", Role.REVIEWER, recipient=here))
    with_role("otto", Role.REVIEWER, recipient=other)
    with_role("vera", Role.VIEWER)
    with_role("root", Role.RISK_OWNER)
    assert [one.username for one in client.get(reverse("queue_people")).context["people"]] == ["lena", "root"]
