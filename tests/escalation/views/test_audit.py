"""Who did what: one list, narrowed in the address, and the same as files."""

import csv
import io
import json
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.record_repair import repair_record
from escalation.decisions.second_signature import decline, propose, withdraw
from escalation.decisions.taking import Taker
from escalation.models import RoleGrant, User
from escalation.policy import EVERY_RECIPIENT, Role
from escalation.screens.audit import PAGE, Filters, every, page
from escalation.screens.audit_export import COLUMNS, cell, exported
from operations import models
from operations.core.actions import Action
from operations.core.missing import Fact
from operations.models.identifiers import uuid7
from operations.recording import refrain, writing
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import proved, with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@pytest.fixture
def reader(client):
    client.force_login(User.objects.create_superuser("reader"))
    return client


def left(identity="order-2002", *, by="mira", told="Ada", now=T0 + HOUR, person=None):
    made = operation(identity, parcel=identity)
    made.timed_out(now=T0 + MINUTE)
    person = person or with_role(by, Role.REVIEWER)
    taker = Taker(person=person, revision=made.row.revision, once=uuid4(), now=now)
    leave_unresolved(made.id, taker, fact=Fact.WHETHER_IT_HAPPENED, told=told, look_again_at=now + DAY, remark="=1+1")
    return made


def repaired(person, *, now=T0 + 2 * HOUR):
    made = operation("order-1001")
    made.issued("T-1001", now=T0 + MINUTE)
    taker = Taker(person=person, revision=made.row.revision, once=uuid4(), now=now)
    repair_record(made.id, taker, receipt=made.row.observations.get().id, remark="")
    return made


def acts(**filters):
    return [line.act for line in page(Filters.of(filters), reads=EVERY_RECIPIENT, before=None)[0]]


def test_nothing_done_is_said_to_be_nothing(reader):
    assert "Nobody has decided anything yet" in reader.get(reverse("audit")).content.decode()
    assert "Nobody did anything that fits this." in reader.get(reverse("audit"), {"person": "mira"}).content.decode()
    assert b"".join(reader.get(reverse("audit_csv")).streaming_content).decode().splitlines() == [",".join(COLUMNS)]
    assert b"".join(reader.get(reverse("audit_json_lines")).streaming_content) == b""


@pytest.mark.parametrize("name", ["audit", "audit_csv", "audit_json_lines"])
def test_the_list_is_read_and_never_written(reader, name):
    assert reader.post(reverse(name)).status_code == 405


@pytest.mark.parametrize("asked", ["since=nonsense", "before=abc", "since=9999-12-31", "person=%00", "door=%27%3B--"])
def test_what_means_nothing_breaks_nothing(reader, asked):
    assert reader.get(f"{reverse('audit')}?{asked}").status_code == 200


def test_an_act_is_shown_with_who_when_on_what_and_with_what_result(reader):
    person = with_role("mira", Role.REVIEWER)
    made = repaired(person)
    shown = reader.get(reverse("audit")).content.decode()
    assert "Repaired our record" in shown
    assert "Our record says: it happened (T-1001)." in shown
    assert reverse("record", args=[made.number]) in shown
    line = next(line for line in every(Filters(), reads=EVERY_RECIPIENT) if line.act == "repair_record")
    assert line.stood is not None
    assert (line.by, line.at, line.stood.happened, line.now) == ("mira", T0 + 2 * HOUR, "Yes", "Yes")


def test_leaving_is_reported_as_unresolved(reader):
    left(told="Ada Brandt")
    shown = reader.get(reverse("audit")).content.decode()
    assert "Outcome unresolved." in shown
    assert "Told: Ada Brandt." in shown


def test_decisions_writings_and_roles_stand_in_one_list_newest_first():
    person = with_role("mira", Role.REVIEWER)
    left(person=person)
    repaired(person)
    grant = RoleGrant.objects.get(person=person)
    grant.ended_at, grant.ended_by = T0 + 3 * HOUR, User.objects.create_user("admin")
    grant.save(update_fields=["ended_at", "ended_by"])
    found = acts()
    assert found[0] == "role_ended"
    assert set(found[1:3]) == {"repair_record", "completion"}
    assert found[3:] == ["leave_unresolved", "role_given"]


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"person": "mira"}, ["leave_unresolved"]),
        ({"person": "nobody"}, []),
        ({"door": "leave_unresolved"}, ["leave_unresolved"]),
        ({"door": "completion"}, []),
        ({"door": "role_given"}, ["role_given"]),
        ({"recipient": "collection-desk"}, ["leave_unresolved"]),
        ({"recipient": "elsewhere"}, []),
        ({"since": "2026-11-30", "until": "2026-11-30", "door": "leave_unresolved"}, ["leave_unresolved"]),
        ({"until": "2026-11-29"}, []),
        ({"since": "2026-12-01"}, []),
    ],
)
def test_the_list_is_narrowed(filters, wanted):
    left()
    assert acts(**filters) == wanted


def many(count):
    """Decisions as rows alone: the list reads nothing else of them."""
    made = operation()
    with writing(made.id, now=T0) as pen:
        one = refrain(pen, Action.REPEAT, door="leave", once=uuid4(), revision=1, content={}, by="mira")
        pen.finish()
    rows = []
    for number in range(count):
        at = T0 + timedelta(seconds=number // 3)  # several at the same moment
        rows.append(
            models.Decision(
                id=uuid7(at),
                operation_id=made.id,
                door="a door",
                action=Action.REPEAT,
                once=uuid4(),
                revision=1,
                standing=one.standing,
                content={},
                decided_at=at,
                decided_by="mira",
                position=1_000 + number,
                digest=b"\0" * 32,
            )
        )
    models.Decision.objects.bulk_create(rows)
    return {row.id for row in rows}


def test_pages_neither_skip_nor_repeat():
    wanted = many(3 * PAGE + 7)
    seen: list[int] = []
    before = None
    while True:
        found, before = page(Filters.of({"door": "a door"}), reads=EVERY_RECIPIENT, before=before)
        seen += [line.key for line in found]
        if before is None:
            break
    assert len(seen) == len(set(seen)) == len(wanted)
    assert {UUID(int=key) for key in seen} == wanted


def test_ten_thousand_acts_are_exported_whole_and_a_page_asks_as_little_as_ever(reader):
    wanted = many(10_000)
    body = b"".join(reader.get(reverse("audit_json_lines") + "?door=a+door").streaming_content)
    assert len(body.splitlines()) == len(wanted)
    with CaptureQueriesContext(connection) as asked:
        assert reader.get(reverse("audit")).status_code == 200
    assert len(asked) <= 14  # one a kind of act, and who reads


def test_the_files_say_the_same_in_a_fixed_order(reader):
    left()
    rows = list(csv.DictReader(io.StringIO(b"".join(reader.get(reverse("audit_csv")).streaming_content).decode())))
    said = [json.loads(one) for one in b"".join(reader.get(reverse("audit_json_lines")).streaming_content).splitlines()]
    assert [list(one) for one in said] == [list(COLUMNS)] * len(said)
    assert [row["act"] for row in rows] == [one["act"] for one in said] == ["leave_unresolved", "role_given"]
    assert json.loads(rows[0]["decided"])["remark"] == "=1+1"


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\uff1d1", '=HYPERLINK("http://x")'],
)
def test_no_cell_can_be_taken_for_a_formula(text):
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize(
    ("value", "written"), [(None, ""), (12, "12"), ("plain", "plain"), ({"a": "=1"}, '{"a": "=1"}')]
)
def test_other_cells_are_as_they_are(value, written):
    assert cell(value) == written


def test_a_name_that_is_a_formula_is_harmless_in_the_file(reader):
    left(by="=cmd|' /C calc'!A0")
    text = b"".join(reader.get(reverse("audit_csv")).streaming_content).decode()
    assert all(not field.startswith(("=", "+", "-", "@")) for row in csv.reader(io.StringIO(text)) for field in row)
    assert exported(next(every(Filters(), reads=EVERY_RECIPIENT)))["by"] == "=cmd|' /C calc'!A0"


def test_the_list_is_of_every_recipient():
    contract_of(key="elsewhere", name="Elsewhere")
    left()
    assert acts(recipient="elsewhere") == []


def proposed_at(made, person, *, now):
    return propose(
        made.id,
        Taker(person=person, revision=made.row.revision, once=uuid4(), now=now),
        typed={},
        decide=lambda by: repair_record(made.id, by, receipt=made.row.observations.get().id, remark="=1+1"),
    )


def test_what_was_proposed_declined_and_signed_is_told_with_both_names(reader):
    asha, ben = with_role("asha", Role.REVIEWER), with_role("ben", Role.REVIEWER)
    made = operation("order-1001")
    made.issued("T-1001", now=T0 + MINUTE)
    declined = proposed_at(made, asha, now=T0 + HOUR)
    decline(declined.pk, person=ben, reason="The wrong parcel.", now=T0 + 2 * HOUR)
    withdraw(proposed_at(made, asha, now=T0 + 3 * HOUR).pk, person=asha, reason="", now=T0 + 4 * HOUR)
    row = proposed_at(made, asha, now=T0 + 5 * HOUR)
    now = T0 + 6 * HOUR
    proof = proved(ben, at=now)
    taker = Taker(person=ben, revision=made.row.revision, once=uuid4(), now=now, proof=proof, signs=row.pk)
    repair_record(made.id, taker, receipt=made.row.observations.get().id, remark="=1+1")
    told = [line for line in every(Filters(), reads=EVERY_RECIPIENT) if not line.act.startswith("role")]
    written = {line.act: line for line in told[:2]}  # of one moment
    assert {act: line.by for act, line in written.items()} == {"completion": "ben", "repair_record": "ben"}
    assert [(line.act, line.by) for line in told[2:]] == [
        ("signature_proposed", "asha"),
        ("signature_withdrawn", "asha"),
        ("signature_proposed", "asha"),
        ("signature_declined", "ben"),
        ("signature_proposed", "asha"),
    ]
    assert written["repair_record"].result.startswith("Proposed by asha, and signed. Our record says: it happened")
    assert "The wrong parcel." in told[5].result
    assert [line.by for line in page(Filters(door="signature_declined"), reads=EVERY_RECIPIENT, before=None)[0]] == [
        "ben"
    ]
    assert acts(person="asha", door="signature_proposed") == ["signature_proposed"] * 3
    assert "The wrong parcel." in reader.get(reverse("audit")).text
    assert "The wrong parcel." in "".join([part.decode() for part in reader.get(reverse("audit_csv"))])


def test_pages_neither_skip_nor_repeat_what_was_proposed_in_one_millisecond(reader):
    asha = with_role("asha", Role.REVIEWER)
    made = operation("order-1001")
    made.issued("T-1001", now=T0 + MINUTE)
    rows = [
        proposed_at(made, asha, now=T0 + HOUR + timedelta(microseconds=300 * (nth % 4))) for nth in range(PAGE + 12)
    ]
    first, following = page(Filters(door="signature_proposed"), reads=EVERY_RECIPIENT, before=None)
    rest, end = page(Filters(door="signature_proposed"), reads=EVERY_RECIPIENT, before=following)
    keys = [line.key for line in [*first, *rest]]
    assert (len(set(keys)), end) == (len(rows), None)
    assert keys == sorted(keys, reverse=True)
