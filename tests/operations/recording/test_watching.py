"""Whoever watches is told of every change in the transaction that makes it, and of nothing that is no news."""

import pytest

from operations import models
from operations.core.schedule import Reason
from operations.recording import watching, writing
from operations.recording.registering_many import register_many
from tests.operations.rows import BY, NOW, binding, intent, later, registered, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(monkeypatch):
    """Everything a watcher is told, in order."""
    heard: list[tuple[watching.Changed, ...]] = []
    monkeypatch.setattr(watching, "_watchers", [lambda some, _: heard.append(tuple(some))])
    return heard


def sealed(operation):
    with writing(operation, now=later(10)) as pen:
        pen.append(models.Seal(id=operation, operation=pen.operation, sealed_at=later(10), sealed_by=BY))
        pen.finish()


def test_what_is_new_and_needs_nobody_is_no_news(told):
    registered()
    assert told == []


def test_every_change_of_an_operation_is_told_once(told):
    operation = registered().operation_id
    with writing(operation, now=later(10)) as pen:
        pen.finish()
    [[changed]] = told
    assert (changed.operation.id, changed.needs, changed.fresh) == (operation, (), False)


def test_a_reason_is_told_from_when_it_holds(told):
    operation = registered().operation_id
    with writing(operation, now=later(10_000)) as pen:
        pen.finish()
    [[changed]] = told
    assert Reason.UNKNOWN_TOO_LONG in [need.reason for need in changed.needs]


def test_what_still_lies_ahead_is_when_somebody_is_called(told):
    operation = registered().operation_id
    due = models.Due.objects.get(operation=operation)
    assert due.call_at == due.person_at
    assert due.call_at is not None
    assert due.call_at > NOW


def test_an_operation_whose_window_is_nearly_over_needs_somebody_as_it_is_registered(told):
    registered(deadline=later(60))
    [[changed]] = told
    assert changed.fresh
    assert [need.reason for need in changed.needs] == [Reason.DEADLINE]


def test_those_of_a_batch_are_told_together(told):
    wanted = [
        (binding(request("order-1"), deadline=later(60)), intent()),
        (binding(request("order-2", parcel="Oak")), intent()),
        (binding(request("order-3", parcel="Elm"), deadline=later(30)), intent()),
    ]
    register_many(wanted, now=NOW, by=BY)
    [some] = told
    assert sorted(one.operation.identity for one in some) == ["order-1", "order-3"]


def test_one_that_was_registered_before_is_told_no_second_time(told):
    for _ in range(2):
        register_many([(binding(deadline=later(60)), intent())], now=NOW, by=BY)
    assert len(told) == 1


def test_a_watcher_that_raises_undoes_the_change(monkeypatch):
    def raising(some, _):
        raise RuntimeError("no")

    operation = registered().operation_id
    monkeypatch.setattr(watching, "_watchers", [raising])
    with pytest.raises(RuntimeError):
        sealed(operation)
    assert not models.Seal.objects.exists()


def test_whoever_watches_twice_is_told_once():
    before = list(watching._watchers)
    try:
        watching.watch(print)
        watching.watch(print)
        assert watching._watchers.count(print) == 1
    finally:
        watching._watchers[:] = before
