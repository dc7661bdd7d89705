"""What two versions of a contract differ in: clause by clause in words, and line by line as it was written."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from escalation.screens.contracts.words import Clause, clauses
from operations.contracts.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One clause that differs; `before` is None where it is new, `after` where it was taken away."""

    section: str
    name: str
    before: str | None
    after: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Differences:
    """All that differ, and how many clauses don't."""

    differing: tuple[Difference, ...]
    same: int


def _told(clause: Clause | None) -> tuple[str | None, str | None, str | None]:
    return (None, None, None) if clause is None else (clause.says, clause.source, clause.note)


def _notes(before: Clause | None, after: Clause | None) -> Iterator[str]:
    """Yield what differs beside the words: where it was read, and what was remarked."""
    if before is None or after is None:
        return
    for name, one, other in (("source", before.source, after.source), ("note", before.note, after.note)):
        if one != other:
            yield f"{name}: {one or 'none'}, then {other or 'none'}"


def differences(before: Document, after: Document) -> Differences:
    """Return the clauses in which two versions differ, in the order of the newer; what was taken away comes last."""
    older = {(clause.section, clause.name): clause for clause in clauses(before)}
    newer = {(clause.section, clause.name): clause for clause in clauses(after)}
    keys = [*newer, *[key for key in older if key not in newer]]
    differing = [key for key in keys if _told(older.get(key)) != _told(newer.get(key))]
    found = [
        Difference(
            section=section,
            name=name,
            before=_told(older.get((section, name)))[0],
            after=_told(newer.get((section, name)))[0],
            notes=tuple(_notes(older.get((section, name)), newer.get((section, name)))),
        )
        for section, name in differing
    ]
    return Differences(tuple(found), len(keys) - len(differing))


def lines(before: str, after: str) -> tuple[str, ...]:
    """Return the lines in which two texts differ, as a patch has them, without its head."""
    return tuple(list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:])
