"""One notice for what fails together: the calls of one recipient that fall due for one address at once."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def grouped(due: Sequence[T], *, alike: Callable[[T], Hashable], above: int) -> list[tuple[T, ...]]:
    """Return what each notice is about, in order: those alike together where they are more than `above`, else each alone."""
    kinds: dict[Hashable, list[T]] = {}
    for one in due:
        kinds.setdefault(alike(one), []).append(one)
    found: list[tuple[T, ...]] = []
    for some in kinds.values():
        found += [tuple(some)] if len(some) > above else [(one,) for one in some]
    return found
