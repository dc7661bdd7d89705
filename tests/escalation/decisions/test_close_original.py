"""Having an original closed: refusals first, then what is written, and that it is sent once that is on record."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from escalation.celery import app
from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.close_original import AGENT_WITHIN, DESK_WITHIN
from escalation.decisions.protected_repeat import protected_repeat
from escalation.decisions.taking import Taker
from escalation.models import Case, CloseOriginal, User
from escalation.policy import EVERY_RECIPIENT, Role
from escalation.screens.closing import closing_page
from escalation.screens.doors import doors
from escalation.screens.sight import look
from operations import models
from operations.contracts.closing import CannotClose
from operations.contracts.loading import library_text
from operations.core.actions import Action
from operations.core.closing import ClosingBar
from operations.core.facts import Sends
from operations.core.permitted import permitted
from operations.core.standing import Situation
from operations.dispatch import CannotSend
from operations.recording import Intent, NotPermitted, begin, dispatching, granting, require, writing
from tests.escalation.building import contract_of
from tests.escalation.closings import (
    CLOSING,
    attempt_of,
    closing_contract,
    decided,
    now,
    state,
    told,
    without_closing,
)
from tests.escalation.people import proved, with_role
from tests.operations.dispatching import KEY, authorised, lost, sent
from tests.recipients.reached import CREDENTIAL

WAIT = 60.0  # seconds; a bound, not a delay
pytestmark = pytest.mark.django_db


def in_force(operation_id, text):
    """Another version of the contract, by which the operation is read."""
    contract_of(text)
    with writing(operation_id, now=now()):
        pass


def nothing_was_written():
    kinds = (CloseOriginal, models.Closing, models.Decision, models.Dispatch, models.Grant)
    return models.Operation.objects.count() == 1 and not any(kind.objects.exists() for kind in kinds)


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.AUTHORISER, Role.RISK_OWNER])
def test_without_the_role_nothing_is_written(made, role):
    with pytest.raises(NotAllowed, match="operator"):
        decided(made, with_role("somebody", role))
    assert nothing_was_written()


def test_what_changed_since_it_was_seen_is_not_decided_on(made, mira):
    with pytest.raises(StaleView):
        decided(made, mira, revision=1)
    assert nothing_was_written()


@pytest.mark.parametrize("executor", ["desk", "agent"])
def test_what_the_core_refuses_is_not_authorised(desk, mira, executor):
    made = lost()
    told(made, channel="record", status=200, body=state("issued", ticket="T-1"))
    with pytest.raises(NotPermitted, match="It happened"):
        decided(made, mira, executor=executor)
    assert nothing_was_written()


def test_where_no_closing_request_is_documented_nothing_is_written(made, mira):
    in_force(made, without_closing())
    with pytest.raises(CannotClose, match="documents no request"):
        decided(made, mira)
    assert nothing_was_written()


def test_where_nobody_described_the_closing_request_nothing_is_written(collection_desk, mira):
    made = lost()
    with pytest.raises(CannotClose, match="No recipient with Collection desk's address"):
        decided(made, mira)
    assert nothing_was_written()


def test_of_two_that_it_could_be_none_is_taken(made, desk, mira):
    contract_of(library_text(CLOSING), key="another")
    models.Recipient.objects.filter(key="another").update(address=desk.url)
    with pytest.raises(CannotClose, match="More than one recipient"):
        decided(made, mira)
    assert nothing_was_written()


def test_the_contract_of_another_address_is_not_meant(made, mira):
    closing_contract("http://127.0.0.1:9")
    with pytest.raises(CannotClose, match="No recipient"):
        decided(made, mira)
    assert nothing_was_written()


def test_a_channel_that_the_desk_asks_by_itself_is_not_heard(made, desk, mira):
    text = library_text("collection-desk")
    in_force(made, text.replace("heard_on: {reply: closing_reply}", "heard_on: {nowhere: closing_reply}"))
    with pytest.raises(CannotClose, match="no channel nowhere"):
        decided(made, mira)
    assert nothing_was_written()


def test_another_scope_is_not_sent_by_this_desk(made, mira, monkeypatch):
    monkeypatch.setenv(f"{CREDENTIAL}_SCOPE", "account two")
    with pytest.raises(CannotSend, match="would send as"):
        decided(made, mira)
    assert nothing_was_written()


def test_while_this_desk_sends_the_original_nothing_closes_it(made, mira):
    authorised(made)
    with pytest.raises(dispatching.UnderWay):
        decided(made, mira)
    assert (models.Closing.objects.count(), models.Operation.objects.count()) == (0, 1)


@pytest.mark.parametrize("executor", ["desk", "agent"])
def test_leave_to_send_the_original_again_ends_with_the_decision_to_close_it(made, mira, executor):
    at, seen = now(), models.Operation.objects.get(id=made)
    taker = Taker(person=mira, revision=seen.revision, once=uuid4(), now=at, proof=proved(mira, at=at))
    given = protected_repeat(made, taker, executor="agent").grant
    assert given is not None
    page = closing_page(look(seen.number, now=at, reads=EVERY_RECIPIENT))
    assert "The agent may still send the original again" in dict(page.follows)
    decided(made, mira, executor=executor, at=at)
    assert (granting.waiting(made, now=at), granting.state_of(given, now=at)) == (None, granting.Unusable.SUPERSEDED)
    intent = Intent(attempt="a2", sends=Sends.ONE, scope=given.scope, begun_at=at)
    with pytest.raises(granting.GrantRefused, match="later decision"):
        begin(made, intent, now=at, by="key", grant=given.id)
    page = closing_page(look(seen.number, now=at, reads=EVERY_RECIPIENT))
    assert "The agent may still send the original again" not in dict(page.follows)


@pytest.mark.parametrize("executor", ["desk", "agent"])
def test_while_one_closing_request_is_open_there_is_no_second(made, mira, executor):
    decided(made, mira, executor=executor)
    with pytest.raises(NotPermitted, match="authorised already"):
        decided(made, mira, executor=executor)
    assert (models.Closing.objects.count(), models.Operation.objects.count()) == (1, 2)


@pytest.mark.parametrize("action", [Action.PROPOSE_NEW, Action.EXCEPT])
def test_the_closing_itself_is_carried_on_by_no_other_operation(made, desk, mira, action):
    desk.control.tell(door="close", reply="lost")
    found = decided(made, mira)
    sent(attempt_of(found))
    if action is Action.PROPOSE_NEW:  # closed without effect, so that the core's own table would permit it
        told(
            found.closing_id,
            channel="reply",
            attempt=found.attempt.attempt,
            status=200,
            body=state("issued", ticket="T-1"),
        )
    seen = models.Operation.objects.get(id=found.closing_id)
    shown = look(seen.number, now=now(), reads=EVERY_RECIPIENT)
    assert permitted(shown.standing)[action] is None
    refusal = shown.verdict[action]
    assert refusal is not None
    assert refusal.sentence == ClosingBar.CLOSES_ANOTHER.sentence
    card = next(one for one in doors(shown) if one.action is action)
    assert (card.state, card.way_out) == ("locked", "the original's own page.")
    with pytest.raises(NotPermitted, match="only closes another"), writing(found.closing_id, now=now()) as pen:
        require(pen, action)


def test_one_that_was_turned_away_may_have_copies_and_is_open(made, desk, mira):
    desk.control.tell(door="close", handling="turn_away", status=409)
    sent(attempt_of(decided(made, mira)))
    with pytest.raises(NotPermitted, match="authorised already"):
        decided(made, mira)
    assert models.Closing.objects.count() == 1


def test_what_was_asked_under_the_same_number_is_asked_again_on_its_own_page(made, mira):
    first = decided(made, mira, executor="agent", at=now() - 2 * AGENT_WITHIN)
    with pytest.raises(CannotClose, match=f"by operation {first.closing.number}"):
        decided(made, mira)
    assert models.Closing.objects.count() == 1


def test_it_is_an_operation_of_its_own_linked_to_the_original(made, mira):
    at = now()
    found = decided(made, mira, at=at)
    row = found.closing
    assert (row.recipient.key, row.method, row.target, row.identity) == (
        CLOSING,
        "POST",
        f"/operations/{KEY}/close",
        KEY,
    )
    assert (row.scope, row.identity_known, row.sealed, row.authorised_by) == ("account one", True, True, "mira")
    link = models.Closing.objects.get()
    assert (link.operation_id, link.closing_id, link.decision_id, link.named_by) == (made, row.id, found.pk, "mira")
    assert not models.Successor.objects.exists()
    kept = models.Dispatch.objects.get()
    assert (kept.operation_id, kept.live, kept.send_by) == (row.id, True, at + DESK_WITHIN)
    assert (found.executor, found.grant, found.attempt.operation_id) == ("desk", None, row.id)


def test_the_decision_says_what_is_sent(made, mira):
    found = decided(made, mira)
    row = found.closing
    assert (found.decision.door, found.decision.action) == ("close_original", "close_original")
    decided_on = {name: value for name, value in found.decision.content.items() if name != "proved"}
    assert decided_on == {
        "executor": "desk",
        "request_number": KEY,
        "request_digest": row.digest,
        "method": "POST",
        "target": f"/operations/{KEY}/close",
        "scope": "account one",
        "takes_back": "refused",
    }


def test_the_original_itself_is_sent_nothing_and_stands_as_it_stood(made, mira):
    before = models.Operation.objects.get(id=made)
    decided(made, mira)
    after = models.Operation.objects.get(id=made)
    assert after.attempts.count() == 1
    assert (after.evidence, after.finality, after.protection) == (before.evidence, before.finality, before.protection)
    assert after.links == before.links + 2  # the decision and the link


def test_nobody_is_called_to_look_after_the_closing_itself(made, desk, mira):
    found = decided(made, mira)
    assert not Case.objects.filter(operation_id=found.closing_id).exists()
    desk.control.tell(door="close", reply="lost")
    sent(attempt_of(found))
    assert not Case.objects.filter(operation_id=found.closing_id).exists()


def test_the_agents_closing_is_a_grant_and_no_attempt(made, mira):
    at = now()
    found = decided(made, mira, executor="agent", at=at)
    assert (found.attempt, found.grant.ends_at, found.grant.operation_id) == (None, at + AGENT_WITHIN, found.closing_id)
    assert models.Dispatch.objects.count() == 0


def test_a_form_that_is_sent_twice_decides_once(made, mira):
    revision, once = models.Operation.objects.get(id=made).revision, uuid4()
    first, again = [decided(made, mira, revision=revision, once=once) for _ in range(2)]
    assert first == again
    assert (models.Closing.objects.count(), models.Decision.objects.count()) == (1, 1)


@pytest.mark.parametrize("change", ["update", "delete"])
@pytest.mark.parametrize("kind", [CloseOriginal, models.Closing])
def test_neither_the_decision_nor_the_link_can_be_changed_or_removed(made, mira, kind, change):
    decided(made, mira)
    name = "executor" if kind is CloseOriginal else "reference"
    with pytest.raises(DatabaseError), transaction.atomic():
        kind.objects.update(**{name: "agent"}) if change == "update" else kind.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_take_one_decision(desk):
    made = lost()
    people = [with_role("mira", Role.OPERATOR), with_role("jonas", Role.OPERATOR)]
    seen, ready = models.Operation.objects.get(id=made).revision, threading.Barrier(2)

    def one(person: User) -> object:
        try:
            ready.wait(WAIT)
            return decided(made, person, executor="agent", revision=seen)
        except StaleView as stale:
            return stale
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(one, people))
    assert sorted(type(one).__name__ for one in found) == ["CloseOriginal", "StaleView"]
    assert (models.Decision.objects.count(), models.Closing.objects.count()) == (1, 1)


@pytest.fixture
def at_once():
    """The worker's work is done where it is asked for."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.mark.django_db(transaction=True)
def test_it_is_sent_once_the_decision_is_on_record_and_nothing_can_be_issued_any_more(desk, at_once):
    desk.control.tell(handling="accept")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR))
    assert models.Operation.objects.get(id=made).situation == Situation.CLOSED
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    assert desk.control.tickets(KEY) == []
