"""A key that calls too often waits; a broker that does not answer holds nobody up."""

import socket
import time
from typing import Any

import pytest
import redis
from django.conf import settings

from operations.api.pace import Pace, _pace
from tests.operations.api.calls import program

NOW = 1_777_885_200.0  # the first second of a minute


@pytest.fixture
def pace(broker) -> Any:
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.flushdb()
    client.close()
    _pace.cache_clear()  # the desk's own may have found no broker in an earlier test
    return Pace(settings.REDIS_URL)


def test_the_allowance_is_a_minutes(pace):
    assert [pace.wait_of("a", now=NOW, most=2) for _ in range(4)] == [0, 0, 61, 61]
    assert pace.wait_of("a", now=NOW + 59.5, most=2) == 1
    assert pace.wait_of("a", now=NOW + 60, most=2) == 0


def test_one_key_takes_nothing_from_another(pace):
    assert [pace.wait_of(key, now=NOW, most=1) for key in "abab"] == [0, 0, 61, 61]


def test_no_allowance_is_no_limit(pace):
    assert {pace.wait_of("a", now=NOW, most=0) for _ in range(10)} == {0}


def test_counts_are_forgotten(pace):
    pace.wait_of("a", now=NOW, most=1)
    client = redis.Redis.from_url(settings.REDIS_URL)
    assert {0 < client.ttl(name) <= 120 for name in client.keys("unresolved:api:*")} == {True}
    client.close()


def test_without_a_broker_everybody_goes_on(tmp_path):
    pace = Pace(f"unix://{tmp_path / 'nobody.sock'}")
    assert {pace.wait_of("a", now=NOW, most=1) for _ in range(10)} == {0}


def test_a_broker_that_hangs_is_waited_for_once(tmp_path):
    path = str(tmp_path / "hangs.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        pace = Pace(f"unix://{path}")
        began = time.monotonic()
        assert {pace.wait_of("a", now=NOW, most=1) for _ in range(50)} == {0}
        assert time.monotonic() - began < 3


@pytest.mark.django_db
def test_the_door_says_how_long_to_wait(pace, settings, clock):
    settings.API_CALLS_A_MINUTE = 2
    caller = program("read")
    assert [caller.get("/operations").status for _ in range(3)] == [200, 200, 429]
    found = caller.get("/operations")
    assert (found.rule, found.headers["Retry-After"]) == ("too_many_calls", "61")
    clock.shift(60)
    assert caller.get("/operations").status == 200


@pytest.mark.django_db
def test_a_wrong_key_uses_nobodys_allowance(pace, settings):
    settings.API_CALLS_A_MINUTE = 1
    caller = program("read")
    wrong = type(caller)(caller.key[:-1] + ("A" if caller.key[-1] != "A" else "B"))
    assert {wrong.get("/operations").status for _ in range(3)} == {401}
    assert caller.get("/operations").status == 200
