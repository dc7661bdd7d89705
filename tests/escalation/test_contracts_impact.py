"""`manage.py contracts impact` tells what publishing a file would change, and writes nothing."""

from io import StringIO
from pathlib import Path

import pytest
import time_machine
from django.core.management import call_command

from operations import models
from tests.escalation.building import HOUR, T0
from tests.operations.test_rereading import AN_HOUR, TEXT, published, under_way

pytestmark = pytest.mark.django_db


def told(recipient: str, file: Path) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as left, time_machine.travel(T0 + HOUR, tick=False):
        call_command("contracts", "impact", recipient, str(file), stdout=out, stderr=err)
    return int(str(left.value.code)), out.getvalue(), err.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "next.yaml"
    path.write_text(AN_HOUR, encoding="utf-8")
    return path


def test_a_recipient_that_is_not_there_and_a_file_that_is_not_are_told(file, tmp_path):
    status, _, err = told("nowhere", file)
    assert (status, err) == (2, "There is no recipient nowhere.\n")
    published()
    status, _, err = told("collection-desk", tmp_path / "none.yaml")
    assert status == 2
    assert "none.yaml" in err


def test_a_text_that_is_no_contract_is_refused_with_its_lines(file):
    published()
    file.write_text("format: 1\n", encoding="utf-8")
    status, out, _ = told("collection-desk", file)
    assert status == 1
    assert "refused: line 1: /contract: " in out


def test_the_contract_in_force_changes_nothing(file):
    under_way()
    file.write_text(TEXT, encoding="utf-8")
    assert told("collection-desk", file)[:2] == (
        0,
        "0 of 1 open operations of collection-desk would stand otherwise.\n",
    )


def test_each_change_is_told_in_words_and_nothing_is_written(file):
    made = under_way()
    revision = made.row.revision
    status, out, _ = told("collection-desk", file)
    assert status == 1
    assert f"{made.number} Issue one collection ticket for parcel order-1001" in out
    assert "  Safe to send again? Yes, until tomorrow 11:59 -> We don't know." in out
    assert "  locked: Repeat the same request" in out
    assert "1 of 1 open operations of collection-desk would stand otherwise." in out
    assert (made.row.revision, models.Contract.objects.count()) == (revision, 1)
