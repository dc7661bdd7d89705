"""The recipients that others wrote stay apart: installed by hash into environments of their own, imported by nothing of ours."""

import re

import pytest

from tests.third_party.__main__ import main
from tests.third_party.installed import COMMAND, NAMES, ROOT, lock, needs

IMPORTS = re.compile(r"^\s*(?:import|from)\s+(localstripe|moto|mockworld)\b", re.MULTILINE)


def test_a_recipient_that_is_not_there_is_skipped_with_the_command_that_brings_it():
    mark = needs("nobody").mark
    assert mark.args == (True,)
    assert COMMAND in mark.kwargs["reason"]


def test_another_word_than_install_does_nothing(capsys):
    assert main(["remove"]) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_every_package_of_a_lock_has_its_hash_and_no_address(name):
    text = lock(name).read_text()
    pinned = re.findall(r"^[a-z0-9._-]+(?:\[[a-z,]+\])?==[^\n]+\\\n\s+--hash=sha256:", text, re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^\S", text, re.MULTILINE)) > 0
    assert "://" not in text


@pytest.mark.parametrize("part", ["operations", "escalation", "tests"])
def test_nothing_of_ours_imports_them(part):
    found = [path for path in (ROOT / part).rglob("*.py") if IMPORTS.search(path.read_text())]
    assert found == []
