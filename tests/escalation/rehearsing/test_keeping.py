"""A rehearsal is kept whole or not at all, once, and one at a time."""

import os
import subprocess
import sys
import threading
import time

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction

from escalation.models import Rehearsal, User
from escalation.rehearsing import keeping
from escalation.rehearsing.keeping import (
    BeingRehearsed,
    OutOfTurn,
    being_rehearsed,
    last_number,
    rehearse_and_keep,
)
from escalation.rehearsing.result import CLEAN, STATEMENT
from escalation.rehearsing.tasks import rehearse
from operations import reading
from operations.contracts.loading import ContractRefused
from tests.escalation.building import T0, contract_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract():
    """The collection desk's, as its version 1."""
    return contract_of()


@pytest.fixture
def person():
    """Who asks for it."""
    return User.objects.create_user("editor")


def test_a_contract_that_is_not_there_is_not_rehearsed(contract):
    for recipient, version in (("nobody", None), ("collection-desk", 2)):
        with pytest.raises(reading.NoSuchContract):
            rehearse_and_keep(recipient, version=version, by=None, now=T0)
    assert not Rehearsal.objects.exists()


def test_what_is_not_next_is_not_rehearsed(contract):
    with pytest.raises(OutOfTurn):
        rehearse_and_keep("collection-desk", number=2, by=None, now=T0)
    assert not Rehearsal.objects.exists()


def test_a_document_that_can_not_be_read_leaves_nothing():
    contract_of("contract: half", key="half")
    with pytest.raises(ContractRefused), transaction.atomic():
        rehearse_and_keep("half", by=None, now=T0)
    assert not Rehearsal.objects.exists()


def test_a_rehearsal_is_kept_with_its_statement(contract):
    kept = rehearse_and_keep("collection-desk", version=1, number=1, by=None, now=T0)
    stored = Rehearsal.objects.get()
    assert (stored.pk, stored.number, stored.ran_at, stored.passed) == (kept.pk, 1, T0, True)
    assert (stored.statement, stored.summary["verdict"], stored.digest) == (STATEMENT, CLEAN, contract.digest)
    assert "not the recipient" in stored.statement
    assert stored.desk[0]["terms"]["keeps_for"] == 86_400
    assert {row["agrees"] for row in stored.rows} == {True}


def test_what_is_asked_for_twice_is_rehearsed_once(contract, person):
    for _ in range(2):
        rehearse("collection-desk", 1, 1, person.pk)
    assert Rehearsal.objects.count() == last_number(contract.id) == 1


def test_without_a_number_it_is_the_next(contract):
    for _ in range(2):
        rehearse_and_keep("collection-desk", by=None, now=T0)
    assert list(Rehearsal.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_a_rehearsal_can_be_neither_changed_nor_removed(contract):
    kept = rehearse_and_keep("collection-desk", by=None, now=T0)
    for change in (lambda: Rehearsal.objects.filter(pk=kept.pk).update(passed=False), kept.delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert Rehearsal.objects.get().passed


@pytest.mark.owner
def test_not_even_its_owner_can_change_it(contract):
    kept = rehearse_and_keep("collection-desk", by=None, now=T0)
    with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
        Rehearsal.objects.filter(pk=kept.pk).update(statement="It tests the recipient.")


@pytest.mark.django_db(transaction=True)
def test_while_one_is_rehearsing_another_is_told_so_and_leaves_nothing(contract, person):
    """The first is held by another connection, as another process would hold it, and ends without a word."""
    holding, let_go = threading.Event(), threading.Event()

    def first() -> None:
        with transaction.atomic():
            assert keeping._locked(contract.id)
            holding.set()
            let_go.wait(20)
            transaction.set_rollback(True)
        connections.close_all()

    other = threading.Thread(target=first)
    other.start()
    try:
        assert holding.wait(20)
        assert being_rehearsed(contract.id)
        with pytest.raises(BeingRehearsed, match="right now"):
            rehearse_and_keep("collection-desk", by=None, now=T0)
        rehearse("collection-desk", 1, 1, person.pk)  # the worker lets it be: the other's result is the answer
        assert not Rehearsal.objects.exists()
    finally:
        let_go.set()
        other.join()
    assert not being_rehearsed(contract.id)
    rehearse_and_keep("collection-desk", by=None, now=T0)
    assert Rehearsal.objects.count() == 1


# Another process, killed between writing the result and the end of its transaction.
KILLED = """
import sys, time
import django
django.setup()
from django.db import connections, transaction
connections["default"].settings_dict["NAME"] = sys.argv[1]
from escalation.rehearsing.keeping import rehearse_and_keep
from tests.escalation.building import T0
with transaction.atomic():
    rehearse_and_keep("collection-desk", by=None, now=T0)
    print("kept", flush=True)
    time.sleep(60)
"""


@pytest.mark.django_db(transaction=True)
def test_a_process_that_is_killed_while_rehearsing_leaves_nothing_and_no_lock(contract):
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "escalation.settings", "PYTHONPATH": str(settings.BASE_DIR)}
    command = [sys.executable, "-c", KILLED, connection.settings_dict["NAME"]]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "kept\n"
        assert being_rehearsed(contract.id)
        child.kill()
    for _ in range(500):  # the server ends what the process held as soon as it sees the connection gone
        if not being_rehearsed(contract.id):
            break
        time.sleep(0.02)
    assert not being_rehearsed(contract.id)
    assert not Rehearsal.objects.exists()
