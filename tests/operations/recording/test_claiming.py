"""Two workers never hold one operation, a lease that lapsed is nobody's, and all of them keep one pace."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from django.db import connection

from operations import models
from operations.recording import pacing
from operations.recording.claiming import Claim, claim, let_go
from tests.operations.polling.waiting import recipient, waiting
from tests.operations.rows import NOW, later

AT = "http://127.0.0.1:9"


@pytest.fixture
def contract(db) -> models.Contract:
    return recipient(AT)


def claimed(*, at: float = 60, within: float = 20, most: int = 1_000) -> Claim:
    return claim(uuid4(), now=later(at), within=within, leased_for=60, most=most)


def ids(found: Claim) -> list[UUID]:
    return [one.operation_id for _, leased in found.turns for one in leased]


@pytest.mark.django_db
class TestAlone:
    def test_what_is_not_due_yet_is_not_claimed(self, contract):
        waiting(contract, range(3), begun_at=NOW)
        assert claimed(at=1).turns == ()

    def test_a_recipient_without_an_address_is_not_asked(self, contract):
        waiting(contract, range(3), begun_at=NOW)
        models.Recipient.objects.update(address="")
        assert claimed().turns == ()

    def test_what_one_holds_the_next_does_not_get(self, contract):
        waiting(contract, range(3), begun_at=NOW)
        assert claimed().size == 3
        assert claimed().turns == ()

    def test_the_longest_due_goes_first_and_no_more_than_asked_for(self, contract):
        waiting(contract, range(5), begun_at=NOW)
        first = list(models.Due.objects.order_by("at").values_list("operation_id", flat=True))
        assert ids(claimed(most=2)) == first[:2]

    def test_a_lease_that_lapsed_is_claimed_again(self, contract):
        waiting(contract, range(3), begun_at=NOW)
        before = claimed(at=60)
        assert claimed(at=119).turns == ()
        again = claimed(at=120)
        assert set(ids(again)) == set(ids(before))
        assert set(models.Due.objects.values_list("lease", flat=True)) == {again.lease}

    def test_what_is_let_go_is_due_as_before(self, contract):
        waiting(contract, range(3), begun_at=NOW)
        due = list(models.Due.objects.order_by("operation_id").values())
        found = claimed()
        let_go(found, ids(found))
        assert list(models.Due.objects.order_by("operation_id").values()) == due
        assert models.Pace.objects.get().held == {}

    def test_what_another_claim_holds_is_not_let_go(self, contract):
        waiting(contract, range(3), begun_at=NOW)
        late = claimed(at=60)
        again = claimed(at=120)
        let_go(late, ids(late))
        assert set(models.Due.objects.values_list("lease", flat=True)) == {again.lease}


@pytest.mark.django_db
class TestPace:
    def test_claims_one_after_the_other_take_no_more_places_than_there_are(self):
        waiting(recipient(AT, at_once=10, per_second=1_000), range(30), begun_at=NOW)
        places = [found.turns[0][0].places for found in (claimed(most=7), claimed(most=7)) if found.turns]
        assert places == [7, 3]
        assert claimed(most=7).turns == ()

    def test_places_of_a_dead_worker_are_free_when_its_lease_ends(self):
        waiting(recipient(AT, at_once=2), range(10), begun_at=NOW)
        claimed(at=60, most=2)
        assert claimed(at=119).turns == ()
        assert claimed(at=121).turns[0][0].places == 2

    def test_what_the_rate_allows_is_shared_by_all_claims(self):
        waiting(recipient(AT, per_second=2, at_once=1_000), range(200), begun_at=NOW)
        first, second = claimed(within=10, most=5), claimed(within=10)
        assert (first.size, second.size) == (5, 15)
        one, other = first.turns[0][0], second.turns[0][0]
        assert (one.first_at, one.gap) == (later(60), 0.5)
        assert other.first_at == later(62.5)
        assert claimed(within=10).turns == ()
        assert claimed(at=69, within=10).turns[0][0].first_at == later(70)

    def test_a_recipient_is_asked_by_its_strictest_channel_and_the_version_in_force(self, contract):
        waiting(contract, range(10), begun_at=NOW)
        text = contract.document.replace("per_second: 10000, at_once: 100", "per_second: 10000, at_once: 1")
        models.Contract.objects.create(
            recipient=contract.recipient, version=2, document=text, digest="1" * 64, created_at=NOW, published_at=NOW
        )
        assert claimed().turns[0][0].places == 1

    def test_recipients_share_a_claim_evenly(self, contract):
        waiting(contract, range(50), begun_at=NOW)
        waiting(recipient(AT, key="desk-2"), range(50), begun_at=NOW)
        assert [len(leased) for _, leased in claimed(most=10).turns] == [5, 5]


@pytest.mark.django_db
class TestPaused:
    @pytest.fixture
    def key(self, contract) -> int:
        waiting(contract, range(10), begun_at=NOW)
        return int(contract.recipient_id)

    def test_nobody_claims_from_who_is_paused_by_a_person(self, key):
        pacing.pause(key, because="They are moving house.", by="mira", now=later(60))
        assert claimed(at=60).turns == claimed(at=100_000).turns == ()

    def test_one_ask_tries_who_is_paused_by_the_desk(self, key):
        found = claimed(at=60)
        let_go(found, ids(found))
        for second in range(5):
            pacing.note({key: [pacing.Heard(at=later(60 + second), failure="No answer.")]})
        assert models.Pace.objects.get().paused_since == later(64)
        assert claimed(at=65).turns == ()
        tried = claimed(at=200)
        assert (tried.size, tried.turns[0][0].trial) == (1, True)
        assert claimed(at=200).turns == ()

    def test_a_wish_to_be_left_alone_is_kept(self, key):
        claimed(at=60, most=1)
        pacing.note({key: [pacing.Heard(at=later(60), not_before=later(500), status=503)]})
        assert claimed(at=499).turns == ()
        assert claimed(at=500).size > 0

    def test_a_person_ends_what_a_clock_that_ran_ahead_put_off(self, key):
        models.Pace.objects.create(recipient_id=key, next_at=later(86_400 * 365))
        assert claimed(at=60).turns == ()
        pacing.reset(key, by="mira", now=later(60))
        assert claimed(at=60).size > 0


@pytest.mark.django_db(transaction=True)
def test_workers_that_claim_at_the_same_time_share_what_there_is(contract):
    operations = waiting(contract, range(300), begun_at=NOW)
    workers = 4
    together = Barrier(workers)

    def work(_: int) -> list[UUID]:
        together.wait()
        try:
            return [one for _ in range(10) for one in ids(claimed(most=10))]
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as threads:
        shares = list(threads.map(work, range(workers)))
    taken = [one for share in shares for one in share]
    assert len(taken) == len(set(taken)) == 100  # as many as may be asked at once
    assert set(taken) <= set(operations)
    held = models.Pace.objects.get().held.values()
    assert sum(places for places, _ in held) == 100


@pytest.mark.django_db
def test_a_pause_knows_who_made_and_who_ended_it(contract):
    at = later(1)
    row = pacing.pause(contract.recipient_id, because="They asked for quiet.", by="mira", now=at)
    assert (row.paused_since, row.paused_because, row.paused_by) == (at, "They asked for quiet.", "mira")
    row = pacing.reset(contract.recipient_id, by="noor", now=at + timedelta(hours=1))
    assert (row.paused_since, row.paused_because, row.paused_by) == (None, "", "")
    assert (row.changed_by, row.changed_at) == ("noor", at + timedelta(hours=1))
