"""What one class of worlds looks like to everybody who can only ask."""

from typing import Final, NamedTuple

NOT_YET: Final = 99  # the gap of what never happens


class Seen(NamedTuple):
    """What tells one class of worlds from another; a gap number, or `NOT_YET` where it never happens."""

    applied: int
    received: int
    closed: int  # bits: positions at which it could say `closed`
    active: int  # bits: positions at which it could say `pending` in a strong read; the last one is now
    refused: tuple[int, ...]
    left: tuple[bool, ...]
    fates: tuple[tuple[str, int], ...]
    store: str
    dropped: int
    honours: tuple[bool, ...]  # for each interval: what the contract's window promises is kept
    straggles: tuple[bool, ...]  # for each interval: something sent under protection arrives after it
    punctual: bool
    live_received: bool
    alone: int
    with_repeat: int
    excess: bool
    repeat_acts: bool
