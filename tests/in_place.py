"""Another in the place of one for a while: how a run plants a bug in its own process, which the product knows nothing of."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def in_place(holder: Any, name: str, other: Any) -> Iterator[None]:
    """Meanwhile `holder` has `other` under that name."""
    before = getattr(holder, name)
    setattr(holder, name, other)
    try:
        yield
    finally:
        setattr(holder, name, before)
