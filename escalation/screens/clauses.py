"""What a value rests on in the contract: the promise in words, with the source that makes it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from escalation.screens.sight import Sight
from escalation.screens.times import span
from operations import reading
from operations.contracts.document import Document
from operations.contracts.loading import document_of
from operations.contracts.promises import Term
from operations.core.weaker import governed_by

if TYPE_CHECKING:
    from operations import models


@dataclass(frozen=True, slots=True)
class Clause:
    """One promise: who makes it, what it says, the recipient's own words where quoted, and where it was read."""

    whose: str
    says: str
    quote: str | None = None
    address: str | None = None
    read_on: date | None = None

    @property
    def link(self) -> str | None:
        """The address, where it is one that a browser can open."""
        return self.address if self.address is not None and self.address.startswith("https://") else None


_PROMISE: Final = {
    "protection.mechanism": "recognises a repeat",
    "protection.guaranteed_for": "recognises it for",
    "protection.after": "does with a late repeat",
    "protection.covers": "keeps under a request number",
    "protection.concurrent_use": "does with a repeat while the original is in flight",
    "protection.pending_fresh_for": "lets a report of being under way stand for",
    "closure.covers": "shuts by a closing",
}


def _whose(contract: "models.Contract", name: str) -> str:
    return f"{name}, contract version {contract.version}"


def _value(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return span(timedelta(seconds=value))
    return str(value).replace("_", " ")


def _term(document: Document, path: str) -> Term[Any] | None:
    part, _, name = path.partition(".")
    found = getattr(getattr(document, part, None), name, None)
    return found if isinstance(found, Term) else None


def _sourced(whose: str, document: Document, slug: str, says: str | None = None) -> Clause:
    source = document.sources[slug]
    return Clause(whose, says or source.claim, source.quote, source.address, source.read_on)


def _governing(sight: Sight, path: str) -> "models.Contract":
    """Return the version whose promise governs at a path: the weaker of the first attempt's and the newer one."""
    first, current = sight.operation.contract, reading.judging(sight.operation)
    governs = governed_by(reading.terms(first), current=reading.terms(current))
    return first if governs.get(path, False) else current


def _promised(sight: Sight, path: str) -> Clause | None:
    """Return the clause at a path into the contract, or what our own side knows, for a path into the operation."""
    contract = _governing(sight, path)
    document = document_of(contract.document)
    whose = _whose(contract, sight.operation.recipient.name)
    if path == "operation.attempts_complete":
        sealed = (
            "are sealed: nothing else was sent" if sight.operation.sealed else "are not sealed: more may have gone out"
        )
        return Clause("Our own record", f"The attempts {sealed}.")
    if path == "protection.margin" and document.protection.margin is not None:
        return Clause("This desk", f"Ends {_value(document.protection.margin)} early, for the way and the clocks.")
    term = _term(document, path)
    if term is None:
        return None
    if term.source is None:
        return Clause(whose, f"What the recipient {_PROMISE.get(path, path)}: {_value(term.value)}.")
    return _sourced(whose, document, term.source)


def promises(sight: Sight, paths: tuple[str, ...]) -> Iterator[Clause]:
    """Yield the clauses at these paths, each once."""
    seen: set[str] = set()
    for path in paths:
        clause = _promised(sight, path)
        if clause is not None and clause.says not in seen:
            seen.add(clause.says)
            yield clause


def read_by(row: "models.Reading", *, name: str) -> Clause | None:
    """Return the clause that makes an observation mean what its reading says; None where no rule read it."""
    document = document_of(row.contract.document)
    rule = next((rule for rule in document.readings if rule.rule == row.rule), None)
    if rule is None:
        return None
    return _sourced(_whose(row.contract, name), document, rule.source)


def sources_of(sight: Sight) -> tuple[Clause, ...]:
    """Return every source of the contract, in its order."""
    whose = _whose(reading.judging(sight.operation), sight.operation.recipient.name)
    return tuple([_sourced(whose, sight.document, slug) for slug in sight.document.sources])


def history(sight: Sight) -> Clause:
    """Return the clause by which the recipient keeps a record of what happened."""
    owner = sight.document.owner
    whose = _whose(reading.judging(sight.operation), sight.operation.recipient.name)
    return _sourced(whose, sight.document, owner.source, owner.history)
