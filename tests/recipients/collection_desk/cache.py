"""A cache in front of the strong record that keeps its "not found"."""

from collections.abc import Callable
from typing import Final

from tests.recipients.collection_desk.ledger import Passage
from tests.recipients.collection_desk.values import Answer, Identity

MOST: Final = 10_000


class AbsentCache:
    """Answers 404 again for a while, with the Date of the first, its Age and how long it is fresh (RFC 9111)."""

    def __init__(self) -> None:
        self._kept: dict[Identity, tuple[Answer, float]] = {}

    def answer(self, passage: Passage, *, kept_for: int, now: float, ask: Callable[[], Answer]) -> Answer:
        """Answer from the cache or ask; `kept_for` 0 seconds: always ask. A request for `no-cache` asks too."""
        identity = passage.identity
        if kept_for == 0 or identity is None:
            return ask()
        if not passage.request.no_cache and identity in self._kept:
            kept, at = self._kept[identity]
            if now - at < kept_for:
                return self._aged(kept, at, kept_for, now)
        return self._asked(identity, kept_for, now, ask())

    def _asked(self, identity: Identity, kept_for: int, now: float, answer: Answer) -> Answer:
        if answer.status != 404:
            self._kept.pop(identity, None)
            return answer
        if len(self._kept) < MOST:
            self._kept[identity] = (answer, now)
        return self._aged(answer, now, kept_for, now)

    def _aged(self, answer: Answer, at: float, kept_for: int, now: float) -> Answer:
        dated = Answer(status=answer.status, body=answer.body, headers=answer.headers, dated=at)
        return dated.with_headers(("Cache-Control", f"max-age={kept_for}"), ("Age", str(int(now - at))))
