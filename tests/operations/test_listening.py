"""What recipients tell by themselves: proven, stored first, judged then; orphans wait for their operation."""

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, transaction

from operations import listening, models, reading, recording, tasks
from operations.recording import messages
from operations.recording.publishing import publish
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.operations.told import SECRET, SETTING, event, heard, may_tell, signed, told

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def _signs(monkeypatch):
    may_tell(monkeypatch)


def only() -> models.Message:
    return models.Message.objects.get()


def test_nothing_listens_where_there_is_no_recipient_no_contract_or_no_such_channel():
    contract_of()
    models.Recipient.objects.create(key="bare", name="Bare", created_at=T0)
    for recipient, channel in (
        ("nobody", None),
        ("bare", None),
        ("collection-desk", "counter"),
        ("collection-desk", "x"),
    ):
        with pytest.raises(listening.NoSuchEar):
            listening.hear(recipient, channel, headers={}, body=b"{}", now=NOW)
    assert models.Message.objects.count() == 0


def test_a_message_that_is_not_proven_leaves_nothing_but_a_count(django_assert_max_num_queries):
    made = operation()
    body = event(made, "issued", at=NOW, ticket="T-1")
    headers = {**signed(body, at=NOW), "webhook-id": "msg_2"}
    for later in (0, 0.5, 2):  # at most one a second is noted
        with pytest.raises(listening.NotProven, match="No signature was made"):
            listening.hear("collection-desk", None, headers=headers, body=body, now=NOW + later * SECOND)
    row = models.Hearing.objects.get()
    assert (row.refused, row.messages) == (2, 0)
    assert "No signature was made" in row.refused_because
    assert (models.Message.objects.count(), models.Observation.objects.count()) == (0, 0)


def test_a_secret_that_is_anothers_proves_nothing_and_the_recipient_is_to_try_again(monkeypatch):
    monkeypatch.setenv(f"{SETTING}_FROM", "another")
    body = event(operation(), "issued", at=NOW, ticket="T-1")
    with pytest.raises(listening.CannotProve, match="of another only"):
        heard(body, now=NOW)
    assert models.Message.objects.count() == 0
    assert "of another only" in models.Hearing.objects.get().refused_because


def test_a_message_is_stored_whole_before_anything_is_made_of_it():
    body = event(operation(), "issued", at=NOW, ticket="T-1")
    found = heard(body, now=NOW)
    row = only()
    assert (row.id, bytes(row.payload), row.event, row.channel) == (found.message_id, body, "msg_1", "events")
    assert row.verified_by == "COLLECTION_DESK_WEBHOOK_SECRET"
    assert {name for name, _ in row.headers} == {"content-type", "webhook-id", "webhook-timestamp", "webhook-signature"}
    assert {name for name, _ in row.signed} == {"webhook-id", "webhook-timestamp"}
    assert (row.operation_id, row.judged_at, models.Observation.objects.count()) == (None, None, 0)


def test_a_judged_message_is_an_observation_that_settles():
    made = operation()
    told(event(made, "issued", at=NOW, ticket="T-1"), now=NOW)
    observation = models.Observation.objects.get()
    assert observation.source == "webhook, signed with COLLECTION_DESK_WEBHOOK_SECRET"
    assert (observation.authentic, observation.channel) == (True, "events")
    assert [name for name, _ in observation.headers] == ["webhook-id", "webhook-timestamp"]
    assert (only().operation_id, only().linked_by, only().judged_at) == (made.id, "desk", NOW)
    assert (made.row.evidence, made.row.finality) == ("applied", "settled")


def test_a_message_that_comes_again_is_on_record_already_and_changes_nothing():
    body = event(operation(), "issued", at=NOW, ticket="T-1")
    first = told(body, now=NOW)
    again = told(body, now=NOW + SECOND)
    assert (again.message_id, again.created) == (first.message_id, False)
    assert (models.Message.objects.count(), models.Observation.objects.count()) == (1, 1)
    assert models.Hearing.objects.get().messages == 1


def test_another_message_under_the_same_id_is_stored_and_judged_too():
    made = operation()
    told(event(made, "pending", at=NOW), now=NOW)
    told(event(made, "issued", at=NOW + SECOND, ticket="T-1"), now=NOW + SECOND)
    assert (models.Message.objects.count(), models.Observation.objects.count()) == (2, 2)
    assert made.row.evidence == "applied"


def test_messages_out_of_order_come_to_the_same():
    made = operation()
    told(event(made, "issued", at=NOW + SECOND, ticket="T-1"), now=NOW + SECOND)
    told(event(made, "pending", at=NOW), now=NOW + 2 * SECOND, event_id="msg_0")
    assert (made.row.evidence, made.row.conflict) == ("applied", None)


def test_a_message_that_contradicts_a_settled_operation_is_stored_and_reopens_it():
    made = operation()
    receipt = made.issued("T-1", now=NOW)
    with recording.writing(made.id, now=NOW) as pen:
        recording.complete(pen, receipt=receipt.observation_id, by="mira")
        pen.finish()
    told(event(made, "closed", at=NOW + SECOND), now=NOW + HOUR)
    assert (made.row.evidence, made.row.conflict) == ("unknown", "applied_and_closed")


def test_a_message_that_names_its_effect_by_what_no_row_can_hold_is_judged_all_the_same():
    made = operation()
    told(event(made, "issued", at=NOW, ticket="T\0"), now=NOW)
    assert (models.Reading.objects.get().says, only().operation_id) == ("applied", made.row.id)


def test_an_event_of_a_kind_that_the_contract_does_not_know_is_kept_and_settles_nothing():
    made = operation()
    told(event(made, "issued", at=NOW, kind="operation.praised"), now=NOW)
    assert models.Reading.objects.get().says == "indeterminate"
    assert made.row.evidence == "unknown"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b'{"data": null}',
        b'{"data": {"key": 7}}',
        b'{"data": {"key": ["order-1001"]}}',
        b'{"data": {"key": "order-1001", "key": "order-2"}}',
        b'{"data": {"key": "order-1001\\u0000"}}',
        b'{"data": {"key": "' + b"k" * 300 + b'"}}',
        b'{"data": {"key": "nobody-knows"}}',
        b"[" * 5000,
    ],
)
def test_a_proven_message_that_names_no_operation_is_kept_as_an_orphan_whatever_it_holds(body):
    operation()
    told(body, now=NOW)
    row = only()
    assert (bytes(row.payload), row.operation_id, row.looked_at) == (body, None, NOW)
    assert models.Observation.objects.count() == 0


def test_an_orphan_is_given_to_the_operation_that_is_registered_later():
    contract_of()
    body = json.dumps({"type": "operation.issued", "data": {"key": "order-7"}}).encode()
    told(body, now=NOW)
    assert listening.sweep(now=NOW + SECOND) == 0  # it was looked for a moment ago
    made = operation("order-7", now=NOW + SECOND)
    assert listening.sweep(now=NOW + 40 * SECOND) == 1
    assert (only().operation_id, only().received_at) == (made.id, NOW)
    assert models.Observation.objects.get().received_at == NOW


def test_a_message_is_found_by_a_reference_only_where_it_names_no_request_number():
    made = operation()
    made.issued("T-1", now=NOW)
    found = {"number": "T-1", "place": "East", "parcel": "Cedar"}
    told(json.dumps({"type": "ticket.collected", "data": {"ticket": found}}).encode(), now=NOW, event_id="msg_1")
    told(
        json.dumps({"type": "ticket.collected", "data": {"key": "o", "ticket": found}}).encode(), now=NOW, event_id="m2"
    )
    told(json.dumps({"type": "ticket.collected", "data": {"ticket": {"number": "T"}}}).encode(), now=NOW, event_id="m3")
    linked = dict(models.Message.objects.values_list("event", "operation_id"))
    assert linked == {"msg_1": made.id, "m2": None, "m3": None}


def test_a_reference_that_two_operations_share_links_to_neither():
    for identity in ("order-1", "order-2"):
        operation(identity).issued("T-1", now=NOW)
    told(json.dumps({"type": "ticket.collected", "data": {"ticket": {"number": "T-1"}}}).encode(), now=NOW)
    assert only().operation_id is None


def test_a_person_links_an_orphan_and_the_contract_still_says_whose_it_is():
    made = operation("order-1001")
    body = json.dumps({"type": "operation.issued", "data": {**made.says("issued", at=NOW, ticket="T-9"), "key": "x-9"}})
    found = told(body.encode(), now=NOW)
    listening.link(found.message_id, made.id, by="mira", now=NOW)
    read = models.Reading.objects.get()
    assert (read.correlation, read.counts, made.row.evidence) == ("mismatch", False, "unknown")
    assert (only().linked_by, models.Observation.objects.get().source[-14:]) == ("mira", "linked by mira")


def test_a_link_is_set_once_and_only_to_an_operation_of_the_same_recipient():
    made = operation()
    elsewhere = operation("order-2", contract=contract_of(key="other", name="Other"))
    found = told(b'{"data": {}}', now=NOW)
    with pytest.raises(listening.AnotherRecipient):
        listening.link(found.message_id, elsewhere.id, by="mira", now=NOW)
    assert only().operation_id is None
    listening.link(found.message_id, made.id, by="mira", now=NOW)
    with pytest.raises(listening.AlreadyLinked):
        listening.link(found.message_id, made.id, by="mira", now=NOW)
    assert models.Observation.objects.count() == 1


def test_a_dismissed_orphan_is_still_found_by_the_operation_that_it_names():
    contract_of()
    found = told(json.dumps({"type": "operation.issued", "data": {"key": "order-7"}}).encode(), now=NOW)
    listening.dismiss(found.message_id, by="mira", remark="Of another system.", now=NOW)
    made = operation("order-7", now=NOW)
    assert listening.sweep(now=NOW + HOUR) == 1
    assert (only().operation_id, only().remark) == (made.id, "Of another system.")


def test_more_than_a_minute_a_day_or_the_orphans_allow_is_refused_and_not_stored(settings):
    made = operation()
    settings.LISTENING = {"messages_a_minute": 2, "bytes_a_day": 100_000, "orphans": 2}
    heard(b"{}", now=NOW, event_id="m1")
    heard(b"[]", now=NOW, event_id="m2")
    with pytest.raises(listening.TooMany, match="in this minute") as refused:
        heard(b"1", now=NOW, event_id="m3")
    assert refused.value.wait == 61
    with pytest.raises(listening.TooMany, match="wait for an operation"):
        heard(b"1", now=NOW + 61 * SECOND, event_id="m3")
    with pytest.raises(listening.TooMany, match="in a day"):
        heard(b"1" * 100_001, now=NOW + 122 * SECOND, event_id="m3")
    assert heard(b"{}", now=NOW + 122 * SECOND, event_id="m1").created is False  # what is on record is no more to keep
    assert heard(
        event(made, "issued", at=NOW, ticket="T-1"), now=NOW + 122 * SECOND, event_id="m4"
    ).created  # it is asked for
    assert models.Message.objects.count() == 3


def test_a_clock_that_ran_ahead_for_a_while_shuts_no_recipient_up_until_then(settings):
    made = operation()
    settings.LISTENING = {**settings.LISTENING, "messages_a_minute": 1, "bytes_a_day": 1_000}
    ahead = NOW + timedelta(days=30)
    models.Hearing.objects.create(
        recipient_id=made.row.recipient_id, minute_at=ahead, messages=1, day_at=ahead, bytes=1_000
    )
    assert heard(event(made, "issued", at=NOW, ticket="T-1"), now=NOW).created
    with pytest.raises(listening.TooMany):
        heard(b"1", now=NOW - 2 * SECOND, event_id="m2")  # clocks that differ a little share the minute


def signs_its_body_alone() -> None:
    """The desk's contract, with messages that are signed without a time."""
    text = contract_of().document.replace("scheme: standard_webhooks", "scheme: hmac_sha256")
    text = text.replace(
        "header: webhook-signature", "header: x-signature\n      dated: {at: /body/data/as_of, form: rfc_3339}"
    )
    publish("collection-desk", name="Desk", text=text, now=T0)


def hear_plainly(body: bytes, *, now: datetime, name: str = "msg_1") -> listening.Heard:
    headers = {"x-signature": hmac.digest(SECRET.encode(), body, hashlib.sha256).hex(), "webhook-id": name}
    return listening.hear("collection-desk", None, headers=headers, body=body, now=now)


def test_an_id_that_the_signature_does_not_cover_does_not_tell_two_messages_apart():
    signs_its_body_alone()
    body = event(operation(), "issued", at=NOW, ticket="T-1")
    for name in ("msg_1", "msg_2"):  # the same body, replayed under another id
        hear_plainly(body, now=NOW, name=name)
    assert only().event.startswith("sha256:")


@pytest.mark.parametrize(
    ("later", "why"), [(301, "dated more than 300 seconds ago"), (-301, "dated more than 300 seconds in the future")]
)
def test_a_message_whose_signed_body_is_dated_outside_of_the_window_is_refused(later, why):
    signs_its_body_alone()
    body = event(operation(), "issued", at=NOW, ticket="T-1")
    with pytest.raises(listening.NotProven, match=why):
        hear_plainly(body, now=NOW + later * SECOND)
    assert models.Message.objects.count() == 0
    assert why in models.Hearing.objects.get().refused_because


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"not json", b'{"data": {"as_of": "soon"}}', b'{"data": {"as_of": 1796040000}}']
)
def test_a_message_that_does_not_date_itself_as_the_contract_says_is_refused(body):
    signs_its_body_alone()
    with pytest.raises(listening.NotProven, match="doesn't say when it was sent"):
        hear_plainly(body, now=NOW)
    assert models.Message.objects.count() == 0


def test_a_message_that_was_held_back_within_the_window_is_as_old_as_its_body_says():
    signs_its_body_alone()
    made = operation()
    found = hear_plainly(event(made, "issued", at=NOW, ticket="T-1"), now=NOW + 250 * SECOND)
    assert found.created
    listening.judge(found.message_id, now=NOW + 250 * SECOND)
    assert models.Reading.objects.get().as_of == NOW


def test_what_came_can_not_be_changed_or_removed_and_a_link_stays():
    made = operation()
    told(event(made, "issued", at=NOW, ticket="T-1"), now=NOW)
    rows = models.Message.objects.all()
    changes = [
        lambda: rows.update(payload=b"other"),
        lambda: rows.update(received_at=T0),
        lambda: rows.update(operation=None, linked_at=None, linked_by="", judged_at=None),
        lambda: rows.update(dismissed_at=NOW, dismissed_by="x", remark="y"),
        rows.delete,
    ]
    for change in changes:
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert bytes(only().payload) != b"other"


@pytest.mark.owner
def test_the_owner_is_stopped_by_triggers_too():
    contract_of()
    told(b"{}", now=NOW)
    for change in (lambda: models.Message.objects.update(payload=b"x"), models.Message.objects.all().delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_the_worker_judges_what_waits():
    made = operation(now=datetime.now(UTC) - HOUR)
    heard(event(made, "issued", at=datetime.now(UTC), ticket="T-1"), now=datetime.now(UTC))
    tasks.judge()
    assert made.row.evidence == "applied"


def test_one_message_that_can_not_be_judged_stops_no_other(monkeypatch):
    first, second = operation("order-1"), operation("order-2")
    heard(event(first, "issued", at=NOW, ticket="T-1"), now=NOW, event_id="m1")
    heard(event(second, "issued", at=NOW, ticket="T-2"), now=NOW, event_id="m2")
    spoilt = models.Message.objects.get(event="m1")
    # Its place on the operation's chain is taken by another report, as it never is in life.
    with recording.writing(first.id, now=NOW) as pen:
        pen.append(
            models.Observation(
                id=spoilt.id,
                operation=pen.operation,
                event=f"hook-{spoilt.id.hex}",
                channel="events",
                headers=[],
                source="test",
                authentic=True,
                received_at=NOW,
                recorded_at=NOW,
            )
        )
        pen.finish()
    assert listening.sweep(now=NOW) == 1
    spoilt.refresh_from_db()
    assert (spoilt.operation_id, spoilt.failure) == (None, "It could not be judged: EventDiffers.")
    assert second.row.evidence == "applied"
    assert messages.unjudged(looked_before=NOW, most=5) == [spoilt.id]
    assert reading.operation(first.id).operation.evidence == "unknown"
