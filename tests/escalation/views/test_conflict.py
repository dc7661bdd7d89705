"""A contradiction on the screen, on paper and as JSON."""

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.screens.conflict import BROKEN
from operations import models
from operations.core.conflicts import ConflictKind
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.contradictions import contradict
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at an hour after the request was sent."""
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def reader(client):
    """Somebody who may read and nothing else."""
    client.force_login(viewer())
    return client


@pytest.fixture
def torn():
    """An operation that happened and was closed."""
    made = operation()
    contradict(made, ConflictKind.APPLIED_AND_CLOSED)
    return made


def page(client: Client, made: Made) -> str:
    return str(client.get(reverse("conflict", args=[made.number])).text)


def download(client: Client, made: Made) -> Any:
    return client.get(reverse("conflict_report", args=[made.number]))


@pytest.mark.parametrize("name", ["conflict", "conflict_report"])
def test_an_operation_that_is_not_there_has_no_contradiction(reader, name):
    assert reader.get(reverse(name, args=[987_654])).status_code == 404


@pytest.mark.parametrize("name", ["conflict", "conflict_report"])
def test_nothing_is_posted_here(reader, torn, name):
    assert reader.post(reverse(name, args=[torn.number])).status_code == 405


def test_without_a_contradiction_the_page_says_so_and_leads_back(reader):
    made = operation()
    text = page(reader, made)
    assert "No statements about this operation contradict each other." in text
    assert f'href="{reverse("operation", args=[made.number])}">Back to the operation</a>' in text


def test_without_a_contradiction_there_is_no_report(reader):
    assert download(reader, operation()).status_code == 404


def test_every_kind_says_what_of_the_contract_can_not_hold():
    assert set(BROKEN) == set(ConflictKind)


@pytest.mark.parametrize("kind", ConflictKind)
def test_every_kind_shows_all_its_statements_with_a_clause_each_and_what_would_resolve_it(reader, kind):
    made = operation()
    contradict(made, kind)
    text = page(reader, made)
    assert made.row.conflict == kind
    assert kind.sentence in text
    assert BROKEN[kind] in text
    assert text.count('<article class="card statement">') == 2
    assert text.count("Collection desk, contract version 1:") >= 2
    assert "Which of the two statements is wrong" in text
    assert "a corrected version reads all of them anew" in text
    assert len(download(reader, made).json()["statements"]) == 2


def test_both_statements_carry_where_they_come_from(reader, torn):
    text = page(reader, torn)
    assert "it happened: T-1" in text
    assert "ended without effect" in text
    assert "<bdi>key:transport</bdi>" in text
    assert "<bdi>desk</bdi>" in text
    assert "(rule <code>recorded_as_closed</code>, contract version 1)" in text
    assert "2026-11-30 12:01:00 UTC" in text
    assert "2026-11-30 12:02:00 UTC" in text


def test_the_earlier_statement_stands_first(reader):
    made = operation()
    contradict(made, ConflictKind.ACTIVE_AFTER_CLOSED)
    dated = [one["as_of"] for one in download(reader, made).json()["statements"]]
    assert dated == ["2026-11-30T12:01:00Z", "2026-11-30T12:02:00Z"]


def test_the_broken_clause_is_quoted_with_its_source(reader, torn):
    clauses = download(reader, torn).json()["conflict"]["clauses"]
    assert len(clauses) == 1
    assert clauses[0]["whose"] == "Collection desk, contract version 1"
    assert clauses[0]["says"]
    assert clauses[0]["source"]
    assert clauses[0]["read_on"]


def test_the_digests_are_those_of_the_record(reader, torn):
    text, told = page(reader, torn), download(reader, torn).json()
    row = torn.row
    assert told["operation"]["request"]["digest"] == row.digest
    assert told["operation"]["chain"] == {"links": row.links, "head": bytes(row.head).hex()}
    assert row.digest in text
    assert bytes(row.head).hex() in text
    for one in told["statements"]:
        came = models.Observation.objects.get(id=one["id"])
        assert one["digests"]["observation"] == bytes(came.digest).hex()
        assert one["digests"]["reading"] == bytes(came.readings.get().digest).hex()
        assert came.payload is not None
        assert one["payload"]["sha256"] == sha256(bytes(came.payload)).hexdigest()
        for digest in (*one["digests"].values(), one["payload"]["sha256"]):
            assert digest in text


def test_the_keys_of_the_report_stand_in_one_order(reader, torn):
    told = json.loads(download(reader, torn).content)
    assert list(told) == [
        "report",
        "format",
        "as_of",
        "recipient",
        "operation",
        "attempts",
        "conflict",
        "statements",
        "to_resolve",
    ]
    assert download(reader, torn).content == download(reader, torn).content


def test_the_report_is_a_file(reader, torn):
    answer = download(reader, torn)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="conflict-{torn.number}.json"'


def test_nothing_leaves_by_which_somebody_could_act(reader):
    made = operation()
    told = (("Set-Cookie", "session=s3cr3t"), ("Authorization", "Bearer s3cr3t"), ("X-Request-Id", "r-77"))
    made.learns(
        "reply", now=T0 + MINUTE, attempt="a1", status=201, headers=told, body=made.says("issued", at=T0, ticket="T-1")
    )
    made.recorded("closed", now=T0 + 2 * MINUTE)
    for text in (page(reader, made), download(reader, made).text):
        assert "r-77" in text
        assert "s3cr3t" not in text
        assert "desk-east" not in text


def test_hostile_words_are_shown_and_never_run(reader):
    made = operation("<script>alert(1)</script>", parcel="\u202e<img src=x>", effect="<script>alert(2)</script>")
    contradict(made, ConflictKind.APPLIED_AND_CLOSED)
    text = page(reader, made)
    assert "<script>alert" not in text
    assert "<img src=x>" not in text
    assert json.loads(download(reader, made).content)["operation"]["effect"] == "<script>alert(2)</script>"


def test_the_operation_leads_to_both_statements_from_banner_and_doors(reader, torn):
    text = reader.get(reverse("operation", args=[torn.number])).text
    link = f'href="{reverse("conflict", args=[torn.number])}">See both statements</a>'
    banner, doors = text.split('id="banner"')[1].split('id="panels"')[0], text.split('id="doors"')[1]
    assert link in banner
    assert link in doors


def test_an_operation_without_a_contradiction_leads_nowhere(reader):
    text = reader.get(reverse("operation", args=[operation().number])).text
    assert "See both statements" not in text
