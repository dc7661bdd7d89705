"""Of what was claimed, questions that are ready to go out, and at once the asks that can't be made."""

from dataclasses import replace

from operations import reading
from operations.asking import CannotAsk, Prepared, prepared
from operations.channels.base import Clock, Limits
from operations.contracts.asked import Unaskable
from operations.contracts.http_semantics import conditional_headers
from operations.contracts.loading import document_of
from operations.recording import held
from operations.recording.asked import Asked
from operations.recording.claiming import Claim, Leased


def questions(claimed: Claim, *, limits: Limits, clock: Clock) -> tuple[dict[int, list[Prepared]], list[Asked]]:
    """Return the questions by recipient, in the order claimed, and those that can't be asked with the reason."""
    found = held.loaded([one.operation_id for _, leased in claimed.turns for one in leased])
    ready: dict[int, list[Prepared]] = {}
    not_asked: list[Asked] = []
    for _, leased in claimed.turns:
        for one in leased:
            try:
                question = prepared(reading.read(found[one.operation_id]), one.channel, limits=limits)
                ready.setdefault(one.recipient_id, []).append(
                    _conditional(question, one, found[one.operation_id].contract.document)
                )
            except CannotAsk as error:
                not_asked.append(_cannot(one, error, clock=clock))
    return ready, not_asked


def _conditional(question: Prepared, leased: Leased, document: str) -> Prepared:
    """Return the question with the entity tag of the answer before, where the contract wants it (RFC 9110, 13.1.2)."""
    if not leased.etag:
        return question
    lines = conditional_headers(document_of(document).channels[leased.channel].asks, previous={"etag": leased.etag})
    return replace(question, ask=replace(question.ask, headers=(*question.ask.headers, *lines)))


def _cannot(leased: Leased, error: CannotAsk, *, clock: Clock) -> Asked:
    """What the stored request lacks is the operation's; what is not set up is the recipient's, and is tried again."""
    now = clock()
    of_the_request = isinstance(error.__cause__, Unaskable)
    return Asked(
        operation_id=leased.operation_id,
        recipient_id=leased.recipient_id,
        channel=leased.channel,
        at=now,
        ended_at=now,
        cannot=str(error) if of_the_request else "",
        failure="" if of_the_request else str(error),
    )
