"""What one proposes and another signs: refusals first, then what is decided, by whom, and what is never decided by it."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.record_repair import repair_record
from escalation.decisions.second_signature import SIGN_WITHIN, decline, propose, withdraw
from escalation.decisions.signing import NAMED, NotSignable, digest_of
from escalation.decisions.taking import SecondNeeded
from escalation.models import FourEyesRule, RecordRepair, RoleGrant, SecondSignature, User
from escalation.models.second_signature import State
from escalation.policy import May, Role
from escalation.proof import NotFresh
from operations import models, recording
from operations.core.facts import Sends
from operations.core.missing import Fact
from operations.core.representation import Representation
from tests.contracts.documents import text
from tests.contracts.test_stake import PLACES, STAKE
from tests.escalation.building import T0, Made, contract_of, operation
from tests.escalation.decisions.risks import NOW, taker
from tests.escalation.decisions.two_people import euros, proposed, repairs, rule, signing
from tests.escalation.people import proved, with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def made():
    found = operation()
    found.issued("T-1", now=T0)
    return found


@pytest.fixture
def asha():
    return with_role("asha", Role.REVIEWER)


@pytest.fixture
def ben():
    return with_role("ben", Role.REVIEWER)


@pytest.fixture
def ruled():
    return rule(May.REPAIR_RECORD)


def written() -> tuple[int, int]:
    """How many decisions there are, and how many of our records were repaired."""
    return models.Decision.objects.count(), RecordRepair.objects.count()


def state(row: SecondSignature, *, now=NOW) -> str:
    return str(SecondSignature.objects.with_state(now).get(pk=row.pk).state)


def test_nobody_decides_alone_where_a_rule_asks_for_two(made, asha, ruled):
    with pytest.raises(SecondNeeded, match="takes two people to repair our record"):
        repairs(made)(taker(made, asha))
    assert written() == (0, 0)


def test_a_superuser_is_not_above_the_rule(made, ruled):
    root = User.objects.create_superuser("root")
    with pytest.raises(SecondNeeded):
        repairs(made)(taker(made, root))
    row = proposed(made, root, repairs(made))
    with pytest.raises(NotAllowed, match="You proposed it yourself"):
        repairs(made)(signing(made, root, row))
    assert (written(), state(row)) == ((0, 0), State.WAITING)


def test_who_proposed_signs_on_no_form_and_in_no_tab(made, asha, ruled):
    row = proposed(made, asha, repairs(made))
    for once in (row.once, uuid4()):
        with pytest.raises(NotAllowed, match="another person has to sign it"):
            repairs(made)(replace(signing(made, asha, row), once=once))
    assert written() == (0, 0)


def test_who_may_not_do_it_alone_proposes_and_signs_nothing(made, asha, ruled):
    viewer = with_role("vera", Role.VIEWER)
    with pytest.raises(NotAllowed, match="“reviewer”"):
        proposed(made, viewer, repairs(made))
    row = proposed(made, asha, repairs(made))
    with pytest.raises(NotAllowed, match="“reviewer”"):
        repairs(made)(signing(made, viewer, row))
    with pytest.raises(NotAllowed, match="“reviewer”"):
        decline(row.pk, person=viewer, reason="No.", now=NOW)
    assert (written(), state(row)) == ((0, 0), State.WAITING)


def test_nobody_signs_on_an_old_proof_not_even_at_a_door_that_asks_for_none(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    for proof in (None, proved(ben, at=NOW - timedelta(minutes=16)), proved(asha, at=NOW)):
        with pytest.raises(NotFresh):
            repairs(made)(replace(signing(made, ben, row), proof=proof))
    assert (written(), state(row)) == ((0, 0), State.WAITING)


def test_nothing_is_proposed_that_could_not_be_decided_now(asha, ruled):
    lost = operation()
    lost.timed_out(now=T0 + MINUTE)
    with pytest.raises(recording.NotPermitted):
        proposed(lost, asha, lambda by: repair_record(lost.id, by, receipt=None, remark=""))
    with pytest.raises(StaleView):
        proposed(lost, asha, repairs(lost), by=taker(lost, asha, revision=1))
    assert not SecondSignature.objects.exists()


def test_nobody_signs_once_its_time_ran_out(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    late = NOW + SIGN_WITHIN
    with pytest.raises(NotSignable, match="ran out"):
        repairs(made)(signing(made, ben, row, now=late))
    assert (written(), state(row, now=late)) == ((0, 0), State.LAPSED)


@pytest.mark.parametrize("how", ["declined", "taken back"])
def test_nobody_signs_what_was_declined_or_taken_back(made, asha, ben, ruled, how):
    row = proposed(made, asha, repairs(made))
    if how == "declined":
        decline(row.pk, person=ben, reason="The wrong parcel.", now=NOW)
    else:
        withdraw(row.pk, person=asha, reason="", now=NOW)
    lena = with_role("lena", Role.REVIEWER)
    with pytest.raises(NotSignable, match=how):
        repairs(made)(signing(made, lena, row))
    assert written() == (0, 0)


def test_nobody_signs_another_thing_than_was_proposed(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made, remark="Read it aloud."))
    with pytest.raises(NotSignable, match="not what was proposed"):
        repairs(made, remark="Did not.")(signing(made, ben, row))
    other = operation("order-2", parcel="Elm")
    other.issued("T-2", now=T0)
    with pytest.raises(NotSignable, match="not what was proposed"):
        repairs(other)(signing(other, ben, row))
    assert (written(), state(row)) == ((0, 0), State.WAITING)


def test_nobody_signs_once_what_is_known_is_otherwise(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    receipt = made.row.observations.latest("position").id
    made.recorded("closed", now=NOW)
    with pytest.raises(NotSignable, match=r"contradicts itself changed since\. Propose anew|changed since"):
        repairs(made, receipt=receipt)(signing(made, ben, row, now=NOW + MINUTE))
    assert written() == (0, 0)


def test_nobody_signs_for_somebody_whose_role_was_taken_back(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    RoleGrant.objects.filter(person=asha).update(ended_at=NOW, ended_by=ben)
    with pytest.raises(NotSignable, match="asha may not do this any more"):
        repairs(made)(signing(made, ben, row))
    assert written() == (0, 0)


def test_who_signs_saw_the_operation_as_it_is(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    before = signing(made, ben, row)
    made.learns("reply", now=NOW, attempt="a1", status=503, body={})
    with pytest.raises(StaleView):
        repairs(made, receipt=made.row.observations.earliest("position").id)(before)
    assert written() == (0, 0)


def test_a_number_that_is_none_is_signed_and_ended_by_nobody(made, asha, ruled):
    for act in (
        lambda: repairs(made)(replace(taker(made, asha), signs=4711)),
        lambda: decline(4711, person=asha, reason="No.", now=NOW),
        lambda: withdraw(4711, person=asha, reason="", now=NOW),
    ):
        with pytest.raises(NotSignable, match="Nothing of this number"):
            act()


def test_who_proposed_takes_back_and_others_decline(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    with pytest.raises(NotAllowed, match="You may take it back"):
        decline(row.pk, person=asha, reason="No.", now=NOW)
    with pytest.raises(NotAllowed, match="Only who proposed it"):
        withdraw(row.pk, person=ben, reason="", now=NOW)
    assert state(row) == State.WAITING


def test_what_ended_one_way_does_not_end_another(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    decline(row.pk, person=ben, reason="The wrong parcel.", now=NOW)
    with pytest.raises(NotSignable, match="ben has declined it"):
        withdraw(row.pk, person=asha, reason="", now=NOW)
    assert decline(row.pk, person=ben, reason="Again.", now=NOW + MINUTE).reason == "The wrong parcel."


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("another_person_signs_or_declines", {"ended_as": "declined", "reason": "No.", "ended_by": "asha"}),
        ("who_proposed_takes_it_back", {"ended_as": "withdrawn", "ended_by": "ben"}),
        ("what_is_signed_in_time_is_decided", {"ended_as": "signed", "ended_by": "ben"}),
        ("who_declines_says_why", {"ended_as": "declined", "ended_by": "ben"}),
        ("a_second_signature_is_ended_by_somebody", {"ended_as": "torn", "ended_by": "ben"}),
        ("a_second_signature_is_ended_by_somebody", {"reason": "No."}),
    ],
)
def test_the_database_refuses_what_no_signature_can_be(made, asha, ben, ruled, name, values):
    row = proposed(made, asha, repairs(made))
    who = {"asha": asha, "ben": ben}
    named = {key: who[value] if key == "ended_by" else value for key, value in values.items()}
    at = {"ended_at": NOW} if "ended_by" in values else {}
    with pytest.raises(DatabaseError, match=name), transaction.atomic():
        SecondSignature.objects.filter(pk=row.pk).update(**named, **at)


def test_the_database_refuses_the_second_signature_of_who_proposed(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    repairs(made)(signing(made, ben, row))
    decision = models.Decision.objects.get()
    fields = {
        name: getattr(row, name) for name in ("operation", "door", "may", "action", "typed", "content", "standing")
    }
    with pytest.raises(DatabaseError, match="another_person_signs_or_declines"), transaction.atomic():
        SecondSignature.objects.create(
            **fields,
            once=uuid4(),
            revision=1,
            position=1,
            proposed_at=T0,
            proposed_by=asha,
            lapses_at=NOW,
            ended_as="signed",
            ended_at=T0,
            ended_by=asha,
            signature=decision,
        )


@pytest.mark.parametrize("change", [{"content": {}}, {"typed": {}}, {"standing": {}}, {"lapses_at": NOW}])
def test_what_was_proposed_is_never_changed_or_removed(made, asha, ruled, change):
    proposed(made, asha, repairs(made))
    with pytest.raises(DatabaseError), transaction.atomic():
        SecondSignature.objects.update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        SecondSignature.objects.all().delete()


@pytest.mark.owner
def test_what_ended_stands_even_for_the_owner_of_the_tables(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    decline(row.pk, person=ben, reason="No.", now=NOW)
    with pytest.raises(DatabaseError, match="Cannot update rows"), transaction.atomic():
        SecondSignature.objects.update(ended_as="", ended_at=None, ended_by=None, reason="")


def test_proposing_decides_nothing_and_moves_nothing(made, asha, ruled):
    before = (made.row.revision, made.row.links, bytes(made.row.head))
    row = proposed(made, asha, repairs(made))
    assert (made.row.revision, made.row.links, bytes(made.row.head)) == before
    assert written() == (0, 0)
    assert not models.Completion.objects.exists()
    assert row.content == {"receipt": str(made.row.observations.get().id), "remark": ""}
    assert (row.door, row.may, row.action) == ("repair_record", "repair_record", "record")


def test_the_same_form_sent_twice_proposes_once(made, asha, ruled):
    form = taker(made, asha)
    assert proposed(made, asha, repairs(made), by=form) == proposed(made, asha, repairs(made), by=form)
    assert SecondSignature.objects.count() == 1
    with pytest.raises(StaleView):
        proposed(made, asha, repairs(made), by=replace(form, person=with_role("lena", Role.REVIEWER)))


def test_a_second_person_decides_and_both_names_are_in_the_decision(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made, remark="Read it aloud."))
    repairs(made, remark="Read it aloud.")(signing(made, ben, row))
    decision = models.Decision.objects.get()
    assert decision.decided_by == "ben"
    assert decision.content[NAMED] == {
        "number": row.pk,
        "proposed_by": "asha",
        "proposed_at": NOW.isoformat(),
        "digest": digest_of(row),
    }
    assert RecordRepair.objects.get().decided_by == ben
    row.refresh_from_db()
    assert (row.ended_as, row.ended_by, row.signature) == (State.SIGNED, ben, decision)


def test_the_same_signature_sent_twice_decides_once(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    form = signing(made, ben, row)
    assert repairs(made)(form) == repairs(made)(form)
    assert written() == (1, 1)


def test_what_settles_nothing_leaves_it_to_be_signed(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    receipt = made.row.observations.get().id
    made.timed_out(now=NOW)
    repairs(made, receipt=receipt)(signing(made, ben, row, now=NOW + MINUTE))
    assert written() == (1, 1)


def test_a_rule_set_meanwhile_stops_one_who_looked_before(made, asha):
    form = taker(made, asha)
    rule(May.REPAIR_RECORD)
    with pytest.raises(SecondNeeded):
        repairs(made)(form)
    assert written() == (0, 0)


def test_once_the_rule_is_ended_one_is_enough_and_two_still_may(made, asha, ben, ruled):
    row = proposed(made, asha, repairs(made))
    FourEyesRule.objects.filter(pk=ruled.pk).update(ended_at=NOW, ended_by=ruled.set_by)
    repairs(made)(signing(made, ben, row))
    other = operation("order-2", parcel="Elm")
    other.issued("T-2", now=T0)
    repairs(other)(taker(other, asha))
    assert written() == (2, 2)


def test_a_rule_from_an_amount_holds_where_no_amount_is_known(made, asha):
    rule(May.REPAIR_RECORD, least=euros("1000000"))
    with pytest.raises(SecondNeeded, match="from EUR 1,000,000 on"):
        repairs(made)(taker(made, asha))


def test_a_door_that_is_not_rehearsed_is_a_fault(made, asha):
    with pytest.raises(AssertionError):
        propose(made.id, taker(made, asha), typed={}, decide=lambda _: None)


def priced(amount: str, *, unit: str = "EUR"):
    """An operation whose contract says which of its arguments name an amount; nobody knows what became of it."""
    stated = contract_of(text({**PLACES, "/effect/stake": STAKE}), key="post-office", name="Post office")
    sent = Representation(
        method="POST",
        target="/letters/anna",
        headers=(("content-type", "application/json"), ("idempotency-key", "order-1")),
        body=f'{{"text": "x", "sum": "{amount}", "unit": "{unit}"}}'.encode(),
        arguments=None,
        scope="account",
        identity="order-1",
    )
    origin = recording.Origin(agent="a", run="r", call="c", tool="t")
    binding = recording.Binding(
        contract=stated, representation=sent, identity_known=True, effect="A letter", origin=origin, authorised_by="Ada"
    )
    intent = recording.Intent(attempt="a1", sends=Sends.ONE, scope="account", begun_at=T0)
    return Made(recording.register(binding, intent=intent, now=T0, by="key:transport").operation_id, "order-1", "")


def leaves(made):
    at = NOW + timedelta(days=1)
    return lambda by: leave_unresolved(
        made.id, by, fact=Fact.WHETHER_IT_HAPPENED, told="Ada", look_again_at=at, remark=""
    )


@pytest.mark.parametrize(("amount", "unit"), [("100", "EUR"), ("100.01", "EUR"), ("1", "USD"), ("much", "EUR")])
def test_a_rule_from_an_amount_holds_from_there_and_where_it_can_not_be_compared(asha, amount, unit):
    rule(May.LEAVE_UNRESOLVED, least=euros("100"))
    made = priced(amount, unit=unit)
    with pytest.raises(SecondNeeded):
        leaves(made)(taker(made, asha))
    assert not models.Decision.objects.exists()


def test_below_a_rules_amount_one_is_enough(asha):
    rule(May.LEAVE_UNRESOLVED, least=euros("100"))
    made = priced("99.99")
    leaves(made)(taker(made, asha))
    assert models.Decision.objects.get().decided_by == "asha"


def test_what_is_at_stake_stands_with_what_was_proposed(asha):
    rule(May.LEAVE_UNRESOLVED, least=euros("100"))
    made = priced("1250.50")
    assert str(proposed(made, asha, leaves(made)).money) == "EUR 1,250.50"
