"""A chain held against what a checkpoint says of it: what was rewritten so that everything follows again, shows here."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from operations.auditing.checkpoint import NO_MARK, Entry, Exported, mark
from operations.auditing.exporting import marks
from operations.auditing.faults import OPERATION, Fault, What
from operations.auditing.walking import Chain

# A row is stamped before it is committed; what commits longer after its stamp than this is taken for backdated.
LATEST: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Held:
    """One chain (None: gone) and what one checkpoint says of it (None: nothing)."""

    chain: Chain | None
    entry: Entry | None
    exported: Exported

    @property
    def when(self) -> str:
        """Which checkpoint, in words."""
        return self.exported.when

    @property
    def said(self) -> str:
        """The same at the beginning of a sentence."""
        return self.exported.said


def _fault(entry: Entry, position: int, kind: str, what: What, why: str, *, last: int | None = None) -> Fault:
    return Fault(
        operation=entry.operation, number=entry.number, position=position, kind=kind, what=what, why=why, last=last
    )


def against(held: Held) -> Iterator[Fault]:
    """Yield what a checkpoint shows to be changed, removed, reordered or inserted among the links that it covers."""
    chain, entry = held.chain, held.entry
    if entry is None:
        yield from _unlisted(held)
    elif chain is None or chain.row is None:
        why = f"The whole operation is gone; {held.when} has it."
        yield _fault(entry, 0, OPERATION, What.REMOVED, why, last=entry.links - 1)
    else:
        yield from _row(held, entry, chain)
        yield from _covered(held, entry, chain)
        yield from _backdated(held, chain, covered=entry.links)


def _row(held: Held, entry: Entry, chain: Chain) -> Iterator[Fault]:
    row = chain.row
    if row is None:
        return
    if row.number != entry.number:
        why = f"It is called {row.number} now; {held.when} has it as {entry.number}."
        yield _fault(entry, 0, OPERATION, What.CHANGED, why)
    if row.revision < entry.revision:
        yield _fault(entry, 0, OPERATION, What.CHANGED, f"Its revision went back behind that of {held.when}.")
    if row.links < entry.links:
        why = f"The end of the chain is gone; {held.when} has {entry.links} links."
        yield _fault(entry, row.links, "row", What.REMOVED, why, last=entry.links - 1)


def _kind(chain: Chain, position: int) -> str:
    return OPERATION if position == 0 else next((row.kind for row in chain.behind if row.position == position), "row")


def _covered(held: Held, entry: Entry, chain: Chain) -> Iterator[Fault]:
    """Yield the first link that is another than the checkpoint has, and every covered link that is missing."""
    now = marks(chain, links=entry.links)
    for position, (one, then) in enumerate(zip(now, entry.marks, strict=True)):
        if one == then:
            continue  # a gap that was one then too is said by the chain itself
        if chain.row is None or position >= chain.row.links:
            return  # the end is gone, which is said already
        if one == NO_MARK:
            yield _fault(entry, position, "row", What.REMOVED, f"{held.said} has a row there.")
            continue
        kind, others = _kind(chain, position), [at for at, known in enumerate(entry.marks) if known == one]
        if not others and then in now:
            why = f"{held.said} does not have it; what it has there stands at position {now.index(then)}."
            yield _fault(entry, position, kind, What.INSERTED, why)
        elif others:
            why = f"{held.said} has it at position {others[0]}."
            yield _fault(entry, position, kind, What.REORDERED, why)
        else:
            why = f"{held.said} has another link there; what follows may have been chained anew."
            yield _fault(entry, position, kind, What.CHANGED, why)
            return
    yield from _head(held, entry, chain)


def _head(held: Held, entry: Entry, chain: Chain) -> Iterator[Fault]:
    last = entry.links - 1
    digests = [chain.first] if last == 0 else [row.digest for row in chain.behind if row.position == last]
    if digests and entry.head not in digests and mark(digests[0]) == entry.marks[last]:
        yield _fault(entry, last, _kind(chain, last), What.CHANGED, f"Its digest is not the head of {held.when}.")


def _unlisted(held: Held) -> Iterator[Fault]:
    row = None if held.chain is None else held.chain.row
    if row is not None and row.created_at < held.exported.taken_at - LATEST:
        why = f"It says that it was registered on {row.created_at:%Y-%m-%d %H:%M} UTC; {held.when} does not have it."
        yield Fault(
            operation=row.id,
            number=row.number,
            position=0,
            kind=OPERATION,
            what=What.INSERTED,
            why=why,
            last=row.links - 1,
        )
    elif held.chain is not None:
        yield from _backdated(held, held.chain, covered=1)


def _is_before(at: datetime | None, exported: Exported) -> bool:
    return at is not None and at < exported.taken_at - LATEST


def _backdated(held: Held, chain: Chain, *, covered: int) -> Iterator[Fault]:
    for link in chain.behind:
        if link.position >= covered and _is_before(link.written_at, held.exported):
            yield Fault(
                operation=chain.id,
                number=None if chain.row is None else chain.row.number,
                position=link.position,
                kind=link.kind,
                what=What.INSERTED,
                why=f"It says that it was written on {link.written_at:%Y-%m-%d %H:%M} UTC; {held.when} does not have it.",
            )
