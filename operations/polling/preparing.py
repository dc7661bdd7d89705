"""Of what was claimed, questions that are ready to go out, and at once the asks that can't be made."""

from dataclasses import dataclass, replace
from uuid import UUID

from operations import reading
from operations.asking import CannotAsk, Prepared, prepared
from operations.channels.base import Clock, Limits, Reach
from operations.channels.guard import Refused
from operations.contracts.asked import Unaskable
from operations.contracts.http_semantics import conditional_headers
from operations.contracts.loading import document_of
from operations.recording.asked import Asked
from operations.recording.claiming import Claim, Leased
from operations.recording.held import Loaded, load


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What a claim comes to: its operations as loaded, the questions by recipient in the order claimed, and the rest."""

    loaded: dict[UUID, Loaded]
    questions: dict[int, list[Prepared]]
    not_asked: list[Asked]


def ready(claimed: Claim, *, limits: Limits, clock: Clock) -> Ready:
    """Return the questions, and those that can't be asked with the reason."""
    found = Ready(
        loaded=load([one.operation_id for _, leased in claimed.turns for one in leased]), questions={}, not_asked=[]
    )
    reaches: dict[tuple[int, int, str], Reach] = {}
    for _, leased in claimed.turns:
        for one in leased:
            try:
                question = _question(found.loaded[one.operation_id], one, limits=limits, reaches=reaches)
                found.questions.setdefault(one.recipient_id, []).append(question)
            except CannotAsk as error:
                found.not_asked.append(_cannot(one, error, clock=clock))
    return found


def _question(
    loaded: Loaded, leased: Leased, *, limits: Limits, reaches: dict[tuple[int, int, str], Reach]
) -> Prepared:
    way = (leased.recipient_id, reading.judging(loaded.operation).id, leased.channel)
    question = prepared(loaded.read(), leased.channel, limits=limits, reach=reaches.get(way))
    reaches[way] = question.reach
    return _conditional(question, leased, reading.judging(loaded.operation).document)


def _conditional(question: Prepared, leased: Leased, document: str) -> Prepared:
    """Return the question with the entity tag of the answer before, where the contract wants it (RFC 9110, 13.1.2)."""
    if not leased.etag:
        return question
    lines = conditional_headers(document_of(document).channels[leased.channel].asks, previous={"etag": leased.etag})
    return replace(question, ask=replace(question.ask, headers=(*question.ask.headers, *lines)))


def _cannot(leased: Leased, error: CannotAsk, *, clock: Clock) -> Asked:
    """What the stored request lacks, or holds, is the operation's and counts against no recipient: who may register
    operations must not be able to have one paused. What is not set up is the recipient's, and is tried again.
    """
    now = clock()
    of_the_request = isinstance(error.__cause__, Unaskable | Refused)
    return Asked(
        operation_id=leased.operation_id,
        recipient_id=leased.recipient_id,
        channel=leased.channel,
        at=now,
        ended_at=now,
        cannot=str(error) if of_the_request else "",
        failure="" if of_the_request else str(error),
    )
