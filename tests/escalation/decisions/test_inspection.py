"""What a person took down: one observation under named people, by two where the contract asks for two."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from escalation.decisions.inspection import AlreadyDecided, NoSuchInspection, Taken, confirm, reject, take_down
from escalation.decisions.refused import NotAllowed
from escalation.models import Inspection, User
from escalation.policy import Role
from escalation.proof import NotFresh
from operations import inspecting, models
from operations.contracts.loading import library_text
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import proved, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
READ = {"/body/state": "issued", "/body/ticket": "T-1", "/body/key": "order-1001"}
READ |= {"/body/place": "East", "/body/parcel": "Cedar"}
ALONE = library_text("collection-desk").replace("second_person: true", "second_person: false")
PICTURED = ALONE.replace("second_person: false", "second_person: false\n      attachment: required")
PICTURE = inspecting.Attachment(content=b"<script>", name="page.html", type="text/html")


@pytest.fixture
def mira():
    return with_role("mira", Role.REVIEWER)


@pytest.fixture
def omar():
    return with_role("omar", Role.REVIEWER)


def taken(**other) -> Taken:
    given = {"channel": "counter", "typed": READ, "said": [("State", "issued")], "read_at": NOW - timedelta(minutes=1)}
    return Taken(**{**given, "notes": "", "once": uuid4(), **other})


def test_somebody_who_may_only_read_takes_nothing_down():
    made = operation()
    with pytest.raises(NotAllowed, match="may read, but not record"):
        take_down(made.id, taken(), person=User.objects.create_user("reader"), now=NOW)
    with pytest.raises(NotAllowed):
        take_down(made.id, taken(), person=with_role("risk", Role.RISK_OWNER), now=NOW)
    assert (Inspection.objects.count(), models.Observation.objects.count()) == (0, 0)


@pytest.mark.parametrize("channel", ["record", "events", "nowhere"])
def test_nothing_is_taken_down_through_a_channel_that_no_person_reads(mira, channel):
    made = operation()
    with pytest.raises(inspecting.CannotInspect, match="no channel"):
        take_down(made.id, taken(channel=channel), person=mira, now=NOW)
    assert (Inspection.objects.count(), models.Observation.objects.count()) == (0, 0)


def test_what_waits_for_a_second_person_counts_for_nothing(mira):
    made = operation()
    row = take_down(made.id, taken(), person=mira, now=NOW)
    assert (row.needs_second, row.observation_id, models.Observation.objects.count()) == (True, None, 0)
    assert made.row.evidence == "unknown"


def test_who_took_it_down_does_not_confirm_it_in_the_program_nor_in_the_database(mira):
    row = take_down(operation().id, taken(), person=mira, now=NOW)
    with pytest.raises(NotAllowed, match="You took it down yourself"):
        confirm(row.id, person=mira, now=NOW, proof=proved(mira, at=NOW))
    other = operation("order-2").issued("T-2", now=NOW).observation_id
    for change in (
        {"confirmed_by": mira, "confirmed_at": NOW, "observation_id": other, "proved": {"by": "link"}},
        {"observation_id": other},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Inspection.objects.filter(id=row.id).update(**change)
    row.refresh_from_db()
    assert (row.confirmed_by, row.observation_id) == (None, None)


def test_who_may_not_inspect_does_not_confirm(mira):
    row = take_down(operation().id, taken(), person=mira, now=NOW)
    reader = User.objects.create_user("reader")
    with pytest.raises(NotAllowed):
        confirm(row.id, person=reader, now=NOW, proof=proved(reader, at=NOW))
    with pytest.raises(NoSuchInspection):
        confirm(uuid4(), person=mira, now=NOW, proof=proved(mira, at=NOW))
    assert models.Observation.objects.count() == 0


def test_nobody_confirms_on_an_old_proof_or_on_somebody_elses(mira, omar):
    made = operation()
    row = take_down(made.id, taken(), person=mira, now=NOW)
    for proof in (None, proved(omar, at=NOW - timedelta(minutes=16)), proved(mira, at=NOW)):
        with pytest.raises(NotFresh):
            confirm(row.id, person=omar, now=NOW, proof=proof)
    assert (models.Observation.objects.count(), made.row.evidence) == (0, "unknown")
    assert Inspection.objects.get().confirmed_by is None


def test_a_second_person_makes_it_an_observation_under_both_names_dated_when_it_was_read(mira, omar):
    made = operation()
    row = take_down(made.id, taken(), person=mira, now=NOW)
    confirm(row.id, person=omar, now=NOW + HOUR, proof=proved(omar, at=NOW + HOUR))
    observation = models.Observation.objects.get()
    assert observation.source == "inspected by mira, confirmed by omar"
    assert observation.received_at == NOW - timedelta(minutes=1)
    assert observation.recorded_at == NOW + HOUR
    assert (made.row.evidence, made.row.finality) == ("applied", "settled")
    row.refresh_from_db()
    assert (row.observation_id, row.confirmed_by, row.confirmed_at) == (observation.id, omar, NOW + HOUR)


def test_how_the_second_person_proved_who_they_are_is_kept_in_the_row_and_in_the_chain(mira, omar):
    row = take_down(operation().id, taken(), person=mira, now=NOW)
    confirm(row.id, person=omar, now=NOW, proof=proved(omar, at=NOW - timedelta(minutes=4)))
    row.refresh_from_db()
    assert row.proved == {"by": "sign-in link", "at": (NOW - timedelta(minutes=4)).isoformat()}
    said = f"{row.proved['by']}, {row.proved['at']}"
    assert ["confirmed-after-proof", said] in [list(one) for one in models.Observation.objects.get().headers]


def test_the_database_takes_no_confirmation_without_a_proof_and_no_proof_without_one(mira, omar):
    row = take_down(operation().id, taken(), person=mira, now=NOW)
    other = operation("order-2").issued("T-2", now=NOW).observation_id
    confirmed = {"confirmed_by": omar, "confirmed_at": NOW, "observation_id": other}
    for change in (confirmed, {"proved": {"by": "link", "at": NOW.isoformat()}}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Inspection.objects.filter(id=row.id).update(**change)


def test_it_is_decided_once(mira, omar):
    first = take_down(operation().id, taken(), person=mira, now=NOW)
    confirm(first.id, person=omar, now=NOW, proof=proved(omar, at=NOW))
    second = take_down(operation("order-2").id, taken(), person=mira, now=NOW)
    reject(second.id, person=omar, because="The page says closed.", now=NOW)
    for row in (first, second):
        with pytest.raises(AlreadyDecided):
            confirm(row.id, person=omar, now=NOW, proof=proved(omar, at=NOW))
        with pytest.raises(AlreadyDecided):
            reject(row.id, person=mira, because="x", now=NOW)
    assert models.Observation.objects.count() == 1


def test_what_is_put_aside_stays_on_record_and_counts_for_nothing(mira):
    made = operation()
    row = take_down(made.id, taken(), person=mira, now=NOW)
    reject(row.id, person=mira, because="Mistyped.", now=NOW)
    row.refresh_from_db()
    assert (row.rejected_by, row.rejection, made.row.evidence) == (mira, "Mistyped.", "unknown")


def test_where_one_person_is_enough_it_is_an_observation_at_once(mira):
    made = operation(contract=contract_of(ALONE))
    row = take_down(made.id, taken(), person=mira, now=NOW)
    observation = models.Observation.objects.get()
    assert (row.observation_id, observation.source) == (observation.id, "inspected by mira")
    assert made.row.evidence == "applied"


def test_an_echo_that_differs_settles_nothing(mira):
    made = operation(contract=contract_of(ALONE))
    take_down(made.id, taken(typed={**READ, "/body/key": "order-1002"}), person=mira, now=NOW)
    reading = models.Reading.objects.get()
    assert (reading.correlation, reading.counts, made.row.evidence) == ("mismatch", False, "unknown")


def test_notes_are_kept_as_words_and_settle_nothing(mira):
    made = operation(contract=contract_of(ALONE))
    typed = {"/body/state": "lost"}
    take_down(made.id, taken(typed=typed, notes="It is surely issued: T-1."), person=mira, now=NOW)
    words = models.Observation.objects.exclude(words="").get()
    assert (words.channel, words.source) == ("agent-reported", "mira, at an inspection")
    typed_only = models.Observation.objects.get(words="")
    assert b"surely" not in bytes(typed_only.payload or b"")
    assert made.row.evidence == "unknown"


def test_the_same_form_is_taken_down_once_and_by_its_own_person(mira, omar):
    made = operation(contract=contract_of(ALONE))
    form = taken(notes="seen")
    first, again = (take_down(made.id, form, person=mira, now=NOW) for _ in range(2))
    assert first.id == again.id
    with pytest.raises(NotAllowed, match="somebody else"):
        take_down(made.id, form, person=omar, now=NOW)
    assert (Inspection.objects.count(), models.Observation.objects.count()) == (1, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"said": [("State", "lost")]},
        {"read_at": NOW},
        {"notes": "read again"},
        {"attachment": PICTURE},
        {"channel": "record"},
    ],
)
def test_a_form_that_was_changed_after_it_was_taken_down_is_not_taken_for_the_same(mira, change):
    """Whoever goes back, corrects a word and sends it again is not told that the correction is on record."""
    made = operation(contract=contract_of(ALONE))
    form = taken()
    take_down(made.id, form, person=mira, now=NOW)
    with pytest.raises(NotAllowed, match="with something else in it"):
        take_down(made.id, replace(form, **change), person=mira, now=NOW)
    assert (Inspection.objects.count(), models.Observation.objects.count()) == (1, 1)


def test_an_attachment_is_kept_with_its_digest_and_its_digest_with_the_observation(mira):
    made = operation(contract=contract_of(ALONE))
    row = take_down(made.id, taken(attachment=PICTURE), person=mira, now=NOW)
    row.refresh_from_db()
    assert bytes(row.attachment or b"") == PICTURE.content
    assert models.Observation.objects.get().headers == [["attachment-sha256", row.attachment_digest]]


def test_what_the_contract_wants_attached_has_to_be(mira):
    made = operation(contract=contract_of(PICTURED))
    with pytest.raises(inspecting.CannotInspect, match="picture or file"):
        take_down(made.id, taken(), person=mira, now=NOW)
    assert Inspection.objects.count() == 0
    take_down(made.id, taken(attachment=PICTURE), person=mira, now=NOW)
    assert Inspection.objects.count() == 1


def test_what_contradicts_a_settled_operation_is_taken_down_too_and_reopens_it(mira):
    made = operation(contract=contract_of(ALONE))
    made.issued("T-1", now=NOW)
    take_down(made.id, taken(typed={"/body/state": "closed", "/body/key": "order-1001"}), person=mira, now=NOW + HOUR)
    assert made.row.conflict == "applied_and_closed"


def test_two_long_names_fit_the_source(omar):
    long = with_role("m" * 150, Role.REVIEWER)
    row = take_down(operation().id, taken(), person=long, now=NOW)
    confirm(row.id, person=omar, now=NOW, proof=proved(omar, at=NOW))
    assert models.Observation.objects.get().source.endswith("…, confirmed by omar")


def test_what_was_taken_down_can_not_be_changed_or_removed(mira, omar):
    row = take_down(operation().id, taken(), person=mira, now=NOW)
    mine = Inspection.objects.filter(id=row.id)
    changes = [lambda: mine.update(payload=b"{}"), lambda: mine.update(recorded_by=omar), mine.delete]
    for change in changes:
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    confirm(row.id, person=omar, now=NOW, proof=proved(omar, at=NOW))
    with pytest.raises(DatabaseError), transaction.atomic():
        mine.update(confirmed_by=None, confirmed_at=None, observation=None)
