"""A contract that rests on invented answers alone is a draft, and the core infers with its terms alone."""

import pytest

from operations.contracts.checking import check
from operations.contracts.loading import Draft, draft_reasons, library, library_text, selectable, terms_of
from operations.contracts.terms import normalisation, terms
from operations.core.facts import (
    After,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Covers,
    Guarantee,
    Mechanism,
    ProtectionTerms,
    Reads,
)
from operations.core.normalisation import EXACT
from tests.contracts.documents import contract, rule, text

INVENTED = {"/readings/0/examples/0/evidence": "invented"}


def test_a_contract_that_rests_on_invented_answers_is_a_draft_and_can_not_be_selected():
    with pytest.raises(Draft) as draft:
        selectable(contract(INVENTED))
    assert draft.value.reasons == ("what it reads as applied rests on invented answers alone",)


def test_a_rule_that_settles_nothing_may_rest_on_invention():
    harmless = rule("pending", says="pending", when={"at": "/status", "equals": 202}, examples=[INVENTED_EXAMPLE])
    assert draft_reasons(contract({"/readings/-": harmless})) == ()


INVENTED_EXAMPLE = {"name": "x", "evidence": "invented", "answer": {"status": 202, "body": {"key": "order-1"}}}


def test_a_refusal_that_covers_copies_needs_an_answer_of_its_own():
    when = {"at": "/status", "equals": 422}
    told = {"name": "x", "evidence": "invented", "answer": {"status": 422, "body": {"key": "order-1"}}}
    covering = rule("no", says="attempt_refused", covers_copies=True, when=when, examples=[told])
    assert draft_reasons(contract({"/readings/-": covering})) == (
        "what it reads as a refusal that covers copies rests on invented answers alone",
    )


def test_one_answer_that_was_recorded_or_documented_is_enough():
    document = contract()
    assert selectable(document) is document
    documented = {"/readings/0/examples/0/evidence": "documented", "/readings/0/examples/0/source": "docs"}
    assert draft_reasons(contract(documented)) == ()


def test_the_terms_are_those_that_were_written_and_no_others():
    assert terms_of(text()) == Contract(
        protection=ProtectionTerms(
            mechanism=Mechanism.KEY,
            guaranteed_for=3600,
            margin=30,
            after=After.RUNS_AS_NEW,
            covers=Covers.EVERY_OUTCOME,
            concurrent_use=ConcurrentUse.PROTECTED,
        ),
        closure=Closure(covers=ClosureCovers.IDENTITY),
        channels={
            "reply": Channel(authority=Authority.HISTORY, reads=Reads.STRONG, pollable=False),
            "record": Channel(authority=Authority.HISTORY, reads=Reads.STRONG),
            "wire": Channel(authority=Authority.CLIENT, pollable=False),
        },
    )


def test_a_contract_that_promises_nothing_gives_the_core_nothing():
    silent = {f"/protection/{name}": {"is": "undocumented"} for name in SILENT} | {"/closure/covers": EARLIER}
    promised = terms(contract(silent))
    assert promised.protection.guaranteed_for is Guarantee.UNDOCUMENTED
    assert promised.protection.mechanism is Mechanism.UNDOCUMENTED
    assert promised.closure == Closure()


SILENT = ("mechanism", "guaranteed_for", "after", "covers", "concurrent_use")
EARLIER = {"is": "earlier_attempts", "source": "docs"}


def test_without_a_comparison_rule_everything_binds():
    assert normalisation(contract()) == EXACT
    stated = {"json_by_value": ["/body"], "numbers_by_value": ["/body/sum"], "source": "docs"}
    rules = normalisation(contract({"/identity/compared": stated}))
    assert rules.json_by_value == frozenset({"/body"})
    assert rules.numbers_by_value == frozenset({"/body/sum"})


def test_a_name_that_the_library_does_not_have_is_no_file():
    for name in ("nowhere", "../document", ""):
        with pytest.raises(KeyError):
            library_text(name)


@pytest.mark.parametrize("name", list(library()))
def test_every_contract_of_the_library_is_clean(name):
    report = check(library_text(name))
    assert [str(fault) for fault in report.refused] == []
    assert report.findings == ()
    assert report.document is not None
    assert report.document.contract == name


@pytest.mark.parametrize("name", list(library()))
def test_every_contract_of_the_library_answers_the_interview_or_says_that_nobody_does(name):
    document = check(library_text(name)).document
    assert document is not None
    answers = [getattr(document.interview, question) for question in type(document.interview).model_fields]
    assert len(answers) == 7
    assert any(answer != "not documented" for answer in answers)


def test_a_check_reports_what_a_contract_leaves_open():
    report = check(text())
    assert not report.clean
    assert any(finding.startswith("no rule of record reads the status 201") for finding in report.findings)
    assert "no rule reads the channel wire" in report.findings
    assert check(text({"/format": 2})).document is None
