"""One notice for what fails together."""

from escalation.notify.grouping import grouped


def pairs(text: str) -> list[tuple[str, int]]:
    return [(letter, number) for number, letter in enumerate(text)]


def test_nothing_makes_no_notice():
    assert grouped([], alike=str, above=3) == []


def test_a_few_are_told_one_by_one():
    due = pairs("aaa")
    assert grouped(due, alike=lambda one: one[0], above=3) == [(due[0],), (due[1],), (due[2],)]


def test_more_than_a_few_alike_are_told_in_one():
    due = pairs("aabaab")
    assert grouped(due, alike=lambda one: one[0], above=3) == [(due[0], due[1], due[3], due[4]), (due[2],), (due[5],)]


def test_hundreds_are_one_notice():
    assert [len(some) for some in grouped(pairs("a" * 214), alike=lambda one: one[0], above=3)] == [214]
