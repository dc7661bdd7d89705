"""What a log must not hold."""

import logging

import pytest

from escalation.running.log_lines import HideLinks


def written(message: str, *args: object) -> str:
    record = logging.LogRecord("django.request", logging.ERROR, "", 0, message, args, None)
    assert HideLinks().filter(record)
    return record.getMessage()


@pytest.mark.parametrize("tail", ["", "/", "?next=/queue", " and more"])
@pytest.mark.parametrize("way", ["sign-in", "forgotten", "notices/confirm"])
def test_a_link_that_lets_somebody_in_is_hidden(way, tail):
    said = written("%s: %s", "Internal Server Error", f"/{way}/loKRdb1NobCoNSeBFiPx{tail}")
    assert "loKRdb1NobCoNSeBFiPx" not in said
    assert said.endswith(f"/{way}/(hidden){tail}")


def test_any_other_line_stays_as_it_is():
    assert written("%s: %s", "Internal Server Error", "/operations/1") == "Internal Server Error: /operations/1"
    assert written("100 %") == "100 %"
