"""What is refused when a contract is loaded, with the place."""

from typing import Any

import pytest

from operations.contracts.loading import ContractRefused, load
from tests.contracts.documents import GONE, contract, refused, rule, text

ECHO = "/channels/reply/shows"


def reply(name: str = "replied", **told: Any) -> dict[str, Any]:
    return rule(name, channel="reply", **told)


def with_status(*statuses: int, **more: Any) -> dict[str, Any]:
    return {"all": [{"at": "/status", "in": list(statuses)}, {"at": "/body/key", "exists": True}], **more}


def covering(*statuses: int, **told: Any) -> dict[str, Any]:
    example = {"name": "x", "evidence": "recorded", "answer": {"status": statuses[0], "body": {"key": "order-1"}}}
    return reply(
        says="attempt_refused",
        covers_copies=True,
        when=with_status(*statuses),
        examples=[example],
        **told,
    )


def signing(*, scheme: str = "hmac_sha256", **more: Any) -> dict[str, Any]:
    """A channel of messages that are signed."""
    verification = {
        "scheme": scheme,
        "header": "x-signature",
        "secret": "TELLER",
        "tolerance": 300,
        "event_id": "/body/id",
        **more,
    }
    return {
        "kind": "webhook",
        "about": "What is told.",
        "authority": "history",
        "reads": "unordered",
        "source": "docs",
        "pollable": False,
        "verification": verification,
    }


def test_messages_whose_signed_body_dates_itself_are_not_refused():
    dated = {"at": "/body/sent_at", "form": "rfc_3339"}
    assert refused({"/channels/told": signing(dated=dated)}) == []
    assert refused({"/channels/told": signing(scheme="stripe")}) == []


def test_the_small_contract_itself_is_not_refused():
    assert refused({}) == []


@pytest.mark.parametrize(
    ("channel", "says"),
    [
        ("record", "not_sent"),  # only the socket's owner
        ("wire", "applied"),
        ("wire", "absent"),
    ],
)
def test_a_rule_whose_channel_can_not_carry_the_claim(channel, says):
    when = {"at": "/fact", "equals": "x"} if channel == "wire" else {"at": "/status", "equals": 200}
    told = rule("r", channel=channel, says=says, when=when, correlation={"by": "nothing"})
    assert ("/readings/0/says", "beyond_authority") in refused({"/readings": [told]})


@pytest.mark.parametrize(
    ("authority", "says"),
    [
        ("current", "absent"),
        ("transport", "applied"),
        ("none", "pending"),
        ("derived", "applied"),
        ("derived", "closed"),
    ],
)
def test_a_rule_beyond_the_authority_that_its_channel_has(authority, says):
    changes = {"/channels/record/authority": authority, "/readings/0/says": says}
    assert ("/readings/0/says", "beyond_authority") in refused(changes)


@pytest.mark.parametrize("status", [401, 403, 408, 409, 423, 425, 429, 500, 502, 503, 504, 599])
def test_a_refusal_that_covers_copies_on_a_status_of_the_moment(status):
    assert ("/readings/0/covers_copies", "of_the_moment") in refused({"/readings": [covering(422, status)]})


def test_a_refusal_that_covers_copies_whatever_the_status():
    told = covering(422)
    told["when"] = {"at": "/body/covers", "equals": True}
    assert ("/readings/0/covers_copies", "of_the_moment") in refused({"/readings": [told]})


def test_a_refusal_that_covers_copies_on_the_record_s_own_status_is_not_refused():
    assert refused({"/readings": [covering(400, 404, 410, 422)]}) == []


def test_covering_copies_belongs_to_a_refusal():
    assert ("/readings/0/covers_copies", "only_refusals") in refused({"/readings/0/covers_copies": True})


@pytest.mark.parametrize(
    "told",
    [
        {"says": "applied"},
        {"says": "closed"},
        {"says": "absent"},
        {"says": "attempt_refused", "covers_copies": True, "when": with_status(422)},
    ],
)
@pytest.mark.parametrize("promise", [None, "unquoted", "guess"])
def test_what_settles_is_not_read_from_a_reply_by_its_connection_alone(told, promise):
    ties = {"by": "connection"} | ({"promise": promise} if promise else {})
    assert ("/readings/0/correlation/promise", "no_echo") in refused({"/readings": [reply(correlation=ties, **told)]})


def test_a_quoted_promise_binds_a_reply_without_an_echo():
    example = {"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": {}}}
    told = reply(correlation={"by": "connection", "promise": "docs"}, examples=[example])
    assert refused({"/readings": [told]}) == []


def test_an_echo_has_to_be_somewhere():
    told = [reply()]
    assert ("/readings/0/correlation/by", "no_echo") in refused({ECHO: GONE, "/readings": told})
    both = [reply(correlation={"by": "identity_and_arguments"})]
    assert ("/readings/0/correlation/by", "no_echo") in refused({f"{ECHO}/arguments/to": GONE, "/readings": both})


@pytest.mark.parametrize("does", ["run", "first_answer", "undocumented"])
def test_a_success_under_a_number_alone_where_the_recipient_does_not_compare_arguments(does):
    changes = {"/identity/changed_arguments": {"is": does, "source": "docs"}}
    assert ("/readings/0/correlation/by", "arguments_not_compared") in refused(changes)
    both = {"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": {"key": "order-1", **ARGUMENTS}}}
    told = rule("r", correlation={"by": "identity_and_arguments"}, examples=[both])
    assert refused(changes | {"/readings": [told]}) == []


ARGUMENTS = {"to": "anna", "text": "hello"}


def test_a_lookup_by_what_the_request_never_carried():
    changes = {"/channels/record/asks/carried_by/key": "/body/metadata/key"}
    assert ("/channels/record/asks/carried_by/key", "never_carried") in refused(changes)
    assert refused(changes | {"/request/also_carries": ["/body/metadata/key"]}) == []


def test_a_question_by_arguments_ties_nothing():
    asks = {"target": "/letters?to={to}", "carried_by": {"to": "/target/to"}}
    told = rule("r", says="absent", correlation={"by": "question"})
    changes = {"/channels/record/asks": asks, "/readings": [told]}
    assert ("/readings/0/correlation/by", "no_question") in refused(changes)
    assert ("/readings/0/correlation/by", "no_question") in refused(
        {"/readings": [reply(correlation={"by": "question"})]}
    )


def test_a_number_without_a_margin():
    assert refused({"/protection/margin": GONE}) == [("/protection/margin", "no_margin")]


def test_a_stated_end_without_a_margin_or_without_its_time():
    undocumented = {"/protection/margin": GONE, "/protection/guaranteed_for": {"is": "undocumented"}}
    until = {"at": "/body/until", "form": "epoch_seconds"}
    stated = rule("r", says="protection_until", until=until)
    assert ("/protection/margin", "no_margin") in refused(undocumented | {"/readings": [stated]})
    assert ("/readings/0/until", "until") in refused({"/readings/0/says": "protection_until"})
    assert ("/readings/0/until", "until") in refused({"/readings/0/until": until})


@pytest.mark.parametrize("source", ["unquoted", "guess"])
def test_unlimited_needs_the_recipient_s_own_words(source):
    changes = {"/protection/guaranteed_for": {"is": "unlimited", "source": source}}
    assert ("/protection/guaranteed_for/source", "no_quote") in refused(changes)
    assert refused({"/protection/guaranteed_for": {"is": "unlimited", "source": "docs"}}) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("/protection/mechanism", "key"),
        ("/protection/guaranteed_for", 60),
        ("/protection/guaranteed_for", "while_exists"),
        ("/protection/after", "refused"),
        ("/protection/covers", "every_outcome"),
        ("/protection/concurrent_use", "protected"),
        ("/protection/repeat_while_pending", True),
        ("/protection/pending_fresh_for", 60),
        ("/closure/covers", "identity"),
    ],
)
def test_a_promise_that_opens_a_door_needs_a_source_and_not_an_inference(place, value):
    assert (place, "no_source") in refused({place: {"is": value}})
    assert (f"{place}/source", "inferred") in refused({place: {"is": value, "source": "guess"}})


@pytest.mark.parametrize(
    "field", ["mechanism", "guaranteed_for", "after", "covers", "concurrent_use", "repeat_while_pending"]
)
def test_no_term_of_protection_has_a_default(field):
    assert refused({f"/protection/{field}": GONE}) == [(f"/protection/{field}", "missing")]


@pytest.mark.parametrize("field", ["kind", "authority", "reads", "pollable"])
def test_nothing_of_a_channel_that_decides_has_a_default(field):
    assert refused({f"/channels/record/{field}": GONE}) == [(f"/channels/record/{field}", "missing")]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"/channels/record/authority": "history", "/channels/record/source": GONE},
            ("/channels/record/source", "no_source"),
        ),
        ({"/channels/record/source": "guess"}, ("/channels/record/source", "inferred")),
        ({"/channels/record/asks": GONE}, ("/channels/record/asks", "kind")),
        ({"/channels/record/pacing": GONE}, ("/channels/record/pacing", "no_pacing")),
        ({"/channels/reply/pollable": True}, ("/channels/reply/pollable", "kind")),
        ({"/channels/reply/kind": "webhook"}, ("/channels/reply/verification", "unverified")),
        ({"/channels/told": signing()}, ("/channels/told/verification/dated", "undated")),
        (
            {"/channels/told": signing(dated={"at": "/headers/date", "form": "http_date"})},
            ("/channels/told/verification/dated/at", "unsigned"),
        ),
        (
            {"/channels/told": signing(scheme="stripe", dated={"at": "/body/at", "form": "rfc_3339"})},
            ("/channels/told/verification/dated", "dated"),
        ),
        (
            {
                "/channels/told": signing(scheme="stripe"),
                "/readings/-": rule("told", channel="told", when={"at": "/preferences/wait", "exists": True}),
            },
            ("/readings/1/when", "part"),
        ),
        ({"/channels/wire/authority": "history"}, ("/channels/wire/authority", "kind")),
        ({"/channels/record/asks/target": "/letters/{who}"}, ("/channels/record/asks", "unknown_name")),
        ({"/channels/record/asks/target": "/letters"}, ("/channels/record/asks", "unused_name")),
        ({"/channels/record/asks/method": "POST"}, ("/channels/record/asks/only_reads", "no_quote")),
        ({"/channels/record/asks/method": "DELETE"}, ("/channels/record/asks/method", "literal_error")),
        ({"/channels/record/asks/body": {"a": "b"}}, ("/channels/record/asks/body", "body")),
        ({"/channels/record/credential": "s3cret value"}, ("/channels/record/credential", "string_pattern_mismatch")),
        (
            {"/channels/record/positive_is_conclusive": {"is": True, "source": "docs"}},
            ("/channels/record/positive_is_conclusive", "only_derived"),
        ),
        ({"/readings/0/channel": "nowhere"}, ("/readings/0/channel", "unknown_channel")),
        ({"/readings/-": rule("recorded")}, ("/readings/1/rule", "unique")),
        ({"/readings/0/reaches": "handler_finished"}, ("/readings/0/reaches", "boundary")),
        ({"/readings/0/source": "hearsay"}, ("/readings/0/source", "unknown_source")),
        ({"/readings/0/when": {"at": "/fact", "exists": True}}, ("/readings/0/when", "part")),
        ({"/readings/0/when": {"at": "/item/id", "exists": True}}, ("/readings/0/when", "part")),
        ({"/readings/0/when": {"at": "/body/x", "equals_argument": "who"}}, ("/readings/0/when", "unknown_argument")),
        ({"/readings/0/correlation/reference": "/body/id"}, ("/readings/0/correlation/reference", "reference")),
        ({"/readings/0/correlation/promise": "docs"}, ("/readings/0/correlation/promise", "promise")),
        ({"/readings/0/correlation": {"by": "connection"}}, ("/readings/0/correlation/by", "no_connection")),
        ({"/readings/0/examples": []}, ("/readings/0/examples", "too_short")),
        ({"/readings/0/examples/0/evidence": "documented"}, ("/readings/0/examples/0/source", "no_source")),
        ({"/identity/carrier": None}, ("/identity/carrier", "no_carrier")),
        ({"/identity/subject": ["who"]}, ("/identity/subject/0", "unknown_argument")),
        ({"/identity/scope_source": GONE}, ("/identity/scope_source", "no_source")),
        ({"/identity/compared": {"header_order_free": True}}, ("/identity/compared/source", "no_source")),
        (
            {"/identity/compared": {"any_order": ["/body/x"], "source": "docs"}},
            ("/identity/compared/any_order", "by_value"),
        ),
        ({"/identity/bound/to/at": "/body/to"}, ("/identity/bound/to/at", "not_in_specimen")),
        ({"/specimen/identity": "order-2"}, ("/identity/carrier/at", "not_in_specimen")),
        ({"/effect/sentence": "Send {what}"}, ("/effect/sentence", "unknown_argument")),
        (
            {"/interview/receipts": {"answer": "x", "sources": ["hearsay"]}},
            ("/interview/receipts/sources", "unknown_source"),
        ),
        ({"/interview/receipts": GONE}, ("/interview/receipts", "missing")),
        ({"/surprise": 1}, ("/surprise", "extra_forbidden")),
        ({"/format": 2}, ("/format", "literal_error")),
        ({"/protection/margin": "30"}, ("/protection/margin", "float_type")),
        ({"/channels/record/pollable": "yes"}, ("/channels/record/pollable", "bool_type")),
    ],
)
def test_what_else_is_refused_and_where(changes, fault):
    assert fault in refused(changes)


def test_conditions_nest_and_multiply_within_bounds():
    leaf = {"at": "/status", "equals": 200}
    deep = {"all": [{"any": [{"all": [{"any": [leaf]}]}]}]}
    many = {"all": [{"any": [{"at": f"/body/{row}", "equals": column} for column in range(6)]} for row in range(4)]}
    assert ("/readings/0/when", "too_much") in refused({"/readings/0/when": deep})
    assert ("/readings/0/when", "too_much") in refused({"/readings/0/when": many})


def test_an_example_that_is_not_read_as_it_says():
    assert refused({"/readings/0/examples/0/answer/status": 201}) == [("/readings/0/examples/0", "misread")]
    assert refused({"/readings/0/examples/0/answer/body/key": "other"}) == [("/readings/0/examples/0", "misread")]
    wrong = {"effect_refs": ["e-2"]}
    assert refused({"/readings/0/examples/0/reads": wrong}) == [("/readings/0/examples/0", "misread")]


def test_a_fault_names_the_line_it_was_written_in():
    told = text({"/protection/margin": GONE, "/readings/0/source": "hearsay"})
    lines = told.splitlines()
    with pytest.raises(ContractRefused) as refusal:
        load(told)
    for found in refusal.value.faults:
        inner = found.fault.place.rpartition("/")[2]
        assert f'"{inner}"' in lines[found.line - 1] or '"protection"' in lines[found.line - 1]
    assert f"line {refusal.value.faults[0].line}: " in str(refusal.value)


def test_what_is_no_yaml_is_refused_with_its_line():
    with pytest.raises(ContractRefused) as refusal:
        load("format: 1\nformat: 1\n")
    assert [(one.line, one.fault.rule) for one in refusal.value.faults] == [(2, "duplicate_key")]


@pytest.mark.parametrize("told", ["[]", "text", "1", "null"])
def test_what_is_no_map_is_refused(told):
    with pytest.raises(ContractRefused):
        load(told)


def test_a_contract_can_be_loaded_again_from_what_it_says():
    assert contract() == contract()
