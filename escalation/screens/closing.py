"""Having the original closed: the way to learn what became of it, what that sends, and what it may do to what happened.

Whether it may be closed is the core's to say; whether a closing request can be put together, the contracts'.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from escalation.decisions.close_original import Request, as_sent_here, closing_request
from escalation.models import CloseOriginal
from escalation.screens.contracts.words import lasting
from escalation.screens.doors import Door, Way
from escalation.screens.repeating import Going, Progress, going, progress_of
from escalation.screens.sight import Sight
from operations import dispatch, reading
from operations.contracts.channel import Kind
from operations.contracts.closing import CannotClose
from operations.contracts.document import AfterEffect, ClosingRequest
from operations.contracts.loading import document_of
from operations.core.actions import Action
from operations.core.closing import Closing, is_open
from operations.core.facts import Claim, ClosureCovers
from operations.core.standing import Situation
from operations.reading import closings
from operations.recording import granting

if TYPE_CHECKING:
    from operations import models

_READ: Final = {
    Claim.CLOSED: "It can be a receipt that nothing will come of it.",
    Claim.APPLIED: "It can be a receipt that it happened.",
}
NAME: Final = "Close the original"
_NUMBER: Final = "made-when-you-confirm"
_WAY_OUT: Final = {
    "contradiction": "a proof that one of the two statements belongs to something else, or a corrected answer.",
    "happened": "none is needed: repair our record instead.",
    "closed": "none is needed: repair our record instead.",
    "nothing_to_close": "none is needed: repair our record, or send it again.",
    "another_open": "what became of the first one, on its own page; there it can be sent again, too.",
}
_KNOWN: Final = {
    Situation.OPEN: "its outcome is still open",
    Situation.APPLIED: "it happened",
    Situation.CLOSED: "it ended without effect, for good",
    Situation.NOTHING_CAN_ACT: "nothing that was sent can act",
    Situation.CONFLICT: "the recipient contradicts itself",
}
_IF_IT_HAPPENED: Final = {
    AfterEffect.REFUSED: "Nothing is taken back, by the recipient's word. The answer may say that it happened.",
    AfterEffect.UNDONE: "It is taken back: by the recipient's word, closing undoes what happened.",
    AfterEffect.UNDOCUMENTED: "The recipient does not say what becomes of it. It could be taken back.",
}
_COVERS: Final = {
    ClosureCovers.IDENTITY: "The recipient ends it for good, and nothing that was sent can act any more.",
    ClosureCovers.EARLIER_ATTEMPTS: "The recipient ends what was sent by then; what is sent later could act again.",
}


@dataclass(frozen=True, slots=True)
class Closes:
    """One link as its page shows it: the operation at its other end, how the sending stands, and what is known of it."""

    row: CloseOriginal
    other: "models.Operation"
    progress: Progress
    is_open: bool
    known: str = ""


@dataclass(frozen=True, slots=True)
class ClosingPage:
    """The page. `request` is None where there is none, `going` where this desk can't send it, which `cannot` explains.

    `own_number`: the request carries a number of its own, made when somebody confirms. `follows` are pairs of what may be
    true and what comes of it then.
    """

    door: Door
    request: Request | None
    going: Going | None
    cannot: str | None
    own_number: bool
    within: str
    heard: str
    warned: bool
    follows: tuple[tuple[str, str], ...]
    closings: tuple[Closes, ...]


def closing_page(sight: Sight) -> ClosingPage:
    """Return what the page of a closing shows, open or shut."""
    request, why = _request(sight)
    sent, cannot = (None, why) if request is None else _going(sight, request)
    door = _door(sight, request, why)
    return ClosingPage(
        door=door,
        request=request,
        going=sent,
        cannot=cannot,
        own_number=request is not None and request.sent.identity == _NUMBER,
        within="" if request is None else _within(request),
        heard=" ".join(_heard(sight)),
        warned=door.state == "risky",
        follows=() if request is None else tuple(_follows(sight, request)),
        closings=tuple(closings_of(sight)),
    )


def closing_door(sight: Sight, *, may_not: str | None) -> Door:
    """Return the card of this door on the operation's page; `may_not` says why this person gets no further."""
    request, why = _request(sight)
    return _door(sight, request, why, may_not=may_not)


def with_closing(cards: Sequence[Door], sight: Sight, *, may_not: str | None) -> list[Door]:
    """Return the cards with this one behind what asks and repeats, before what creates and what stops.

    What only closes another operation is not closed itself, so that it has none.
    """
    if closings.link_of(sight.operation) is not None:
        return list(cards)
    place = next(at for at, card in enumerate(cards) if at and card.action in (Action.PROPOSE_NEW, Action.EXCEPT))
    return [*cards[:place], closing_door(sight, may_not=may_not), *cards[place:]]


def _within(request: Request) -> str:
    """Return how long an answer usually takes by the closing request's own contract, empty where that doesn't say."""
    expected = document_of(request.contract.document).expected_time
    return "" if expected is None else lasting(expected.seconds)


def _heard(sight: Sight) -> Iterator[str]:
    """Yield what is read out of the answer for the original: every claim that its contract has a rule for."""
    document = sight.document
    for name, channel in document.channels.items():
        if channel.kind is Kind.CLOSING:
            said = {rule.says for _, rule in document.rules_of(name)}
            yield from (_READ[claim] for claim in _READ if claim in said)


def _request(sight: Sight) -> tuple[Request | None, str | None]:
    try:
        return closing_request(sight.read, number=_NUMBER), None
    except CannotClose as none:
        return None, str(none)


def _going(sight: Sight, request: Request) -> tuple[Going | None, str | None]:
    try:
        return going(as_sent_here(request, now=sight.now)), None
    except (dispatch.CannotSend, CannotClose) as refused:
        return None, str(refused)


def _door(sight: Sight, request: Request | None, why: str | None, *, may_not: str | None = None) -> Door:
    refusal = sight.verdict[Closing.CLOSE_ORIGINAL]
    if refusal is not None:
        return _locked(refusal.sentence, _WAY_OUT[refusal.rule.rpartition(": ")[2]], way=_way_to_first(sight))
    if request is None:
        return _locked(why or "", _undocumented(sight), way=None)
    takes_back = request.closing.takes_back is not AfterEffect.REFUSED
    return Door(
        action=Closing.CLOSE_ORIGINAL,
        icon="circle-x",
        name=NAME,
        sends="Sends a request that closes",
        state="risky" if takes_back else "open",
        first=False,
        why=("A way to learn: the recipient ends it, or says what became of it.",),
        facts=tuple(_facts(sight, request)),
        way=Way("close_original", "See what is sent"),
        may_not=may_not,
    )


def _locked(why: str, way_out: str, *, way: Way | None) -> Door:
    return Door(
        action=Closing.CLOSE_ORIGINAL,
        icon="circle-x",
        name=NAME,
        sends="Sends a request that closes",
        state="locked",
        first=False,
        why=(why,),
        way_out=way_out,
        way=way,
    )


def _way_to_first(sight: Sight) -> Way | None:
    """Return the link to what was sent to close it, where there is anything to look at."""
    return Way("close_original", "See what was sent to close it") if closings.of_original(sight.operation) else None


def _undocumented(sight: Sight) -> str:
    if isinstance(sight.document.closing_request, ClosingRequest):
        return "what that sentence says, and then this page."
    contact = sight.document.owner.contact or f"a person at {sight.operation.recipient.name}."
    return f"ask whether there is one, and have it written into the contract: {contact}"


def _facts(sight: Sight, request: Request) -> Iterator[str]:
    name, sent = sight.operation.recipient.name, request.sent
    number = "a request number of its own" if sent.identity == _NUMBER else f"request number {sent.identity}"
    yield f"{request.closing.sentence}: {sent.method} {sent.target} to {name}, under {number}."
    yield f"If it has not happened: {_covered(sight)}"
    yield f"If it happened already: {_IF_IT_HAPPENED[request.closing.takes_back]}"
    yield "It is an operation of its own, and can't be taken back. A refusal settles nothing. A page to confirm comes first."


def _covered(sight: Sight) -> str:
    return _COVERS[sight.read.facts.contract.closure.covers]


def _follows(sight: Sight, request: Request) -> Iterator[tuple[str, str]]:
    word = sight.document.effect.word
    yield f"No {word} was made yet", _covered(sight)
    yield f"A {word} was made already", _IF_IT_HAPPENED[request.closing.takes_back]
    if granting.waiting(sight.operation.id, now=sight.now) is not None:
        yield "The agent may still send the original again", "Not any more: that leave ends with this decision, unused."
    yield "The request is refused", "Nothing is settled by that: what was sent may have acted, and may still act."
    yield "No answer comes", "The outcome stays unknown, and nothing is sent again by itself."


def closings_of(sight: Sight) -> Iterator[Closes]:
    """Yield the requests that were authorised to close this operation, the newest first."""
    rows = CloseOriginal.objects.filter(operation=sight.operation).select_related(
        "closing__recipient", "decision__closing__closing", "attempt__dispatch", "grant__use__attempt"
    )
    for row in rows.order_by("-decision__position"):
        link = row.decision.closing
        yield Closes(row, row.closing, progress_of(row, now=sight.now), _is_open(link, sight))


def _is_open(link: "models.Closing", sight: Sight) -> bool:
    return is_open(closings.request_of(link), now=reading.seconds(sight.now))


def closed_by(sight: Sight) -> Closes | None:
    """Return what this operation was sent to close, None where it closes nothing."""
    row = (
        CloseOriginal.objects.filter(closing=sight.operation)
        .select_related(
            "operation__recipient", "decision__closing__closing", "attempt__dispatch", "grant__use__attempt"
        )
        .first()
    )
    if row is None:
        return None
    known = f"{_KNOWN[Situation(row.operation.situation)]}."
    return Closes(row, row.operation, progress_of(row, now=sight.now), _is_open(row.decision.closing, sight), known)
