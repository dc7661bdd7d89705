"""A key opens for who holds its secret, until it expires or is ended, and says what it may be used for."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from operations import models
from operations.keys import SCOPES, caller_of, create_key
from operations.recording.keys import NoSuchRecipient, end_key
from tests.operations.rows import NOW, contract, later

pytestmark = pytest.mark.django_db

DAY = 86_400


@pytest.fixture
def key() -> Any:
    contract("desk")
    contract("other")
    return create_key(
        "a wrapper", scopes=["transport", "read"], recipients=["desk"], now=NOW, lasts=timedelta(seconds=DAY)
    )


def test_an_unknown_recipient_makes_no_key(key):
    with pytest.raises(NoSuchRecipient, match="nobody"):
        create_key("x", scopes=["read"], recipients=["desk", "nobody"], now=NOW, lasts=timedelta(days=1))
    assert models.ApiKey.objects.count() == 1


@pytest.mark.parametrize("scopes", [[], ["decide"], ["read", "admin"]])
def test_the_database_knows_no_other_scope(key, scopes):
    with pytest.raises(IntegrityError), transaction.atomic():
        create_key("x", scopes=scopes, recipients=["desk"], now=NOW, lasts=timedelta(days=1))


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "unr_",
        "unr_.",
        "x" + "{key}",
        "{key}x",
        " {key}",
        "{key}\n",
        "{KEY}",
        "{id}.",
        "{id}." + "A" * 43,
        "{secret}",
    ],
)
def test_what_is_not_the_key_opens_nothing(key, wrong):
    key_id, _, secret = key.partition(".")
    told = wrong.format(key=key, KEY=key.upper(), id=key_id, secret=secret)
    assert caller_of(told, now=NOW) is None
    assert models.ApiKey.objects.get().last_used_at is None


def test_the_secret_of_one_key_does_not_open_another(key):
    other = create_key("y", scopes=["read"], recipients=["desk"], now=NOW, lasts=timedelta(days=1))
    assert caller_of(f"{key.partition('.')[0]}.{other.partition('.')[2]}", now=NOW) is None


def test_a_key_ends_when_it_expires(key):
    assert caller_of(key, now=later(DAY - 1)) is not None
    assert caller_of(key, now=later(DAY)) is None


def test_a_key_that_was_ended_opens_nothing(key):
    assert end_key(key[4:20], now=later(1))
    assert not end_key(key[4:20], now=later(2))
    assert caller_of(key, now=later(1)) is None


def test_only_a_digest_of_the_secret_is_kept(key):
    row = models.ApiKey.objects.get()
    secret = key.partition(".")[2]
    assert row.secret_digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str([getattr(row, field.attname) for field in row._meta.concrete_fields])
    assert len(secret) == 43


def test_a_key_says_what_it_is_for(key):
    found = caller_of(key, now=NOW)
    assert found is not None
    assert (found.name, found.scopes, found.source) == (
        "a wrapper",
        frozenset({"transport", "read"}),
        f"key {key[:20]}",
    )
    assert found.recipients == {"desk": models.Recipient.objects.get(key="desk").pk}
    assert set(SCOPES) > found.scopes


def test_a_key_without_recipients_is_for_none(key):
    made = create_key("z", scopes=["read"], recipients=[], now=NOW, lasts=timedelta(days=1))
    found = caller_of(made, now=NOW)
    assert found is not None
    assert found.recipients == {}


def test_its_use_is_written_at_most_once_a_minute(key, django_assert_num_queries):
    def used() -> Any:
        return models.ApiKey.objects.get().last_used_at

    caller_of(key, now=NOW)
    assert used() == NOW
    with django_assert_num_queries(1):  # the key with its recipients
        caller_of(key, now=later(59))
    assert used() == NOW
    caller_of(key, now=later(60))
    assert used() == later(60)
