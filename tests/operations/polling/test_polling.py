"""What is due is asked about, over real HTTP: politely, once, and only by what the stored request carries."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest
from django.conf import settings as django_settings
from django.db import connection

from operations import models
from operations.channels.base import Limits
from operations.contracts.loading import library_text
from operations.core.facts import Sends
from operations.core.schedule import Reason, Timing
from operations.polling import Polled, poll
from operations.recording import Intent, pacing, register
from operations.tasks import poll as poll_task
from tests.operations import rows
from tests.operations.polling.waiting import PACING, recipient, text, waiting
from tests.recipients.counting import Behaviour

pytestmark = pytest.mark.django_db(transaction=True)


def seen() -> set[str]:
    return {row.evidence for row in models.Operation.objects.all()}


class TestNothingLeaves:
    def test_where_nothing_is_due(self, ask, asked, made, clock):
        contract = made(0)
        waiting(contract, range(3), begun_at=clock())
        assert (ask(), asked.counted.asks.total()) == (Polled(asks=0, claims=0), 0)

    def test_where_the_stored_request_lacks_what_the_lookup_asks_by(self, ask, asked, clock, monkeypatch):
        """A request without its Idempotency-Key can't be looked up by it: the answer would be about nobody's request."""
        contract = recipient(asked.url, environ=monkeypatch)
        bare = rows.request("order-1", headers=(("content-type", "application/json"),))
        begun = clock() - timedelta(minutes=1)
        intent = Intent(attempt="a1", sends=Sends.ONE, scope="desk/main", begun_at=begun)
        register(rows.binding(bare, contract=contract), intent=intent, now=begun, by="x")
        ask()
        clock.on(86_400)
        ask()
        found = models.Due.objects.get()
        assert (asked.counted.asks.total(), found.at, found.why) == (0, None, Timing.NO_CHANNEL)
        assert found.person_because == Reason.NO_POLLABLE_CHANNEL
        assert "carries nothing at /headers/idempotency-key" in found.asked["record"]["cannot"]
        assert models.Pace.objects.get().failures == 0

    def test_where_the_credential_is_for_another_origin(self, ask, asked, made, monkeypatch):
        made(20)
        monkeypatch.setenv("UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN_FOR", "https://desk.example")
        ask()
        row = models.Pace.objects.get()
        assert (asked.counted.asks.total(), row.paused_since is not None) == (0, True)
        assert "COLLECTION_DESK_TOKEN" in row.failure
        assert "credential-of-one" not in row.failure

    def test_where_the_network_is_not_allowed(self, ask, asked, made, monkeypatch):
        made(20)
        monkeypatch.delenv("UNRESOLVED_ALLOWED_NETWORKS")
        ask()
        assert asked.counted.asks.total() == 0
        assert models.Pace.objects.get().paused_since is not None
        assert not models.Observation.objects.exists()


class TestAnswers:
    def test_each_operation_is_asked_about_once_and_its_answer_read(self, ask, asked, made):
        made(300)
        assert ask().asks == 300
        assert set(asked.counted.asks.values()) == {1}
        assert seen() == {"applied"}
        assert models.Observation.objects.count() == models.Reading.objects.filter(counts=True).count() == 300
        assert set(models.Due.objects.values_list("lease", "why")) == {(None, Timing.WATCH)}
        assert models.Pace.objects.get().held == {}

    def test_a_question_carries_the_credential_and_only_reads(self, ask, asked, made):
        made(1)
        ask()
        head = asked.counted.heads[0].lower()
        assert head.startswith("get /operations/order-0 http/1.1\r\n")
        assert "authorization: bearer credential-of-one" in head
        stored = models.Observation.objects.get()
        assert (stored.source, stored.authentic, stored.status) == ("the desk", True, 200)

    def test_what_is_under_way_is_asked_again_later_and_later(self, ask, asked, made, clock):
        asked.behaviour = Behaviour(state="pending")
        made(1)
        waits = []
        for _ in range(4):
            ask()
            at = models.Due.objects.get().at
            assert at is not None
            waits.append((at - clock()).total_seconds())
            clock.on(waits[-1])
        assert waits == sorted(waits)
        assert waits[-1] > 2 * waits[0]
        assert (models.Due.objects.get().asks_made, models.Observation.objects.count()) == (4, 4)

    @pytest.mark.parametrize("status", [404, 418, 500])
    def test_an_answer_of_any_kind_is_evidence_and_no_failure(self, ask, asked, made, status):
        asked.behaviour = Behaviour(status=status)
        made(10)
        ask()
        assert set(models.Observation.objects.values_list("status", flat=True)) == {status}
        assert (models.Observation.objects.count(), models.Pace.objects.get().failures) == (10, 0)

    def test_an_ask_without_an_answer_is_no_observation(self, ask, asked, made, clock):
        asked.behaviour = Behaviour(cut=True)
        made(2)
        before = list(models.Operation.objects.values_list("revision", "head"))
        ask()
        assert not models.Observation.objects.exists()
        assert list(models.Operation.objects.values_list("revision", "head")) == before
        for row in models.Due.objects.all():
            assert (row.asks_made, row.failed_at, bool(row.failure)) == (1, clock(), True)

    def test_an_answer_that_is_the_same_as_before_is_no_new_observation(self, ask, asked, clock, monkeypatch):
        contract = recipient(asked.url, environ=monkeypatch)
        old = "      headers: {cache-control: no-cache}\n"
        assert old in contract.document
        revalidating = contract.document.replace(old, f"{old}      revalidate: true\n", 1)
        models.Contract.objects.create(
            recipient=contract.recipient,
            version=2,
            document=revalidating,
            digest="1" * 64,
            created_at=clock(),
            published_at=clock(),
        )
        newest = models.Contract.objects.get(version=2)
        waiting(newest, [1], begun_at=clock() - timedelta(minutes=1))
        asked.behaviour = Behaviour(state="pending", headers=('etag: "v1"',))
        ask()
        asked.behaviour = Behaviour(status=304, headers=('etag: "v1"',))
        clock.on(60)
        ask()
        assert 'if-none-match: "v1"' in asked.counted.heads[1].lower()
        assert (models.Observation.objects.count(), models.Due.objects.get().asks_made) == (1, 2)
        assert models.Pace.objects.get().failures == 0


class TestHarm:
    def test_a_recipient_that_stalls_holds_nothing_up_and_is_paused(self, ask, asked, made):
        asked.behaviour = Behaviour(wait=60)
        made(20, at_once=1)
        assert ask(limits=Limits(answer_within=0.1)).asks == 5
        row = models.Pace.objects.get()
        assert (row.failures, row.held, models.Due.objects.exclude(lease=None).exists()) == (5, {}, False)
        assert row.paused_since is not None

    def test_an_answer_without_end_is_cut_and_settles_nothing(self, ask, asked, made):
        asked.behaviour = Behaviour(padding=200_000)
        made(1)
        ask(limits=Limits(most_bytes=1_000))
        stored = models.Observation.objects.get()
        assert stored.payload is not None
        assert (len(stored.payload), stored.truncated) == (1_000, True)
        assert seen() == {"unknown"}

    def test_a_redirect_is_an_answer_and_not_followed(self, ask, asked, made):
        asked.behaviour = Behaviour(status=302, headers=(f"location: {asked.url}/elsewhere/order-9",))
        made(1)
        ask()
        assert dict(asked.counted.asks) == {"order-0": 1}
        assert models.Observation.objects.get().status == 302
        assert seen() == {"unknown"}


class TestPace:
    def test_no_more_are_asked_at_once_than_the_contract_allows(self, ask, asked, made):
        asked.behaviour = Behaviour(wait=0.01)
        made(60, at_once=7)
        ask()
        assert (asked.counted.asks.total(), asked.counted.most_at_once) == (60, 7)

    def test_two_tasks_at_once_share_the_places_and_the_work(self, asked, made):
        asked.behaviour = Behaviour(wait=0.01)
        made(120, at_once=7)

        def task(_: int) -> int:
            try:
                return sum(poll(clock=lambda: datetime.now(UTC), most=4).asks for _ in range(5))
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as threads:
            asks = list(threads.map(task, range(2)))
        assert asked.counted.most_at_once <= 7
        assert sum(asks) == asked.counted.asks.total() == models.Observation.objects.count() == 120
        assert set(asked.counted.asks.values()) == {1}

    def test_asks_are_as_far_apart_as_the_contract_wants(self, ask, made):
        made(40, per_second=4, at_once=1)
        ask(within=5)
        times = sorted(one.asked_at for one in models.Observation.objects.all() if one.asked_at is not None)
        apart = [(later - sooner).total_seconds() for sooner, later in pairwise(times)]
        assert (len(times), min(apart)) == (20, 0.25)
        held = models.Due.objects.exclude(lease=None).count()
        assert (held, models.Due.objects.filter(asks_made=0).count()) == (0, 20)

    @pytest.mark.parametrize("form", ["seconds", "date"])
    @pytest.mark.parametrize("status", [429, 503])
    def test_a_wish_to_be_left_alone_is_kept_and_stored(self, ask, asked, made, clock, form, status):
        until = clock() + timedelta(seconds=120)
        said = "120" if form == "seconds" else format_datetime(until, usegmt=True)
        asked.behaviour = Behaviour(status=status, headers=(f"retry-after: {said}",))
        made(50, at_once=1)
        ask()
        assert asked.counted.asks.total() == models.Observation.objects.filter(status=status).count() == 1
        assert models.Pace.objects.get().not_before == until
        asked.behaviour = Behaviour()
        clock.on(119)
        assert ask().asks == 0
        clock.on(1)
        assert ask().asks >= 49


@pytest.fixture
def broken(ask, asked, made):
    """The recipient after asks that it gave no answer to."""
    asked.behaviour = Behaviour(cut=True)
    contract = made(50, at_once=1)
    ask()
    return contract


@pytest.mark.usefixtures("broken")
class TestBreaker:
    def test_it_opens_after_five_asks_without_an_answer(self, clock):
        row = models.Pace.objects.get()
        assert models.Due.objects.filter(asks_made=1).count() == 5
        assert (row.failures, row.paused_since) == (5, clock())
        assert row.paused_because.startswith("5 asks in a row got no answer.")

    def test_while_it_is_open_nobody_asks(self, ask, asked, clock):
        before = asked.counted.asks.total()
        clock.on(20)
        assert (ask().asks, asked.counted.asks.total()) == (0, before)

    def test_one_ask_tries_later_and_later(self, ask, clock):
        waits = []
        for _ in range(3):
            probe_at = models.Pace.objects.get().probe_at
            assert probe_at is not None
            waits.append((probe_at - clock()).total_seconds())
            clock.on(waits[-1])
            assert ask().asks == 1
        assert waits == sorted(waits)
        assert waits[-1] > 2 * waits[0]

    def test_an_answer_closes_it(self, ask, asked, clock):
        asked.behaviour = Behaviour()
        clock.on(60)
        assert ask().asks == 50
        row = models.Pace.objects.get()
        assert (row.failures, row.paused_since, row.paused_because, row.probe_at) == (0, None, "", None)
        assert seen() == {"applied"}

    def test_a_person_closes_it_at_once(self, broken, ask, asked, clock):
        asked.behaviour = Behaviour()
        pacing.reset(broken.recipient_id, by="mira", now=clock())
        assert ask().asks == 45
        clock.on(600)
        assert ask().asks == 5


class TestExhausted:
    def test_it_calls_a_person_and_changes_no_verdict(self, ask, asked, made, clock, settings):
        settings.ASKING = {**django_settings.ASKING, "asks_allowed": 2}
        asked.behaviour = Behaviour(status=404)
        made(1)
        ask()
        clock.on(60)
        before = models.Operation.objects.values("evidence", "finality", "protection", "situation").get()
        ask()
        found = models.Due.objects.get()
        assert (found.at, found.why, found.person_because) == (None, Timing.POLLS_EXHAUSTED, Reason.POLLS_EXHAUSTED)
        assert found.person_at is not None
        assert found.person_at <= clock()
        assert models.Operation.objects.values("evidence", "finality", "protection", "situation").get() == before
        clock.on(86_400)
        assert ask().asks == 0


def test_the_task_asks_about_what_is_due_by_the_clock(asked, made):
    made(3)
    poll_task()
    assert asked.counted.asks.total() == models.Observation.objects.count() == 3


def test_the_pacing_that_these_tests_replace_is_the_librarys():
    assert PACING in library_text("collection-desk")
    assert PACING not in text()
