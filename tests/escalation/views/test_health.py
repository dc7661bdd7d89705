"""What probes are told."""

import pytest
from django.db import connection
from django.urls import reverse

from escalation.models import User


def test_alive_without_asking_the_database(client):
    answer = client.get(reverse("healthz"))
    assert (answer.status_code, answer.json()["alive"]) == (200, True)
    assert answer.json()["instance"]


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing(client, broker):
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")  # in this test's transaction only
        cursor.execute("delete from django_migrations where app = 'escalation'")
    answer = client.get(reverse("readyz"))
    assert answer.status_code == 503
    assert answer.json() == {"ready": False, "database": True, "migrations": False, "broker": True}


@pytest.mark.django_db
def test_not_ready_without_a_broker(client, monkeypatch, tmp_path):
    monkeypatch.setenv("REDIS_URL", f"unix://{tmp_path / 'nobody-listens'}")
    answer = client.get(reverse("readyz"))
    assert answer.status_code == 503
    assert answer.json() == {"ready": False, "database": True, "migrations": True, "broker": False}


@pytest.mark.django_db
def test_ready_when_all_answer(client, broker):
    assert User.objects.count() == 0
    answer = client.get(reverse("readyz"))
    assert (answer.status_code, answer.json()["ready"]) == (200, True)
