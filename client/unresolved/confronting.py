"""A new proposal beside one of the same tool whose outcome is open is seen before it is made; people say whether both are meant."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from unresolved.envelope import Envelope
from unresolved.kept import Known
from unresolved.recorder import Call, Recorder
from unresolved.words import OPEN, Next

About: TypeAlias = Callable[[Mapping[str, Any]], object]


@dataclass(slots=True, kw_only=True)
class Confronting:
    """`about` says by its arguments what a call is about: what is about something else is not confronted.

    Without it every open operation of the tool is. One under the same identity with other bytes always is.
    """

    recorder: Recorder
    about: About | None = None
    _ended: set[int] = field(default_factory=set)

    def open_beside(self, call: Call) -> Envelope | None:
        """Return what is known of the newest open operation that a call would be proposed beside, None if there is none.

        A repeat of what was attempted is no proposal. Where the desk can't be asked an operation is open. Raises what
        `Call.meant` raises, and `JournalUnwritable`.
        """
        return next((told for of, told in self._beside(call) if self._is_open(of, told)), None)

    def beside(self, call: Call) -> Envelope | None:
        """Return what is known of the newest operation, open or not, that a call would be proposed beside."""
        return next((told for _, told in self._beside(call, ended=True)), None)

    def _beside(self, call: Call, *, ended: bool = False) -> Iterator[tuple[Known, Envelope]]:
        bound = call.meant().bound
        own = self.recorder.journal.operation(bound.recipient, identity=bound.identity)
        if own is not None and own.digest == bound.digest:
            return
        for of in self.recorder.journal.operations_of(bound.recipient, tool=call.tool):
            if (of.key in self._ended and not ended) or not self._is_about_the_same(of, call):
                continue
            told = self.recorder.collect(call.contract, identity=of.identity)
            if told is not None:
                yield of, told

    def _is_about_the_same(self, of: Known, call: Call) -> bool:
        if self.about is None or of.identity == call.identity:
            return True
        theirs = json.loads(of.arguments or b"{}")
        return self.about(theirs) == self.about(dict(call.arguments or {}))

    def _is_open(self, of: Known, told: Envelope) -> bool:
        if told.next in OPEN:
            return True
        if told.next in (Next.APPLIED, Next.CLOSED):  # what was not sent, or is carried by another, may be sent yet
            self._ended.add(of.key)
        return False
