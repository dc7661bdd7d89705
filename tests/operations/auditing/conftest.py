"""Histories to be tampered with, by somebody whom nothing stops."""

from collections.abc import Iterator

import pytest
from django.conf import settings

from escalation.env import database_is_given
from tests.operations.auditing.superuser import as_superuser


@pytest.fixture
def superuser(transactional_db: None) -> Iterator[None]:
    """The test is the superuser, who is not there where somebody else runs the database."""
    if database_is_given():
        pytest.skip("the superuser of a given database is not the tests' to be")
    assert settings.DATABASES
    with as_superuser():
        yield
