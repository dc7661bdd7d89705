"""What a log must not hold."""

import logging

import pytest

from escalation.running.log_lines import HideLinks


def written(message: str, *args: object) -> str:
    record = logging.LogRecord("django.request", logging.ERROR, "", 0, message, args, None)
    assert HideLinks().filter(record)
    return record.getMessage()


@pytest.mark.parametrize("tail", ["", "/", "?next=/queue", " and more"])
def test_a_sign_in_link_is_hidden(tail):
    said = written("%s: %s", "Internal Server Error", f"/sign-in/loKRdb1NobCoNSeBFiPx{tail}")
    assert "loKRdb1NobCoNSeBFiPx" not in said
    assert said.endswith(f"/sign-in/(hidden){tail}")


def test_any_other_line_stays_as_it_is():
    assert written("%s: %s", "Internal Server Error", "/operations/1") == "Internal Server Error: /operations/1"
    assert written("100 %") == "100 %"
