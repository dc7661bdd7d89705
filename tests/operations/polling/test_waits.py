"""What an answer says about asking again is heeded, over real HTTP: a wish to wait, and how long a cache may repeat it."""

from datetime import datetime, timedelta
from email.utils import format_datetime

import pytest

from operations import models
from operations.core.schedule import Timing
from operations.recording import Report
from operations.reporting import report, say
from tests.operations.polling.waiting import recipient, waiting
from tests.recipients.counting import Behaviour

pytestmark = pytest.mark.django_db(transaction=True)


def cached(contract: models.Contract, *, now: datetime) -> models.Contract:
    """The contract with a question that caches on the way may answer, in force from now on."""
    asked_anew = "      headers: {cache-control: no-cache}\n"
    assert asked_anew in contract.document
    made = models.Contract(
        recipient=contract.recipient,
        version=2,
        document=contract.document.replace(asked_anew, "", 1),
        digest="1" * 64,
        created_at=now,
        published_at=now,
    )
    made.save()
    return made


class TestFreshness:
    """RFC 9111: until an answer stops being fresh, a cache on the way may give it again."""

    TOLD = ("cache-control: public, max-age=600", "age: 100")

    def next_in(self, clock) -> tuple[float, str]:
        found = models.Due.objects.get()
        assert found.at is not None
        return (found.at - clock()).total_seconds(), found.why

    def test_a_question_that_forbids_caches_is_asked_again_by_backoff(self, ask, asked, made, clock):
        asked.behaviour = Behaviour(state="pending", headers=self.TOLD)
        made(1)
        ask()
        wait, why = self.next_in(clock)
        assert (wait < 20, why) == (True, Timing.BACKOFF)

    def test_a_question_that_a_cache_may_answer_waits_until_it_can_teach_something(
        self, ask, asked, clock, monkeypatch
    ):
        contract = cached(recipient(asked.url, environ=monkeypatch), now=clock())
        asked.behaviour = Behaviour(state="pending", headers=self.TOLD)
        waiting(contract, [1], begun_at=clock() - timedelta(minutes=1))
        ask()
        assert self.next_in(clock) == (500, Timing.FRESH)
        clock.on(499)
        assert ask().asks == 0
        clock.on(1)
        assert ask().asks == 1

    def test_an_answer_that_no_cache_may_keep_puts_nothing_off(self, ask, asked, clock, monkeypatch):
        contract = cached(recipient(asked.url, environ=monkeypatch), now=clock())
        waiting(contract, [1], begun_at=clock() - timedelta(minutes=1))
        asked.behaviour = Behaviour(state="pending", headers=self.TOLD)
        ask()
        clock.on(500)
        asked.behaviour = Behaviour(state="pending", headers=("cache-control: no-store, max-age=600",))
        ask()
        assert self.next_in(clock)[1] == Timing.BACKOFF

    def test_before_the_deadline_it_is_asked_all_the_same(self, ask, asked, clock, monkeypatch):
        contract = cached(recipient(asked.url, environ=monkeypatch), now=clock())
        asked.behaviour = Behaviour(state="pending", headers=self.TOLD)
        waiting(contract, [1], begun_at=clock() - timedelta(minutes=1), deadline=clock() + timedelta(seconds=480))
        ask()
        assert self.next_in(clock) == (480 - 300, Timing.BEFORE_DEADLINE)


class TestWishes:
    """Retry-After of an answer about one operation holds its next question back, and no other's."""

    @pytest.mark.parametrize("form", ["seconds", "date"])
    def test_a_pending_record_that_names_a_time_is_not_asked_for_before(self, ask, asked, made, clock, form):
        until = clock() + timedelta(seconds=400)
        said = "400" if form == "seconds" else format_datetime(until, usegmt=True)
        asked.behaviour = Behaviour(state="pending", headers=(f"retry-after: {said}",))
        made(2)
        ask()
        plans = models.Due.objects.values_list("at", "why")
        assert {(at.replace(microsecond=0) if at else None, why) for at, why in plans} == {(until, Timing.RETRY_AFTER)}
        assert models.Pace.objects.get().not_before is None

    def test_an_accepted_request_is_not_asked_about_before_its_reply_wants_it(self, ask, asked, made, clock):
        made(2)
        told = models.Operation.objects.earliest("number")
        reply = Report(
            event="reply",
            channel="reply",
            attempt="a1",
            received_at=clock() - timedelta(seconds=50),
            authentic=True,
            status=202,
            headers=(("retry-after", "120"),),
        )
        report(told.id, reply, now=clock(), source="the socket's owner")
        ask()
        assert set(asked.counted.asks) == {"order-1"}
        assert models.Due.objects.get(operation=told).why == Timing.RETRY_AFTER
        clock.on(69)
        ask()
        assert asked.counted.asks["order-0"] == 0
        clock.on(1)
        ask()
        assert asked.counted.asks["order-0"] == 1

    @pytest.mark.parametrize("status", [429, 503])
    def test_what_an_agent_was_answered_leaves_the_recipient_alone_for_no_other_operation(
        self, ask, asked, made, clock, status
    ):
        """Its limits may be its own, and whoever reports replies must not silence the desk about other operations."""
        made(2)
        told = models.Operation.objects.earliest("number")
        reply = Report(
            event="reply",
            channel="reply",
            attempt="a1",
            received_at=clock(),
            authentic=True,
            status=status,
            headers=(("retry-after", "86400"),),
        )
        report(told.id, reply, now=clock(), source="the socket's owner")
        ask()
        assert set(asked.counted.asks) == {"order-1"}
        assert models.Pace.objects.get().not_before is None

    def test_a_reply_that_came_tomorrow_puts_off_no_longer_than_one_of_today(self, made, clock):
        made(1)
        reply = Report(
            event="reply",
            channel="reply",
            attempt="a1",
            received_at=clock() + timedelta(days=300),
            authentic=True,
            status=202,
            headers=(("retry-after", "120"),),
        )
        report(models.Operation.objects.get().id, reply, now=clock(), source="the socket's owner")
        assert models.Due.objects.get().at == clock() + timedelta(seconds=120)

    def test_words_put_nothing_off(self, made, clock):
        made(1)
        before = models.Due.objects.get().at
        words = Report(
            event="said",
            channel="agent-reported",
            received_at=clock(),
            authentic=False,
            headers=(("retry-after", "86400"),),
            words="Wait a day.",
        )
        say(models.Operation.objects.get().id, words, now=clock(), source="agent")
        after = models.Due.objects.get()
        assert (after.at, after.why) == (max(before, clock()) if before else None, Timing.BACKOFF)
