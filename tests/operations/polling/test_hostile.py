"""What a recipient says, or an operation carries, hurts neither the record nor whoever else is asked about."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from operations import models
from operations.core.facts import Sends
from operations.core.schedule import Timing
from operations.polling import Polled, poll
from operations.recording import Intent, register
from tests.operations import rows
from tests.operations.polling.waiting import recipient, waiting
from tests.recipients.counting import Behaviour, counting, record

pytestmark = pytest.mark.django_db(transaction=True)


def one_task(clock) -> Polled:
    try:
        return poll(clock=clock, sleep=clock.sleep)
    finally:
        connection.close()


def until(holds: Callable[[], bool]) -> None:
    """Wait for what another thread brings about."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("It never came about.")


@pytest.fixture
def strange(asked, clock, monkeypatch):
    """Operations at the recipient under request numbers, or with headers, of somebody's choice, the longest due."""
    contract = recipient(asked.url, environ=monkeypatch, at_once=1)
    begun = clock() - timedelta(minutes=10)

    def strange(*keys: str, **more) -> models.Contract:
        for key in keys:
            binding = rows.binding(rows.request(key, parcel=f"of {key}", **more), contract=contract)
            intent = Intent(attempt="a1", sends=Sends.ONE, scope="desk/main", begun_at=begun)
            register(binding, intent=intent, now=begun, by="x")
        return contract

    return strange


@pytest.mark.parametrize(
    "key", ["order/{}", "../{}", "..;{}", "a%2f{}", "a%252f{}", "a\\{}", "a%00{}", "a%0d%0ax: y{}"]
)
def test_operations_that_can_not_be_asked_about_pause_no_recipient(strange, ask, asked, clock, key):
    contract = strange(*[key.format(number) for number in range(6)])
    waiting(contract, [1], begun_at=clock() - timedelta(minutes=1))
    ask()
    pace = models.Pace.objects.get()
    assert (dict(asked.counted.asks), pace.failures, pace.paused_since) == ({"order-1": 1}, 0, None)
    left = models.Due.objects.filter(why=Timing.NO_CHANNEL)
    assert (left.count(), {row.asked["record"]["cannot"][:26] for row in left}) == (6, {"The question can't go out."})


def test_operations_that_can_not_be_asked_about_keep_no_breaker_open(strange, ask, asked, clock):
    """One ask tries a paused recipient; one that is never made is no trial, and another makes it at once."""
    bare = (("content-type", "application/json"),)
    contract = strange(*[f"bare-{number}" for number in range(20)], headers=bare)
    waiting(contract, [1], begun_at=clock() - timedelta(minutes=1))
    models.Pace.objects.create(
        recipient=contract.recipient, failures=5, paused_since=clock(), paused_because="x", probe_at=clock()
    )
    for _ in range(25):
        ask()
        clock.on(1)
    assert dict(asked.counted.asks) == {"order-1": 1}
    assert models.Pace.objects.get().paused_since is None


@pytest.fixture
def tags(asked, clock, ask, monkeypatch):
    """What the recipient answers in turn, and the entity tag that each question carried, if it did."""
    contract = recipient(asked.url, environ=monkeypatch)
    plain = "      headers: {cache-control: no-cache}\n"
    assert plain in contract.document
    revalidating = contract.document.replace(plain, f"{plain}      revalidate: true\n", 1)
    contract = models.Contract.objects.create(
        recipient=contract.recipient,
        version=2,
        document=revalidating,
        digest="1" * 64,
        created_at=clock(),
        published_at=clock(),
    )
    waiting(contract, [1], begun_at=clock() - timedelta(minutes=1))

    def tags(*behaviours: Behaviour) -> list[str | None]:
        for behaviour in behaviours:
            asked.behaviour = behaviour
            ask()
            clock.on(1_000)
        lines = [dict(line.split(": ", 1) for line in head.split("\r\n")[1:]) for head in asked.counted.heads]
        return [line.get("if-none-match") for line in lines]

    return tags


PENDING = Behaviour(state="pending", headers=('etag: "v1"',))


def test_a_tag_that_comes_with_no_answer_is_not_asked_by(tags):
    """A 304 under another tag tells of an answer that the desk never had."""
    assert tags(PENDING, Behaviour(status=304, headers=('etag: "v2"',)), PENDING) == [None, '"v1"', '"v1"']


def test_an_answer_without_a_tag_ends_the_asking_by_the_one_before(tags):
    """Else 304 would stand for an answer that is not the last on record."""
    assert tags(PENDING, Behaviour(state="pending"), PENDING) == [None, '"v1"', None]


def test_a_tag_longer_than_is_kept_is_none(tags):
    assert tags(Behaviour(state="pending", headers=(f'etag: "{"v" * 300}"',)), PENDING) == [None, None]


@pytest.mark.parametrize("number", ["T\0", "T" * 300])
def test_an_answer_that_names_its_effect_by_what_no_row_can_hold_is_stored_and_read(ask, asked, made, number):
    said = json.loads(record("order-0", state="issued"))
    said["ticket"]["number"] = said["tickets"][0]["number"] = number
    asked.behaviour = Behaviour(body=json.dumps(said).encode())
    made(1)
    ask()
    row = models.Reading.objects.get()
    assert (row.says, row.effect_refs, models.Pace.objects.get().failures) == ("applied", [], 0)


def with_its_own_credential(contract: models.Contract, *, environ: pytest.MonkeyPatch) -> models.Contract:
    """The same contract in a version that asks with another secret, for this recipient's address."""
    environ.setenv("UNRESOLVED_CREDENTIAL_FAR_TOKEN", "credential-of-another")
    environ.setenv("UNRESOLVED_CREDENTIAL_FAR_TOKEN_FOR", contract.recipient.address)
    return models.Contract.objects.create(
        recipient=contract.recipient,
        version=2,
        document=contract.document.replace("credential: COLLECTION_DESK_TOKEN", "credential: FAR_TOKEN"),
        digest="2" * 64,
        created_at=contract.created_at,
        published_at=contract.published_at,
    )


def test_a_recipient_that_answers_slowly_holds_no_place_at_another(asked, clock, monkeypatch):
    """The other's place is free for every worker while one of them still waits for the slow one."""
    begun = clock() - timedelta(minutes=1)
    waiting(recipient(asked.url, environ=monkeypatch, at_once=1), [1], begun_at=begun)
    with ThreadPoolExecutor(1) as worker:
        with counting() as slow:
            slow.behaviour = Behaviour(wait=3_600)
            far = recipient(slow.url, key="desk-2", at_once=1)
            waiting(with_its_own_credential(far, environ=monkeypatch), [2], begun_at=begun)
            polled = worker.submit(one_task, clock)
            until(
                lambda: models.Observation.objects.exists() and not models.Pace.objects.get(recipient__key="desk").held
            )
            assert len(models.Pace.objects.get(recipient__key="desk-2").held) == 1
            assert not polled.done()
        assert polled.result(60).asks == 2
    assert models.Pace.objects.get(recipient__key="desk-2").held == {}
