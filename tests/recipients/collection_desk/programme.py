"""What to do with the next requests: instructions in a queue, each taken by the first request that it fits."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from tests.recipients.collection_desk.strict import is_count, one_of
from tests.recipients.collection_desk.values import DeskError, Door, Request

MOST: Final = 10_000
WORDS: Final = {
    "door": tuple([door.value for door in Door]),
    "request": ("delivered", "lost", "held"),
    "work": ("at_once", "held"),
    "handling": ("issue", "accept", "fail_before", "fail_after", "refuse", "turn_away"),
    "reply": ("sent", "lost", "held", "truncated"),
    "ending": ("closed", "reset"),
    "says": ("absent", "received", "pending", "issued", "refused", "closed", "failed"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """What becomes of one request on its way in, at the desk, and of the reply on its way back.

    Which request: the next one at `door` with this `key` and `parcel` (None: any), `times` over.

    request   lost: the connection ends before the desk sees it; held: it is under way until control releases it.
    work      held: the desk has it in work until control releases it.
    handling  issue a ticket; accept: 202, pending until control finishes it; fail_before / fail_after: an error
              (`status`, 500) without / with a ticket; refuse: these bytes under this key for good; turn_away: this time
              only, with `status` (429).
    kept      whether the outcome is kept under the key; None: as the terms say.
    reply     lost: after the work is done the connection ends; held: until control releases it; truncated: half of it.
    ending    how a connection ends that was not answered: closed in order, or reset.
    says      the strong record answers with this state, whatever is true (door `operation` only).
    """

    door: str = "tickets"
    key: str | None = None
    parcel: str | None = None
    times: int = 1
    request: Literal["delivered", "lost", "held"] = "delivered"
    work: Literal["at_once", "held"] = "at_once"
    handling: Literal["issue", "accept", "fail_before", "fail_after", "refuse", "turn_away"] = "issue"
    status: int | None = None
    kept: bool | None = None
    reply: Literal["sent", "lost", "held", "truncated"] = "sent"
    ending: Literal["closed", "reset"] = "closed"
    says: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in WORDS.items():
            if name != "says" or self.says is not None:
                one_of(name, getattr(self, name), allowed)
        if not is_count(self.times) or self.times == 0:
            raise DeskError("times must be a whole number above zero.")
        if self.status is not None and not (is_count(self.status) and 400 <= self.status <= 599):
            raise DeskError("status must be an error's, 400 to 599.")
        if self.says is not None and self.door != Door.OPERATION:
            raise DeskError("says is for the door operation.")
        if self.door != Door.TICKETS and (self.work == "held" or self.handling not in ("issue", "turn_away")):
            raise DeskError("work and handling are for the door tickets; any door can turn_away.")
        self._check_matching()

    def _check_matching(self) -> None:
        for name in ("key", "parcel"):
            if not isinstance(getattr(self, name), str | None):
                raise DeskError(f"{name} must be text or null.")
        if not isinstance(self.kept, bool | None):
            raise DeskError("kept must be true, false or null.")

    def fits(self, request: Request) -> bool:
        """Whether this request is one that the instruction is for."""
        if self.door != request.door or (self.key is not None and self.key != request.key):
            return False
        return self.parcel is None or (request.arguments is not None and request.arguments.parcel == self.parcel)

    def as_json(self) -> dict[str, Any]:
        """The instruction as control says it."""
        return asdict(self)


PLAIN: Final = Instruction()


class Programme:
    """Instructions in the order they were told; the oldest that fits is taken."""

    def __init__(self) -> None:
        self._queue: list[Instruction] = []

    def tell(self, instruction: Instruction) -> None:
        """Add an instruction; raises DeskError beyond 10,000."""
        if len(self._queue) >= MOST:
            raise DeskError(f"The programme is full ({MOST} instructions).")
        self._queue.append(instruction)

    def take(self, request: Request) -> Instruction:
        """Return what to do with this request and use it up; PLAIN if nothing was told."""
        for place, instruction in enumerate(self._queue):
            if instruction.fits(request):
                self._use_up(place)
                return instruction
        return PLAIN

    def _use_up(self, place: int) -> None:
        left = self._queue[place].times - 1
        if left:
            self._queue[place] = replace(self._queue[place], times=left)
        else:
            del self._queue[place]

    def clear(self) -> None:
        """Forget every instruction."""
        self._queue.clear()

    def as_json(self) -> list[dict[str, Any]]:
        """What is still to be done, oldest first."""
        return [instruction.as_json() for instruction in self._queue]
