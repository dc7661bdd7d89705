"""How the desk was set up for a contract, in words: promise by promise, and what could not be set up."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from escalation.rehearsing.behaviours import Behaviour, span
from escalation.rehearsing.hearing import RECORD, REPLY, WIRE, Hearing
from escalation.rehearsing.scenes import Scene
from operations.contracts.document import ChangedArguments, Document
from operations.core.facts import Claim, Guarantee, Mechanism

UNDOCUMENTED: Final = "not documented"


class Promise(NamedTuple):
    """One promise: what it is about, what the contract says, and what the desks did."""

    about: str
    promised: str
    rehearsed: str


_WORDS: Final[Mapping[str, str]] = {
    "key": "yes, by the request number",
    "none": "no",
    "unlimited": "for ever",
    "while_exists": "while its ticket exists",
    "runs_as_new": "is run again",
    "refused": "is refused",
    "every_outcome": "every outcome, errors too",
    "success_only": "success only",
    "protected": "is held off",
    "unprotected": "runs beside it",
    "identity": "the request number for good",
    "earlier_attempts": "what was sent before",
    "undocumented": UNDOCUMENTED,
}
_ABOUT: Final = (
    ("mechanism", "Is a repeat recognised?"),
    ("keeps_for", "How long is a request number kept?"),
    ("after", "A repeat after that"),
    ("covers", "What is kept under a request number?"),
    ("concurrent_use", "A repeat while the original is in work"),
    ("closure", "What a closure covers"),
)
_LEARNT: Final = (
    (REPLY, Claim.APPLIED, "a ticket in the reply"),
    (REPLY, Claim.PENDING, "a reply that it was accepted for later"),
    (REPLY, Claim.ATTEMPT_REFUSED, "a reply that refuses for good"),
    (RECORD, Claim.APPLIED, "a ticket in the record"),
    (RECORD, Claim.ABSENT, "a record that shows nothing"),
    (RECORD, Claim.CLOSED, "a record that shows it closed"),
    (WIRE, Claim.NOT_SENT, "our own knowledge that no byte left"),
)


def _word(value: object) -> str:
    if isinstance(value, int | float):
        return f"for {span(float(value))}" if value else "not at all"
    return _WORDS[str(value)]


def promises(document: Document, desks: tuple[Behaviour, ...]) -> tuple[Promise, ...]:
    """Return promise by promise what the contract says and what the desks did; none that only a desk with
    request numbers could keep where every desk knows none."""
    stated: dict[str, object] = {
        "mechanism": document.protection.mechanism.value,
        "keeps_for": document.protection.guaranteed_for.value,
        "after": document.protection.after.value,
        "covers": document.protection.covers.value,
        "concurrent_use": document.protection.concurrent_use.value,
        "closure": document.closure.covers.value,
    }
    found = [Promise(about, _word(stated[term]), _rehearsed(term, desks)) for term, about in _ABOUT]
    return tuple([promise for promise in found if promise.rehearsed])


def _rehearsed(term: str, desks: tuple[Behaviour, ...]) -> str:
    knowing = [one for one in desks if term == "mechanism" or one.terms["mechanism"] != "none"]
    return "; and: ".join(dict.fromkeys(_word(one.terms[term]) for one in knowing))


def gaps(hearing: Hearing, scenes: tuple[Scene, ...], *, breaking: Mapping[str, Any]) -> tuple[str, ...]:
    """Return in sentences what was not rehearsed, or otherwise than the contract says.

    `hearing` has heard the whole rehearsal.
    """
    return (
        *_broken(breaking),
        *_silence(hearing.document),
        *_unheard(hearing),
        *_changed(hearing.document),
        *_unplayed(scenes),
        *_unused(hearing),
    )


def _broken(breaking: Mapping[str, Any]) -> Iterator[str]:
    for term, value in breaking.items():
        told = f"{value:g}" if isinstance(value, int | float) else value
        yield f"Whatever the contract promises, the desk was told to do otherwise: {term} {told}."


def _silence(document: Document) -> Iterator[str]:
    promised = document.protection
    if promised.mechanism.value is Mechanism.NONE:
        return
    silent = {
        "whether a repeat is recognised": promised.mechanism.value,
        "how long a request number is kept": promised.guaranteed_for.value,
        "what comes of a repeat after that": promised.after.value,
        "which outcomes are kept": promised.covers.value,
        "what a repeat does while the original is in work": promised.concurrent_use.value,
    }
    found = [about for about, value in silent.items() if str(value) == "undocumented"]
    if found:
        yield f"Not documented, and so rehearsed in every way that the desk can do it: {'; '.join(found)}."
    if promised.guaranteed_for.value is Guarantee.WHILE_EXISTS:
        yield "A request number is kept while its object exists: rehearsed with the ticket there and with it gone."


def _unheard(hearing: Hearing) -> Iterator[str]:
    found = [words for heard, says, words in _LEARNT if hearing.shape(heard, says) is None]
    if found:
        yield f"This contract learns nothing from: {'; '.join(found)}. Those scenes were played as if nothing was heard."


def _changed(document: Document) -> Iterator[str]:
    if document.identity.changed_arguments.value is ChangedArguments.RUN:
        yield "That other arguments under the same request number are run can't be set up at this desk."
    yield "Other arguments under the same request number were not sent: no permitted action sends them."


def _unplayed(scenes: tuple[Scene, ...]) -> Iterator[str]:
    for scene in scenes:
        for kind in sorted(scene.unplayed):
            yield f"In \u201c{scene.name}\u201d the desk can't make this so; it is played elsewhere: {kind.sentence}"


def _unused(hearing: Hearing) -> Iterator[str]:
    """Yield which rules read nothing here: what a scene says comes in the shape of one example, the best tied."""
    unused = [rule.rule for rule in hearing.document.readings if rule.rule not in hearing.read_by]
    if unused:
        yield (
            f"{len(unused)} of {len(hearing.document.readings)} rules read nothing here, because no scene said what they "
            f"read or another rule has the better tied example of it: {', '.join(unused)}."
        )
    yield (
        "What the desk answered was said in the shape of this contract's own examples. Whether the recipient's answers "
        "have that shape is for its documentation, and what is recorded of it, to show."
    )
