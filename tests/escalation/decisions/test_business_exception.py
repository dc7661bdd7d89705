"""Accepting a risk: refusals first, then what is proposed, accepted, and used."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, transaction

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.approve_exception import ChangedSinceProposed, NotWaiting, approve, decline
from escalation.decisions.business_exception import AcceptedAlready, NotLater, NotUsable, propose, usable, use
from escalation.models import BusinessException, User
from escalation.models.business_exception import Excuses, Loss
from escalation.models.money import Money
from escalation.policy import Role
from operations import models, recording
from operations.core.actions import Action
from operations.core.facts import Sends
from operations.recording.registering import attempt_row
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.decisions.risks import DAY, NOW, accepted, limit, owner, proposed, risk, taker
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def lost():
    """An operation whose reply was lost."""
    made = operation()
    made.timed_out(now=T0 + MINUTE)
    return made


@pytest.fixture
def mira():
    """Somebody who may propose to accept a risk."""
    return with_role("mira", Role.REVIEWER)


@pytest.fixture
def ida():
    """Somebody who may accept risks up to EUR 1,000."""
    return owner()


def known_of(made: Made) -> tuple[object, ...]:
    row = made.row
    return (row.evidence, row.finality, row.protection, row.protection_until, row.conflict, row.situation, row.missing)


def test_somebody_who_may_only_read_proposes_nothing(lost):
    with pytest.raises(NotAllowed, match="propose to accept a risk"):
        proposed(lost, User.objects.create_user("reader"))
    assert not BusinessException.objects.exists()
    assert not models.Decision.objects.exists()


def test_what_changed_since_it_was_seen_is_not_proposed_on(lost, mira):
    seen = lost.row.revision
    lost.failed(now=T0 + 2 * MINUTE)
    with pytest.raises(StaleView):
        propose(lost.id, taker(lost, mira, revision=seen), risk=risk())
    assert not BusinessException.objects.exists()


@pytest.mark.parametrize("settled", ["issued", "closed"])
def test_what_is_established_is_no_risk_to_accept(mira, settled):
    made = operation()
    made.issued("T-1", now=T0 + MINUTE) if settled == "issued" else made.recorded("closed", now=T0 + MINUTE)
    with pytest.raises(recording.NotPermitted):
        proposed(made, mira)
    assert not models.Decision.objects.exists()


@pytest.mark.parametrize(("name", "said"), [("review_at", "review"), ("expires_at", "used")])
def test_a_review_or_an_end_that_has_passed_is_refused(lost, mira, name, said):
    with pytest.raises(NotLater, match=said):
        proposed(lost, mira, **{name: NOW})
    assert not models.Decision.objects.exists()


def test_nobody_accepts_what_they_proposed_themselves(lost):
    both = with_role("both", Role.REVIEWER, Role.RISK_OWNER)
    limit(both)
    row = proposed(lost, both)
    with pytest.raises(NotAllowed, match="another person has to accept it"):
        approve(row.pk, taker(lost, both), remark="")
    assert BusinessException.objects.get().approved_by is None


def test_the_database_refuses_that_too(lost, mira, ida):
    row = proposed(lost, mira)
    judged = proposed(operation("order-2"), mira).decision
    values = {"approved_at": NOW, "approved_by": mira, "judgement": judged}
    with pytest.raises(DatabaseError, match="another_person_accepts_a_risk"), transaction.atomic():
        BusinessException.objects.filter(pk=row.pk).update(**values)
    assert BusinessException.objects.filter(pk=row.pk).update(**{**values, "approved_by": ida}) == 1


def test_somebody_who_may_propose_may_not_accept(lost, mira):
    row = proposed(lost, mira)
    with pytest.raises(NotAllowed, match="“risk owner”"):
        approve(row.pk, taker(lost, with_role("lena", Role.REVIEWER)), remark="")
    assert BusinessException.objects.get().approved_by is None


def test_a_risk_above_the_limit_waits_for_somebody_whose_limit_reaches(lost, mira):
    row = proposed(lost, mira, exposure=Money(Decimal("1000.01"), "EUR"))
    small, large = owner("small", "1000"), owner("large", "5000")
    with pytest.raises(NotAllowed, match=r"EUR 1,000\.01 is above your limit here, EUR 1,000\. It takes .*: large\."):
        approve(row.pk, taker(lost, small), remark="")
    assert approve(row.pk, taker(lost, large), remark="").approved_by == large


@pytest.mark.parametrize("evidence", ["failed", "issued", "closed"])
def test_what_the_approver_did_not_see_is_not_accepted(lost, mira, ida, evidence):
    row, seen = proposed(lost, mira), lost.row.revision
    learns(lost, evidence)
    with pytest.raises(StaleView):
        approve(row.pk, taker(lost, ida, revision=seen), remark="")
    assert BusinessException.objects.get().approved_by is None


def learns(made: Made, evidence: str) -> None:
    at = T0 + 30 * MINUTE
    if evidence == "failed":
        made.failed(now=at)
    elif evidence == "issued":
        made.issued("T-1", now=at)
    else:
        made.recorded(evidence, now=at)


def test_what_changed_since_it_was_proposed_is_proposed_anew(lost, mira, ida):
    row = proposed(lost, mira)
    lost.recorded("pending", now=NOW + MINUTE)
    assert lost.row.evidence == "pending"
    with pytest.raises(ChangedSinceProposed, match="changed since it was proposed; propose anew"):
        approve(row.pk, taker(lost, ida, now=NOW + 2 * MINUTE), remark="")
    assert BusinessException.objects.get().approved_by is None
    assert models.Decision.objects.count() == 1


def test_a_window_that_ran_out_is_a_change_though_no_revision_tells_it(lost, mira, ida):
    row = proposed(lost, mira, expires_at=NOW + 40 * DAY)
    assert lost.row.protection == "active"
    with pytest.raises(ChangedSinceProposed):
        approve(row.pk, taker(lost, ida, now=NOW + 2 * DAY), remark="")


def test_an_answer_that_settles_nothing_does_not_stand_in_the_way(lost, mira, ida):
    row = proposed(lost, mira)
    lost.failed(now=NOW + MINUTE)
    assert approve(row.pk, taker(lost, ida, now=NOW + 2 * MINUTE), remark="").approved_by == ida


def test_what_was_established_meanwhile_is_not_accepted(lost, mira, ida):
    row = proposed(lost, mira)
    lost.issued("T-1", now=NOW + MINUTE)
    with pytest.raises(recording.NotPermitted):
        approve(row.pk, taker(lost, ida, now=NOW + 2 * MINUTE), remark="")


def test_a_proposal_that_expired_is_not_accepted(lost, mira, ida):
    row = proposed(lost, mira)
    with pytest.raises(NotWaiting, match="expired, never approved"):
        approve(row.pk, taker(lost, ida, now=NOW + 4 * HOUR), remark="")


def test_a_newer_proposal_takes_the_place_of_one_that_waits(lost, mira, ida):
    old, new = proposed(lost, mira), proposed(lost, mira, bearer="Cost centre 9")
    with pytest.raises(NotWaiting, match="replaced by a newer proposal"):
        approve(old.pk, taker(lost, ida), remark="")
    assert approve(new.pk, taker(lost, ida), remark="").bearer == "Cost centre 9"


def test_what_was_declined_is_not_accepted_any_more(lost, mira, ida):
    row = proposed(lost, mira)
    decline(row.pk, taker(lost, ida), remark="Ask the desk first.")
    with pytest.raises(NotWaiting, match="declined"):
        approve(row.pk, taker(lost, ida), remark="")
    assert usable(lost.id, NOW) is None


def test_no_second_risk_is_proposed_while_one_may_be_used(lost, mira, ida):
    accepted(lost, mira, ida)
    with pytest.raises(AcceptedAlready):
        proposed(lost, mira)


def test_the_same_form_proposes_once(lost, mira):
    form = taker(lost, mira)
    assert propose(lost.id, form, risk=risk()) == propose(lost.id, form, risk=risk())
    assert BusinessException.objects.count() == models.Decision.objects.count() == 1


def test_a_proposal_keeps_the_histories_in_words_and_what_it_stood_on(lost, mira):
    row = proposed(lost, mira)
    sentences = [one["sentence"] for one in row.histories]
    assert "It happened, and only the answer was lost." in sentences
    assert "What was sent is still under way: no effect yet, and it may still act." in sentences
    assert row.decision.standing["evidence"] == "unknown"
    assert (row.decision.door, row.decision.action) == ("business_exception", "except")
    assert row.decision.content["exposure_amount"] == "250"


def test_accepting_changes_no_fact(lost, mira, ida):
    before, links = known_of(lost), lost.row.links
    row = accepted(lost, mira, ida)
    assert known_of(lost) == before
    assert lost.row.links == links + 2
    link = models.Decision.objects.get(door="approve_exception")
    assert (row.judgement, link.content["exception"]) == (link, row.pk)


def test_a_refusal_is_kept_with_its_reason_though_nothing_is_permitted_any_more(lost, mira, ida):
    row = proposed(lost, mira)
    lost.issued("T-1", now=NOW + MINUTE)
    declined = decline(row.pk, taker(lost, ida, now=NOW + 2 * MINUTE), remark="It happened.")
    link = models.Decision.objects.get(door="decline_exception")
    assert (declined.declined_by, declined.remark, declined.judgement) == (ida, "It happened.", link)


def test_a_form_of_acceptance_that_is_sent_twice_accepts_once(lost, mira, ida):
    row = proposed(lost, mira)
    form = taker(lost, ida)
    assert approve(row.pk, form, remark="") == approve(row.pk, form, remark="")
    assert models.Decision.objects.count() == 2


def test_stopping_is_done_by_the_acceptance_and_excuses_no_second_operation(lost, mira, ida):
    row = accepted(lost, mira, ida, excuses=Excuses.STOPPING, loss=Loss.MISSING)
    assert (row.used_at, row.used_by, row.successor) == (NOW, ida, None)
    assert usable(lost.id, NOW) is None


def test_what_waits_is_not_usable(lost, mira):
    proposed(lost, mira)
    assert usable(lost.id, NOW) is None


def test_what_was_accepted_is_usable_until_it_expires(lost, mira, ida):
    row = accepted(lost, mira, ida)
    assert usable(lost.id, NOW) == row
    assert usable(lost.id, row.expires_at - timedelta(microseconds=1)) == row
    assert usable(lost.id, row.expires_at) is None


@pytest.mark.parametrize("evidence", ["issued", "closed"])
def test_what_is_established_since_leaves_nothing_to_excuse(lost, mira, ida, evidence):
    accepted(lost, mira, ida)
    learns(lost, evidence)
    assert usable(lost.id, NOW + MINUTE) is None


def test_a_history_that_nobody_named_is_not_excused(mira, ida):
    made = operation()
    made.recorded("pending", now=T0 + MINUTE)
    row = accepted(made, mira, ida)
    made.learns("wire", now=NOW + MINUTE, attempt="a1", fact="timeout")
    assert usable(made.id, NOW + 2 * MINUTE) == row
    again = recording.Intent(attempt="a2", sends=Sends.ONE, scope="desk-west", begun_at=NOW + 3 * MINUTE)
    with recording.writing(made.id, now=NOW + 3 * MINUTE) as pen:
        pen.append(attempt_row(pen.operation, again, number=2, now=pen.now, by="key:transport"))
        pen.finish()
    assert usable(made.id, NOW + 4 * MINUTE) is None


def used(made: Made, row: BusinessException, by: User, *, now: Any = NOW) -> BusinessException:
    successor = operation(f"order-{uuid4()}", parcel="Birch")
    with recording.writing(made.id, now=now) as pen:
        return use(pen, row, successor=successor.id, by=by)


def test_an_exception_is_used_once(lost, mira, ida):
    row = accepted(lost, mira, ida)
    assert used(lost, row, mira).used_by == mira
    assert usable(lost.id, NOW) is None
    with pytest.raises(NotUsable, match="taken"):
        used(lost, row, mira)


def test_an_expired_exception_is_not_used(lost, mira, ida):
    row = accepted(lost, mira, ida)
    with pytest.raises(NotUsable, match="expired, never used"):
        used(lost, row, mira, now=row.expires_at)


def test_an_exception_of_another_operation_is_not_used(lost, mira, ida):
    other = operation("order-3003", parcel="Ash")
    row = accepted(lost, mira, ida)
    with pytest.raises(NotUsable, match="something else"):
        used(other, row, mira)


def test_a_stop_is_not_used_for_a_second_operation(lost, mira, ida):
    row = accepted(lost, mira, ida, excuses=Excuses.STOPPING, loss=Loss.HAPPENED)
    with pytest.raises(NotUsable, match="something else"):
        used(lost, row, mira)


def copied(row: BusinessException, **other: object) -> dict[str, object]:
    """The columns of a row, for another operation."""
    fresh = operation(f"order-{uuid4()}", parcel="Elm")
    with recording.writing(fresh.id, now=NOW) as pen:
        link = recording.refrain(pen, Action.EXCEPT, door="x", once=uuid4(), revision=1, content={}, by="mira")
        pen.finish()
    values = {field.attname: getattr(row, field.attname) for field in BusinessException._meta.concrete_fields}
    del values["id"]
    return {**values, "operation_id": fresh.id, "decision_id": link.id, **other}


REFUSED: dict[str, list[dict[str, object]]] = {
    "somebody_bears_a_risk_for_a_reason": [{"reason": ""}, {"bearer": ""}],
    "an_exposure_is_an_amount_or_words": [
        {"exposure_words": "as well"},
        {"exposure_amount": None},
        {"exposure_amount": None, "exposure_currency": ""},
        {"exposure_amount": 0},
        {"exposure_currency": "eur"},
    ],
    "a_second_operation_risks_a_second_effect": [{"loss": "missing"}, {"excuses": "anything"}],
    "an_exception_ends_and_is_reviewed_later": [{"review_at": NOW}, {"expires_at": NOW}],
    "an_exception_is_approved_or_declined": [{"approved_at": NOW}, {"declined_at": NOW}],
    "an_exception_is_used_once_approved_and_in_time": [{"used_by_id": 1}, {"successor_id": UUID(int=7)}],
    "an_exception_is_used_for_what_it_excuses": [{"used_at": NOW}],
}


@pytest.mark.parametrize(
    ("name", "values"), [(name, values) for name, many in REFUSED.items() for values in many], ids=str
)
def test_the_database_refuses_what_no_risk_can_be(lost, mira, name, values):
    row = proposed(lost, mira)
    with pytest.raises(DatabaseError, match=name), transaction.atomic():
        BusinessException.objects.create(**copied(row, **values))


def test_the_database_takes_the_same_row_without_a_fault(lost, mira):
    assert BusinessException.objects.create(**copied(proposed(lost, mira))).pk


def test_the_database_refuses_a_stop_that_was_accepted_and_not_done(lost, mira, ida):
    row = accepted(lost, mira, ida, excuses=Excuses.STOPPING, loss=Loss.TWICE)
    values = copied(row, used_at=None, used_by_id=None, judgement_id=proposed(operation("order-9"), mira).decision_id)
    with pytest.raises(DatabaseError, match="an_exception_is_used_for_what_it_excuses"), transaction.atomic():
        BusinessException.objects.create(**values)


@pytest.mark.parametrize("change", ["reason", "exposure_amount", "histories", "expires_at", "proposed_by_id", "delete"])
def test_what_was_proposed_can_not_be_changed_or_removed(lost, mira, change):
    proposed(lost, mira)
    rows = BusinessException.objects.all()
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.delete() if change == "delete" else rows.update(**{change: None})


@pytest.mark.owner
@pytest.mark.parametrize("change", [{"remark": "other"}, {"approved_by": 0}, {"declined_at": NOW}])
def test_a_judgement_stands_even_for_the_owner_of_the_tables(lost, mira, ida, change):
    accepted(lost, mira, ida)
    with pytest.raises(DatabaseError, match="Cannot update rows"), transaction.atomic():
        BusinessException.objects.update(**change)


@pytest.mark.owner
def test_a_use_stands_even_for_the_owner_of_the_tables(lost, mira, ida):
    used(lost, accepted(lost, mira, ida), mira)
    with pytest.raises(DatabaseError, match="Cannot update rows"), transaction.atomic():
        BusinessException.objects.update(used_at=None, used_by=None, successor=None)
