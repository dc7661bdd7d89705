"""Accepting a risk on the screen: the proposal, its acceptance by another person, and the list with what became of them."""

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.decisions.approve_exception import decline
from escalation.models import BusinessException, RoleGrant, User
from escalation.models.business_exception import Excuses, Loss
from escalation.models.money import Money
from escalation.policy import Role
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.decisions.risks import DAY, NOW, accepted, owner, proposed, taker
from tests.escalation.people import viewer, with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at an hour after the request was sent."""
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def mira():
    """Somebody who may propose."""
    return with_role("mira", Role.REVIEWER)


@pytest.fixture
def ida():
    """Somebody who may accept up to EUR 1,000."""
    return owner()


def lost(identity: str = "order-1001", parcel: str = "Cedar") -> Made:
    made = operation(identity, parcel=parcel)
    made.timed_out(now=T0 + MINUTE)
    return made


@pytest.fixture
def made():
    """An operation whose reply was lost."""
    return lost()


def at(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def door(made: Made) -> str:
    return reverse("business_exception", args=[made.number])


def judged(row: BusinessException) -> str:
    return reverse("approve_exception", args=[row.pk])


def typed(made: Made, **other: object) -> dict[str, object]:
    stated = {
        "revision": made.row.revision,
        "once": uuid4(),
        "excuse": "second_operation:twice",
        "amount": "250",
        "currency": "eur",
        "words": "",
        "reason": "The counter closes at four.",
        "bearer": "Cost centre 4711",
        "review": "2026-12-07",
        "expires_at": "2026-11-30T17:00",
    }
    return {**stated, **other}


def judging(made: Made, act: str, **other: object) -> dict[str, object]:
    return {"revision": made.row.revision, "once": uuid4(), "act": act, "remark": "", **other}


def test_somebody_who_may_only_read_finds_a_sentence_and_can_not_post(made):
    reader = at(viewer())
    assert '<button class="primary">' not in reader.get(door(made)).text
    assert reader.post(door(made), typed(made)).status_code == 403
    assert not BusinessException.objects.exists()


FAULTS = [
    ({"excuse": ""}, "Choose what the accepted risk is to excuse."),
    ({"excuse": "second_operation:missing"}, "Choose one of these."),
    ({"amount": "", "currency": ""}, "one of the two"),
    ({"words": "Our good name."}, "one of the two"),
    ({"currency": ""}, "An amount needs its currency"),
    ({"amount": "", "words": "Our good name."}, "An amount needs its currency"),
    ({"amount": "0"}, "must be above zero"),
    ({"amount": "1,000"}, "Write the amount in digits"),
    ({"amount": "NaN"}, "Write the amount in digits"),
    ({"currency": "EURO"}, "three letters"),
    ({"reason": " "}, "Say why."),
    ({"bearer": ""}, "Say who bears it."),
    ({"review": "2026-11-30"}, "The review must be to come"),
    ({"review": "2028-01-01"}, "Review it within 366 days."),
    ({"expires_at": "2026-11-30T13:00"}, "must be to come"),
    ({"expires_at": "2027-11-30T13:00"}, "92 days at most"),
]


@pytest.mark.parametrize(("fault", "said"), FAULTS, ids=lambda value: str(value))
def test_what_is_missing_or_wrong_is_said_and_keeps_what_was_typed(made, mira, fault, said):
    answer = at(mira).post(door(made), typed(made, **{"reason": "As I see it.", **fault}))
    assert (answer.status_code, BusinessException.objects.count()) == (422, 0)
    assert said in answer.text
    assert "reason" in fault or "As I see it.</textarea>" in answer.text


def test_a_stale_page_is_answered_with_what_was_typed(made, mira):
    words = typed(made)
    made.failed(now=T0 + 2 * MINUTE)
    answer = at(mira).post(door(made), words)
    assert (answer.status_code, BusinessException.objects.count()) == (409, 0)
    for kept in ('value="second_operation:twice" checked', 'value="250"', "The counter closes at four.</textarea>"):
        assert kept in answer.text


def test_nothing_is_chosen_or_typed_beforehand(made, mira):
    text = at(mira).get(door(made)).text
    assert " checked" not in text
    assert " selected" not in text


def test_the_page_names_what_may_be_true_and_what_follows(made, mira):
    text = at(mira).get(door(made)).text
    assert "<li>It happened, and only the answer was lost.</li>" in text
    assert "Sends nothing, and changes no fact." in text
    assert "Accepting a risk takes two people" in text
    assert "A single send acts at most once." in text


@pytest.mark.parametrize("settled", ["issued", "closed"])
def test_where_it_is_established_the_door_is_locked_and_says_why(mira, settled):
    done = operation()
    done.issued("T-1", now=T0 + MINUTE) if settled == "issued" else done.recorded("closed", now=T0 + MINUTE)
    text = at(mira).get(door(done)).text
    assert "<h2>Locked</h2>" in text
    assert "<fieldset" not in text


def test_a_form_that_is_sent_twice_proposes_once(made, mira):
    words, client = typed(made), at(mira)
    first, second = client.post(door(made), words), client.post(door(made), words)
    there = reverse("operation", args=[made.number])
    assert [(one.status_code, one.headers["Location"]) for one in (first, second)] == [(302, there)] * 2
    row = BusinessException.objects.get()
    assert (str(row.money), row.proposed_by, row.review_at) == ("EUR 250", mira, T0 + 6 * DAY + 12 * HOUR)


def test_a_proposal_is_shown_as_waiting_and_excuses_nothing(made, mira):
    client = at(mira)
    client.post(door(made), typed(made))
    text = client.get(reverse("operation", args=[made.number])).text
    assert "It waits for a second person, and excuses nothing yet. Nothing was sent." in text
    assert "A risk waits for a second person." in text


def test_who_proposed_it_finds_a_sentence_in_place_of_the_button(made):
    both = owner("both")
    row = proposed(made, with_role("mira", Role.REVIEWER))
    own = proposed(lost("order-2"), both_roles(both))
    text = at(both).get(judged(own)).text
    assert "You proposed it yourself; another person has to accept it" in text
    assert 'value="approve"' not in text
    assert 'value="approve"' in at(both).get(judged(row)).text


def both_roles(person: User) -> User:
    RoleGrant.objects.create(person=person, role=Role.REVIEWER.value, given_at=T0)
    return person


def test_who_proposed_it_can_not_post_either(made):
    both = both_roles(owner("both"))
    row = proposed(made, both)
    answer = at(both).post(judged(row), judging(made, "approve"))
    assert (answer.status_code, BusinessException.objects.get().approved_by) == (403, None)


def test_above_the_limit_it_says_whose_limit_reaches(made, mira, ida):
    owner("lena", "9000")
    row = proposed(made, mira, exposure=Money(Decimal(5000), "EUR"))
    text = at(ida).get(judged(row)).text
    assert "EUR 5,000 is above your limit here, EUR 1,000. It takes somebody whose limit reaches it: lena." in text
    answer = at(ida).post(judged(row), judging(made, "approve"))
    assert (answer.status_code, BusinessException.objects.get().approved_by) == (403, None)


def test_what_changed_since_it_was_proposed_is_refused(made, mira, ida):
    row = proposed(made, mira)
    made.recorded("pending", now=NOW)
    text = at(ida).get(judged(row)).text
    assert "It changed since it was proposed; propose anew." in text
    assert 'value="approve"' not in text
    answer = at(ida).post(judged(row), judging(made, "approve", remark="as I saw it"))
    assert (answer.status_code, BusinessException.objects.get().approved_by) == (409, None)
    assert "changed since it was proposed; propose anew" in answer.text
    assert "as I saw it</textarea>" in answer.text


def test_what_came_while_the_approver_read_is_looked_at_again(made, mira, ida):
    row = proposed(made, mira)
    words = judging(made, "approve")
    made.failed(now=NOW)
    answer = at(ida).post(judged(row), words)
    assert (answer.status_code, BusinessException.objects.get().approved_by) == (409, None)
    assert "changed while you were reading" in answer.text


@pytest.mark.parametrize("act", ["", "maybe"])
def test_neither_accepted_nor_declined_writes_nothing(made, mira, ida, act):
    row = proposed(made, mira)
    answer = at(ida).post(judged(row), judging(made, act))
    assert answer.status_code == 422
    assert "Accept it or decline it." in answer.text


def test_who_declines_says_why(made, mira, ida):
    row = proposed(made, mira)
    assert at(ida).post(judged(row), judging(made, "decline")).status_code == 422
    assert at(ida).post(judged(row), judging(made, "decline", remark="Ask first.")).status_code == 302
    assert "Ask first." in at(mira).get(judged(row)).text


def test_an_accepted_risk_says_by_whom_until_when_and_changes_nothing_else(made, mira, ida):
    row = proposed(made, mira)
    before = made.row
    words, client = judging(made, "approve", remark="Agreed."), at(ida)
    first, second = client.post(judged(row), words), client.post(judged(row), words)
    assert (first.status_code, second.status_code) == (302, 302)
    after = made.row
    assert (after.evidence, after.finality, after.protection) == (before.evidence, before.finality, before.protection)
    text = at(mira).get(reverse("operation", args=[made.number])).text
    assert "Risk accepted by <bdi>ida</bdi></b> until" in text
    assert "; review " in text
    assert "Nobody knows yet whether this happened." in text


@pytest.mark.parametrize("number", ["0", "999999", "999999999999999999999"])
def test_a_risk_that_is_none_is_not_found(mira, number):
    assert at(mira).get(f"/exceptions/{number}").status_code == 404


def listed(person: User, query: str = "") -> str:
    answer = at(person).get(reverse("exceptions") + query)
    assert answer.status_code == 200
    return answer.text


def test_with_no_risk_the_list_says_so(mira):
    text = listed(mira)
    assert "No risk fits this." in text
    assert "No risk was taken yet." in text


def test_the_list_begins_with_what_waits(made, mira, ida):
    waiting = proposed(made, mira)
    done = accepted(lost("order-2", "Birch"), mira, ida)
    text = listed(mira)
    assert judged(waiting) in text
    assert judged(done) not in text
    assert judged(done) in listed(mira, "?state=usable")
    assert judged(done) in listed(mira, "?state=all")


def stopped(identity: str, first: User, second: User, loss: Loss) -> tuple[Made, BusinessException]:
    made = lost(identity, f"parcel {identity}")
    return made, accepted(made, first, second, excuses=Excuses.STOPPING, loss=loss)


def test_each_risk_shows_what_became_of_it_and_recipients_their_totals(mira, ida):
    came, came_row = stopped("order-1", mira, ida, Loss.HAPPENED)
    did_not, did_not_row = stopped("order-2", mira, ida, Loss.MISSING)
    _, open_row = stopped("order-3", mira, ida, Loss.MISSING)
    for one in (came, did_not):
        one.issued(f"T-{one.number}", now=NOW)
    for query, row in (("came_true", came_row), ("did_not", did_not_row), ("unknown", open_row)):
        text = listed(mira, f"?score={query}")
        assert [judged(one) in text for one in (came_row, did_not_row, open_row)] == [
            one == row for one in (came_row, did_not_row, open_row)
        ]
    totals = listed(mira).partition('id="totals"')[2]
    for label, count in (("Came true", "<b>1</b>"), ("Did not", "1"), ("Still unknown", "1"), ("Review is due", "0")):
        assert f'data-label="{label}">{count}</td>' in totals


def test_a_review_that_has_passed_with_nothing_known_is_due(mira, ida):
    made, row = stopped("order-1", mira, ida, Loss.MISSING)
    with time_machine.travel(NOW + 8 * DAY, tick=False):
        assert "review is due" in listed(mira, "?due=1")
        assert judged(row) in listed(mira, "?due=1")
        made.issued("T-1", now=NOW + 8 * DAY)
        assert judged(row) not in listed(mira, "?due=1")


def test_words_that_mean_nothing_narrow_nothing(made, mira):
    row = proposed(made, mira)
    assert judged(row) in listed(mira, "?state=nonsense&score=1&due=x&before=99999999999999999999999")


def test_a_list_is_read_page_by_page_and_shows_none_twice(mira, ida):
    for number in range(52):
        decline(
            (row := proposed(made := lost(f"order-{number}", f"parcel {number}"), mira)).pk,
            taker(made, ida),
            remark=str(row.pk),
        )
    first = listed(mira, "?state=declined")
    following = first.partition('class="next"><a class="go" href="')[2].partition('"')[0].replace("&amp;", "&")
    second = listed(mira, following)
    pages = [{row for row in BusinessException.objects.all() if f'"{judged(row)}"' in text} for text in (first, second)]
    assert [len(page) for page in pages] == [50, 2]
    assert not pages[0] & pages[1]


def test_a_list_asks_the_same_few_questions_however_long_it_is(mira, ida, django_assert_max_num_queries):
    for number in range(5):
        accepted(lost(f"order-{number}", f"parcel {number}"), mira, ida)
    client = at(mira)
    with django_assert_max_num_queries(8):
        assert client.get(reverse("exceptions") + "?state=all").status_code == 200


def test_what_was_declined_is_among_the_decisions_and_no_banner(made, mira, ida):
    decline(proposed(made, mira).pk, taker(made, ida), remark="No.")
    text = at(mira).get(reverse("operation", args=[made.number])).text
    assert 'class="banner risk"' not in text
    assert "declined by <b>ida</b>" in text
    assert "Nobody has decided anything." not in text
