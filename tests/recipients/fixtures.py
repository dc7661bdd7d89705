"""A collection desk for any test: `from tests.recipients.fixtures import collection_desk` in a conftest.

Its clock runs with this machine's, from where `control.advance` moves it on; `desk_on(...)` opens one on other terms.
"""

from collections.abc import Iterator

import pytest

from tests.recipients.opened import CollectionDesk, desk_on, desk_recipient_on, reached

__all__ = ["CollectionDesk", "collection_desk", "desk_on", "desk_recipient_on", "reached"]


@pytest.fixture
def collection_desk() -> Iterator[CollectionDesk]:
    """A desk on the default terms: it keeps keys and every outcome for ever, fences, compares, closes for good."""
    with desk_on() as desk:
        yield desk
