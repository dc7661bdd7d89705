"""Every field report is answered as it expects, or differs in exactly the facets and for the reasons written beside it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.field_cases import FACETS, FINALITY, FORBIDDEN, PERMITTED, FieldCase, answered, differing, field_cases
from tests.core.field_cases_page import page

ROOT = Path(__file__).parents[2]
FIELDS = field_cases()
EACH = pytest.mark.parametrize("field", FIELDS, ids=[field.name for field in FIELDS])


def having(key: str) -> pytest.MarkDecorator:
    fields = [field for field in FIELDS if key in field.reading]
    return pytest.mark.parametrize("field", fields, ids=[field.name for field in fields])


def told(found: dict[str, Any], expect: dict[str, Any]) -> dict[str, Any]:
    return {key: found[key] for key in expect}


def observations(field: FieldCase) -> list[dict[str, Any]]:
    return [event for event in field.scenario(later=True)["events"] if event["type"] == "observation"]


# The cases.


@EACH
@pytest.mark.parametrize("facet", FACETS)
def test_a_facet_is_as_the_case_expects_or_differs_as_stated(field, facet):
    assert (facet in differing(field, field.scenario())) == (facet in field.disagrees)


@having("would_agree")
def test_the_terms_that_the_case_does_not_state_are_why_it_differs(field):
    would = field.reading["would_agree"]
    assert set(would["facets"]) <= set(field.disagrees)
    expected = set(field.disagrees) - set(would["facets"]) | set(would.get("adds", {}))
    assert differing(field, field.scenario(over=would["with"])) == expected


@having("later")
def test_the_whole_history_gives_what_the_case_tells_of_it(field):
    expect = field.reading["later"]["expect"]
    assert told(answered(field.scenario(later=True)), expect) == expect


@having("truth")
def test_what_came_out_in_the_end_was_not_excluded_and_no_second_effect_permitted(field):
    assert field.reading["truth"] == "applied"
    for scenario in (field.scenario(), field.scenario(later=True)):
        found = answered(scenario)
        assert found["finality"] != "excluded"
        assert "propose_new" not in found["permitted"]
        assert "repeat" not in found["permitted"] or found["protection"] == "active"


@pytest.mark.parametrize(
    ("field", "variant"),
    [
        pytest.param(field, variant, id=f"{field.name}: {variant['name']}")
        for field in FIELDS
        for variant in field.reading.get("variants", [])
    ],
)
def test_a_variant_is_answered_as_stated(field, variant):
    assert told(answered(field.variant(variant)), variant["expect"]) == variant["expect"]


# The readings: nothing is left out, nothing is added.


def test_every_case_has_its_scenario_and_no_scenario_is_without_a_case():
    assert [field.case["id"] for field in FIELDS] == [field.reading["id"] for field in FIELDS]
    assert len({field.name for field in FIELDS}) == len(FIELDS) == 47


KEYS = {
    "reading": {
        "id",
        "words",
        "scenario",
        "events",
        "disagrees",
        "would_agree",
        "accepts",
        "later",
        "truth",
        "variants",
    },
    "scenario": {"contract", "operation", "now"},
    "would_agree": {"with", "facets", "adds"},
    "accepts": {"facets", "because"},
    "later": {"now", "expect", "because"},
    "variant": {"name", "because", "contract", "operation", "events", "expect"},
}


@EACH
def test_a_reading_has_no_key_that_nothing_looks_at(field):
    reading = field.reading
    parts = [("reading", reading), *[(key, reading[key]) for key in KEYS if key in reading]]
    parts += [("variant", variant) for variant in reading.get("variants", [])]
    assert not [(name, key) for name, part in parts for key in part if key not in KEYS[name]]


@EACH
def test_every_event_of_a_case_is_read_or_skipped_with_a_reason(field):
    assert len(field.reading["events"]) == len(field.case["events"])
    for ours in field.reading["events"]:
        assert len(ours) == 1
        assert ours.get("read") or ours.get("skip")


@EACH
def test_a_case_with_later_events_says_what_they_give(field):
    has_later = not all(event["visible_at_decision"] for event in field.case["events"])
    assert has_later == ("later" in field.reading or "truth" in field.reading)


@EACH
def test_nothing_visible_at_the_decision_is_dated_after_it(field):
    scenario = field.scenario()
    assert all(event["at"] <= scenario["now"] for event in scenario["events"])


@EACH
def test_a_difference_and_an_acceptance_have_their_reasons(field):
    assert set(field.disagrees) <= set(FACETS)
    assert all(field.disagrees.values())
    assert field.reading["words"]
    accepts = field.reading.get("accepts")
    if accepts:
        assert accepts["because"]
        assert set(accepts["facets"]) <= set(field.case["expected"]["also_acceptable"])


def test_every_word_of_the_cases_is_read_and_no_other():
    expected = [field.case["expected"] for field in FIELDS]
    assert {one["finality"] for one in expected} == set(FINALITY)
    assert {word for one in expected for word in one["permitted"]} == set(PERMITTED)
    assert {word for one in expected for word in one["forbidden"]} == set(FORBIDDEN)


# A term that the case does not state stays undocumented.


def protection(field: FieldCase) -> dict[str, Any]:
    terms: dict[str, Any] = field.scenario()["contract"].get("protection", {})
    return terms


@EACH
def test_a_mechanism_is_read_only_where_the_case_speaks_of_repeats(field):
    assert "mechanism" not in protection(field) or "dedup" in field.case["contract"]


@EACH
def test_an_interval_is_read_only_where_the_case_gives_it(field):
    interval = protection(field).get("guaranteed_for")
    assert interval in (None, 86400, "while_exists")
    if interval == 86400:
        assert "24 h" in json.dumps(field.case["contract"])


@EACH
def test_concurrent_use_is_read_only_where_the_case_speaks_of_it(field):
    assert "concurrent_use" not in protection(field) or "in_flight" in field.case["contract"]


@EACH
def test_no_outcomes_and_no_lasting_closure_are_read_where_no_case_states_them(field):
    assert "covers" not in protection(field)
    assert "closure" not in field.scenario()["contract"]


@EACH
def test_a_channel_is_no_better_than_the_case_says(field):
    words = json.dumps(field.case["contract"])
    for channel in field.scenario()["contract"].get("channels", {}).values():
        assert channel.get("reads") != "strong" or "strong" in words or "immediate" in words
        assert "positive_is_conclusive" not in channel or field.case["contract"]["inferred"]


@EACH
def test_a_closure_is_read_only_where_the_case_has_a_terminal_refusal(field):
    terminal = field.case["contract"].get("negative_terminal") or field.case["contract"].get("statuses", {}).get(
        "terminal"
    )
    assert terminal or not [event for event in observations(field) if event["says"] == "closed"]


def test_the_page_is_up_to_date():
    assert (ROOT / "docs" / "field-cases.md").read_text(encoding="utf-8") == page()
