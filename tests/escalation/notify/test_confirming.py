"""A mail address is told of nothing before whoever reads there has said so, and of what is not told the log says so."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from escalation.access import NotChanged
from escalation.access.addresses import ask_for_test
from escalation.access.confirming import APART, CONFIRMED, ENDED, LASTS, OTHERS, address_of, ask, confirm, link_token
from escalation.models import AddressConfirmation, NoticeAddress, Telling
from escalation.models.notice import End, Kind, Over
from escalation.models.notice_address import Way
from escalation.notify import mail
from escalation.notify.outcome import Outcome
from escalation.policy import Role
from tests.escalation.building import T0
from tests.escalation.notify.chains import CALLED, Post, address, ann, called_for, calls, team, told
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def unconfirmed(of=None, to: str = "") -> NoticeAddress:
    return address(of or ann(), to, confirmed=False)


def ends() -> list[str]:
    return list(Telling.objects.order_by("id").values_list("ended_as", flat=True))


def test_what_is_called_is_not_told_at_an_address_that_is_not_confirmed_and_the_log_says_so():
    person = ann()
    unconfirmed(person)
    calls(called_for(), person)
    post = Post()
    assert told(post) == 0
    assert (post.sent, ends()) == ([], [Over.NOT_CONFIRMED])


def test_what_was_due_before_it_was_clear_whose_the_address_is_is_not_sent_there_either():
    here = unconfirmed()
    Telling.objects.create(kind=Kind.TEST, address=here, made_at=CALLED, due_at=CALLED)
    assert (told(Post()), ends()) == (0, [Over.NOT_CONFIRMED])


def test_who_is_told_at_one_address_is_told_there_whether_or_not_another_is_confirmed():
    person = ann()
    unconfirmed(person, "new@desk.example")
    address(person)
    address(person, "PAGER", way=Way.WEBHOOK)
    calls(called_for(), person)
    post = Post()
    assert told(post) == 2
    assert sorted(to for to, _ in post.sent) == ["PAGER", "ann@desk.example"]
    assert ends() == [Over.NOT_CONFIRMED, Over.TAKEN, Over.TAKEN]


def test_no_test_is_sent_to_what_is_not_confirmed():
    here = unconfirmed()
    with pytest.raises(NotChanged, match="not confirmed"):
        ask_for_test(here, now=CALLED)


def test_the_link_says_nothing_of_operations_and_leads_to_a_page_of_the_desk(settings):
    settings.PUBLIC_URL = "https://desk.example"
    here = unconfirmed()
    ask(here, now=CALLED)
    post = Post()
    assert told(post) == 1
    [(to, message)] = post.sent
    assert (to, message.about, message.count) == ("ann@desk.example", (), 0)
    assert message.link == "https://desk.example" + reverse("confirm_address", args=[link_token(here, now=CALLED)])
    written = mail.written(message, to=to)
    assert message.link in written.body
    assert message.link in str(written.alternatives[0][0])
    assert here.to not in message.link


def test_without_an_address_of_the_desk_the_mail_says_which_page_it_is():
    here = unconfirmed()
    ask(here, now=CALLED)
    post = Post()
    told(post)
    assert post.sent[0][1].link == ""
    assert reverse("confirm_address", args=[link_token(here, now=CALLED)]) in " ".join(post.sent[0][1].lead)


def test_a_link_is_sent_again_by_itself_while_the_mail_server_is_away():
    ask(unconfirmed(), now=CALLED)
    post = Post([Outcome(end=End.NOT_SENT, detail="Away.", outage=True), Outcome(end=End.TAKEN, detail="Taken.")])
    assert told(post) == 1
    assert told(post, at=CALLED + 10 * MINUTE) == 1
    assert ends() == [Over.TAKEN]


def test_once_confirmed_what_is_called_is_told_and_no_link_is_sent_any_more():
    person = ann()
    here = unconfirmed(person)
    ask(here, now=CALLED)
    confirm(link_token(here, now=CALLED), person=person, now=CALLED)
    calls(called_for(), person)
    post = Post()
    assert told(post) == 1
    assert post.sent[0][1].kind is Kind.CALL
    assert sorted(ends()) == [Over.NOT_NEEDED, Over.TAKEN]


def test_a_link_confirms_once():
    person = ann()
    here = unconfirmed(person)
    token = link_token(here, now=CALLED)
    confirm(token, person=person, now=CALLED)
    with pytest.raises(NotChanged, match=CONFIRMED):
        confirm(token, person=person, now=CALLED)
    kept = AddressConfirmation.objects.get()
    assert (kept.address, kept.at, kept.by) == (here, CALLED, person)


def test_a_link_counts_for_a_day():
    person = ann()
    here = unconfirmed(person)
    token = link_token(here, now=CALLED)
    assert address_of(token, person=person, now=CALLED + LASTS - timedelta(seconds=1)) == here
    with pytest.raises(NotChanged, match=ENDED):
        confirm(token, person=person, now=CALLED + LASTS)


def test_a_link_that_was_changed_leads_nowhere():
    person = ann()
    token = link_token(unconfirmed(person), now=CALLED)
    for wrong in (token[:-1], "x" + token, "", "a:b", token.replace(":", "")):
        with pytest.raises(NotChanged, match=ENDED):
            confirm(wrong, person=person, now=CALLED)


def test_an_address_that_was_removed_is_confirmed_by_no_link_and_added_again_needs_one_of_its_own():
    person = ann()
    before = unconfirmed(person)
    token = link_token(before, now=CALLED)
    NoticeAddress.objects.update(ended_at=CALLED, ended_by=person)
    again = unconfirmed(person)
    with pytest.raises(NotChanged, match=ENDED):
        confirm(token, person=person, now=CALLED)
    confirm(link_token(again, now=CALLED), person=person, now=CALLED)
    assert not NoticeAddress.objects.get(pk=before.pk).is_confirmed


def test_nobody_confirms_the_address_of_somebody_else_not_even_an_administrator():
    token = link_token(unconfirmed(), now=CALLED)
    for other in (ann("ben"), with_role("root", Role.ADMINISTRATOR)):
        with pytest.raises(NotChanged, match=OTHERS):
            confirm(token, person=other, now=CALLED)


def test_the_address_of_a_team_is_confirmed_by_whoever_is_in_it_or_administers():
    member, other, admin = ann(), ann("ben"), with_role("root", Role.ADMINISTRATOR)
    cedar = team("Cedar", member)
    tokens = [link_token(unconfirmed(cedar, f"{at}@desk.example"), now=CALLED) for at in range(2)]
    with pytest.raises(NotChanged, match=OTHERS):
        confirm(tokens[0], person=other, now=CALLED)
    for token, person in zip(tokens, (member, admin), strict=True):
        assert confirm(token, person=person, now=CALLED).team == cedar


def test_links_to_an_address_are_five_minutes_apart():
    here = unconfirmed()
    ask(here, now=CALLED)
    with pytest.raises(NotChanged, match="on its way"):
        ask(here, now=CALLED)
    told(Post())
    with pytest.raises(NotChanged, match="just now"):
        ask(here, now=CALLED + APART - timedelta(seconds=1))
    ask(here, now=CALLED + APART)


def test_five_links_a_day_go_to_one_address_whoever_asks():
    for at in range(5):
        ask(unconfirmed(ann(f"ann{at}"), "Ann@desk.example"), now=CALLED)
    one_more = unconfirmed(ann("ben"), "ann@desk.example")
    with pytest.raises(NotChanged, match="5 links a day"):
        ask(one_more, now=CALLED)
    ask(one_more, now=CALLED + timedelta(days=1))


def test_twenty_links_a_day_are_asked_for_by_one():
    for at in range(20):
        ask(unconfirmed(ann(f"ann{at}")), now=CALLED)
    with pytest.raises(NotChanged, match="20 links a day"):
        ask(unconfirmed(ann("ben")), now=CALLED)


def test_that_an_address_was_confirmed_is_never_changed_or_removed():
    address(ann())
    for act in (lambda: AddressConfirmation.objects.update(at=T0 + MINUTE), AddressConfirmation.objects.all().delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
