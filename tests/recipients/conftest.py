"""The desk as a fixture; asserts in the behaviours say what they compared."""

import pytest

pytest.register_assert_rewrite("tests.recipients.behaviours", "tests.recipients.desk_recipient")

from tests.recipients.fixtures import collection_desk  # noqa: E402 - after the rewriting is asked for

__all__ = ["collection_desk"]
