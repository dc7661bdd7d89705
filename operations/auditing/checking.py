"""A chain is recomputed link by link; each link that does not follow from the one before it is named.

Each digest is computed from the row as it stands and the digest that the row before it carries, so that one changed row
is one fault, and not one for every row behind it. What is rewritten from some row on so that everything follows again
can't be seen here; a checkpoint shows it (against.py).
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from operations.auditing.faults import OPERATION, Fault, What
from operations.auditing.walking import Chain, Link

SEAL: Final = "seal"
MOST_PLACES: Final = 64  # links of a chain within which a row's former place is looked for


class _Check:
    """The walk along one chain: `before` is the digest that the last link carries, None where that is not known."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.links = 0 if chain.row is None else chain.row.links
        self.place = 1
        self.before: bytes | None = None if chain.row is None else chain.first

    def fault(self, position: int, kind: str, what: What, why: str = "", *, last: int | None = None) -> Fault:
        number = None if self.chain.row is None else self.chain.row.number
        return Fault(
            operation=self.chain.id,
            number=number,
            position=position,
            kind=kind,
            what=what,
            why=why or what.sentence,
            last=last,
        )

    def at(self, position: int, rows: list[Link]) -> Iterator[Fault]:
        """Yield what is wrong at one position, and go on behind it."""
        if position < 1 or position >= self.links:
            yield from [self.fault(position, row.kind, What.INSERTED, "The chain has no such place.") for row in rows]
            return
        if position > self.place:
            yield self.fault(self.place, "row", What.REMOVED, last=position - 1)
            self.before = None
        kept = self._following(rows) or rows[0]
        for row in rows:
            if row is not kept:
                yield self.fault(position, row.kind, What.INSERTED, "Another row stands at the same position.")
        yield from self._checked(kept)
        self.before, self.place = kept.digest, position + 1

    def _following(self, rows: list[Link]) -> Link | None:
        before = self.before
        return None if before is None else next((row for row in rows if row.after(before) == row.digest), None)

    def _checked(self, row: Link) -> Iterator[Fault]:
        if self.before is None:
            yield self.fault(row.position, row.kind, What.UNCHECKED)
        elif row.after(self.before) != row.digest:
            stood = self._stood(row)
            if stood is not None:
                yield self.fault(row.position, row.kind, What.REORDERED, f"It stood at position {stood}.")
            elif row.position == 1:
                why = "Its digest does not follow: it, or the request before it at position 0, was changed."
                yield self.fault(1, row.kind, What.CHANGED, why)
            else:
                yield self.fault(row.position, row.kind, What.CHANGED)

    def _stood(self, row: Link) -> int | None:
        """Return the other position at which a row says what its digest says, if there is one."""
        if len(self.chain.behind) > MOST_PLACES:
            return None
        digests = [self.chain.first, *[link.digest for link in self.chain.behind]]
        places = [place for place in range(1, len(digests) + 1) if place != row.position]
        return next((at for at in places if any(row.after(one, position=at) == row.digest for one in digests)), None)

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong behind the last row."""
        if self.place < self.links:
            yield self.fault(self.place, "row", What.REMOVED, last=self.links - 1)
        elif self.chain.row is not None and self.before != bytes(self.chain.row.head):
            why = "The head that stands with the operation is not the digest of its last link."
            yield self.fault(self.links - 1, OPERATION, What.CHANGED, why)

    def sealed(self) -> Iterator[Fault]:
        """Yield that an operation passes for sealed without a seal, or the other way round: facts are made of that."""
        has_seal = any(link.kind == SEAL for link in self.chain.behind)
        if self.chain.row is not None and self.chain.row.sealed != has_seal:
            why = "It stands there as sealed, and no seal is on record." if not has_seal else "Its seal is passed over."
            yield self.fault(0, OPERATION, What.CHANGED, why)


def within(chain: Chain) -> Iterator[Fault]:
    """Yield what one chain shows by itself to be changed, removed, reordered or inserted."""
    check = _Check(chain)
    if chain.row is None:
        last = max(link.position for link in chain.behind)
        yield check.fault(0, OPERATION, What.REMOVED, "The operation's own row is gone; rows still name it.", last=last)
        return
    for position, rows in groupby(chain.behind, key=lambda link: link.position):
        yield from check.at(position, list(rows))
    yield from check.end()
    yield from check.sealed()
