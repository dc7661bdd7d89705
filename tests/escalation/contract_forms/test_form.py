"""The interview is a form over a contract's text: nothing is chosen beforehand, and what it doesn't ask stays."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from escalation.contract_forms import ContractForm, FormRefused, blank_text
from escalation.contract_forms.fields import Kind
from escalation.contract_forms.form import Question, RowsShown, faults_of
from escalation.contract_forms.yaml_writer import rewritten, written
from operations.contracts.loading import library, library_text
from operations.contracts.yaml_text import read
from tests.contracts.documents import text


def questions(form: ContractForm) -> list[Question]:
    """Every question that a form asks, those of rows included."""
    found: list[Question] = []
    for section in form.sections():
        for part in section.parts:
            found += [one for row in part.rows for one in row.questions] if isinstance(part, RowsShown) else [part]
    return found


def rows_sent(form: ContractForm) -> dict[str, str]:
    """What a browser sends of the rows themselves."""
    parts = [part for section in form.sections() for part in section.parts if isinstance(part, RowsShown)]
    post = {f"{part.about.place}:count": str(part.count) for part in parts}
    for row in [row for part in parts for row in part.rows]:
        post |= {f"{row.prefix}:name": row.key, f"{row.prefix}:was": row.was}
    return post


def answer_sent(one: Question) -> dict[str, str]:
    """What a browser sends for one question, nothing for one that can only be answered in the text."""
    if one.told is None:
        return {}
    if one.field.kind is Kind.INTERVAL:
        return {one.name: one.told.token, f"{one.name}#seconds": one.told.text}
    return {one.name: one.told.token if one.field.options else one.told.text}


def as_sent(form: ContractForm, **typed: str) -> dict[str, str]:
    """What a browser sends for a form as it is shown, with other answers by place."""
    post = rows_sent(form)
    for one in questions(form):
        post |= answer_sent(one)
    return {**post, **typed}


def parsed(told: str) -> Any:
    return read(told).value


def value(form: ContractForm, **typed: str) -> Any:
    return parsed(form.written(as_sent(form, **typed)))


def test_nothing_is_chosen_in_a_contract_that_was_just_begun():
    asked = questions(ContractForm(blank_text()))
    assert len(asked) > 60
    assert {(one.told.token, one.told.text) for one in asked if one.told is not None} == {("", "")}


def test_not_documented_is_an_answer_to_every_promise_and_to_every_question():
    """Each term can be left silent in so many words; what has no such word can't be silent."""
    asked = {one.name: one for one in questions(ContractForm(blank_text()))}
    for place in ("mechanism/is", "guaranteed_for/is", "after/is", "covers/is", "concurrent_use/is"):
        assert "undocumented" in [option.token for option in asked[f"/protection/{place}"].field.options]
    for one in asked.values():
        if one.name.startswith("/interview/") and one.field.kind is Kind.EITHER:
            assert one.field.options[0].label == "Not documented"


@pytest.mark.parametrize("name", list(library()))
def test_a_form_that_is_sent_as_it_was_shown_changes_no_letter(name):
    form = ContractForm(library_text(name))
    assert form.written(as_sent(form)) == library_text(name)


def test_what_the_form_does_not_ask_and_what_did_not_change_stands_as_it_was_written():
    before = library_text("collection-desk")
    form = ContractForm(before)
    after = form.written(as_sent(form, **{"/protection/margin": "120"}))
    one, other = dict(parsed(before)), dict(parsed(after))
    assert other.pop("protection") == {**one.pop("protection"), "margin": 120}
    assert other == one
    assert faults_of(after) == ()
    assert before[: before.index("protection:")] == after[: after.index("protection:")]
    assert before[before.index("\nclosure:") :] == after[after.index("\nclosure:") :]


def test_a_word_takes_the_place_of_members_and_members_that_of_a_word():
    form = ContractForm(text())
    assert value(form, **{"/identity/carrier": "null"})["identity"]["carrier"] is None
    told = {
        "/interview/receipts": "stated",
        "/interview/receipts/answer": "The reply.",
        "/interview/receipts/sources": "docs",
    }
    assert value(form, **told)["interview"]["receipts"] == {"answer": "The reply.", "sources": ["docs"]}


def test_what_was_typed_below_a_question_that_nobody_answered_is_not_thrown_away():
    form = ContractForm(blank_text())
    with pytest.raises(FormRefused) as refused:
        form.written(as_sent(form, **{"/interview/receipts/answer": "The reply."}))
    assert list(refused.value.problems) == ["/interview/receipts"]


def test_an_interval_is_seconds_or_a_word():
    form = ContractForm(text())
    place = "/protection/guaranteed_for/is"
    assert value(form, **{place: "seconds", f"{place}#seconds": "90"})["protection"]["guaranteed_for"]["is"] == 90
    assert value(form, **{place: "while_exists"})["protection"]["guaranteed_for"]["is"] == "while_exists"
    for wrong in ("", "soon", "-1", "nan", "1e99"):
        with pytest.raises(FormRefused) as refused:
            form.written(as_sent(form, **{place: "seconds", f"{place}#seconds": wrong}))
        assert list(refused.value.problems) == [place]


def test_a_choice_that_was_not_offered_is_not_written():
    form = ContractForm(text())
    with pytest.raises(FormRefused):
        form.written(as_sent(form, **{"/protection/covers/is": "everything"}))


def test_none_in_so_many_words_is_an_empty_list_and_nothing_is_no_list():
    form = ContractForm(text())
    assert value(form, **{"/identity/scope": "none"})["identity"]["scope"] == []
    assert "scope" not in value(form, **{"/identity/scope": ""})["identity"]


def test_a_channel_is_added_renamed_and_taken_away():
    form = ContractForm(text())
    last = max(int(name.split(":")[1]) for name in as_sent(form) if name.startswith("/channels:") and ":name" in name)
    added = {f"/channels:{last}:name": "console", f"/channels:{last}/about": "A screen."}
    assert value(form, **added)["channels"]["console"] == {"about": "A screen."}
    renamed = value(form, **{"/channels:1:name": "ledger"})["channels"]
    assert list(renamed) == ["reply", "ledger", "wire"]
    assert renamed["ledger"]["asks"]["carried_by"] == {"key": "/headers/idempotency-key"}
    assert list(value(form, **{"/channels:1:gone": "on"})["channels"]) == ["reply", "wire"]


def test_what_a_form_did_not_ask_for_stays():
    assert parsed(ContractForm(text()).written({"/title": "Another"})) == {**parsed(text()), "title": "Another"}


@pytest.mark.parametrize("name", ["", "reply"])
def test_a_channel_without_a_name_of_its_own_is_not_written(name):
    form = ContractForm(text())
    with pytest.raises(FormRefused) as refused:
        form.written(as_sent(form, **{"/channels:1:name": name}))
    assert list(refused.value.problems) == ["/channels:1:name"]


def test_what_was_typed_is_shown_again_where_it_could_not_be_written():
    form = ContractForm(text())
    post = as_sent(form, **{"/protection/margin": "soon", "/title": "Another title"})
    with pytest.raises(FormRefused) as refused:
        form.written(post)
    again = {one.name: one for one in questions(ContractForm(text(), post=post, problems=refused.value.problems))}
    assert (again["/protection/margin"].told.text, again["/title"].told.text) == ("soon", "Another title")  # type: ignore[union-attr]
    assert again["/protection/margin"].problem == "Type a number."


def test_every_fault_of_the_loader_stands_at_its_question_or_is_told_with_its_line():
    broken = text({"/protection/covers": {"is": "every_outcome"}, "/channels/record/authority": "all", "/readings": []})
    form = ContractForm(broken)
    shown = [fault for one in questions(form) for fault in one.faults]
    rows = [part for section in form.sections() for part in section.parts if isinstance(part, RowsShown)]
    shown += [fault for part in rows for fault in (*part.faults, *[one for row in part.rows for one in row.faults])]
    assert sorted(map(str, (*shown, *form.elsewhere()))) == sorted(map(str, faults_of(broken)))
    at = {one.name: [fault.fault.rule for fault in one.faults] for one in questions(form) if one.faults}
    assert at == {"/channels:1/authority": ["enum"]}
    assert [fault.fault.place for fault in form.elsewhere()] == ["/readings"]


def test_a_part_that_is_not_there_at_all_is_told_at_the_first_question_about_it():
    asked = {one.name: one for one in questions(ContractForm(blank_text()))}
    assert [fault.fault.place for fault in asked["/effect/word"].faults] == ["/effect"]
    assert [fault.fault.place for fault in asked["/protection/mechanism/is"].faults] == ["/protection"]


@pytest.mark.parametrize("broken", ["a: [", "- 1", "a: &b 1", "'text'"])
def test_of_a_text_that_is_no_map_no_form_is_made(broken):
    form = ContractForm(broken)
    assert form.value is None
    assert form.faults
    with pytest.raises(FormRefused):
        form.written({})


def test_a_value_of_another_shape_is_left_to_the_text():
    form = ContractForm(text({"/title": ["several"]}))
    (title,) = [one for one in questions(form) if one.name == "/title"]
    assert title.told is None
    assert value(form)["title"] == ["several"]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.sampled_from([0.5, 0.000001, 3600.25]) | TEXTS
    | st.sampled_from(["y", "no", "On", "~", "010", "1e5", "1:30", "2026-11-30", "- a", "a: b", "#", "*a", "&a", "{}", "a\nb"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS.filter(lambda key: key != "<<"), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(VALUES)
def test_whatever_is_written_is_read_back(told):
    assert read(written({"a": told})).value == {"a": told}


@given(st.dictionaries(st.sampled_from(["effect", "owner", "title", "sources"]), VALUES, max_size=4))
def test_a_rewritten_text_says_what_it_should(told):
    assert read(rewritten(library_text("collection-desk"), told)).value == told
