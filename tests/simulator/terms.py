"""The protection terms of the exhaustive check: what the contract says, and which realities keep its word.

A reality is a store of `tests.simulator.plans.stores`. A contract that promises nothing admits every store; a promise
admits the stores that keep it. The recipient's newest statement about the identity goes before the contract: if it said
`protection_until`, the store keeps the identity until then; if it said `protection_lost`, it has dropped it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tests.simulator.timeline import MARGIN
from tests.simulator.universe import INTERVALS, Universe

_NEVER = 99
FAR, NEAR, LOST = "far", "near", "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """One contract's protection, in words of the scenario format, and the stores that keep its promise.

    `keeps`: the mask of worlds whose store keeps the promise where the recipient stated nothing. `place`: which of
    INTERVALS its attempts were sent under (None: it promises nothing, so none was sent under protection). `stated`:
    statements of the recipient count for anything (False: the promise misses the original whatever is stated).
    """

    name: str
    protection: dict[str, Any]
    keeps: Callable[[Universe], int]
    place: int | None = None
    stated: bool = True
    identity_known: bool = True
    scopes: tuple[str, ...] = ("live", "live")
    repeat_scope: str | None = None
    keys: tuple[str, ...] = ("k", "k")
    many: bool = False


def _on(universe: Universe, dropped_from: int = _NEVER, dropped_to: int = _NEVER) -> int:
    return universe.mask("store", "on", dropped_from, dropped_to)


def _off(universe: Universe) -> int:
    return universe.mask("store", "off", 0, _NEVER)


def _any(universe: Universe) -> int:
    return _on(universe, 0)


def _all_or_none(universe: Universe) -> int:
    return _any(universe) | _off(universe)


def _errors_dropped(universe: Universe) -> int:
    return universe.mask("store", "unkept", 0, _NEVER) | _on(universe)


def _in_flight_run(universe: Universe) -> int:
    return universe.mask("store", "unfenced", 0, _NEVER) | _on(universe)


def _window_long(universe: Universe) -> int:
    return _any(universe) & universe.mask("honours", 0)


def _window_middle(universe: Universe) -> int:
    return _any(universe) & universe.mask("honours", 1)


def _window_short(universe: Universe) -> int:
    return _any(universe) & universe.mask("honours", 2)


def admissible(terms: Terms, universe: Universe, statement: tuple[str, int] | None) -> int:
    """Return the mask of the worlds whose store keeps these terms and the newest statement (which, position)."""
    if universe.plan.off_record:  # no promise reaches what isn't on record: past worlds are those without a store
        return universe.everything
    if statement is None or not terms.stated:
        return terms.keeps(universe)
    which, position = statement
    if which == LOST:
        return _off(universe) | (_on(universe, 0, position) & universe.mask("punctual"))
    if which == NEAR:
        return _on(universe, position + 1) & universe.mask("punctual")
    kept = _on(universe, universe.plan.timeline.last_gap + 2)
    if terms.place is not None:
        kept &= ~universe.mask("straggles", terms.place)
    return kept | universe.mask("store", "again", 0, _NEVER)


def recognises_nothing(terms: Terms) -> bool:
    """Return whether the recipient has no store at all in any world of these terms."""
    return terms.keeps is _off


def repeat_acts(terms: Terms, universe: Universe) -> int:
    """Return the mask of the worlds in which a repeat acts beside another effect."""
    if universe.plan.off_record and (recognises_nothing(terms) or not terms.identity_known):
        return universe.mask("acts")
    return universe.mask("a repeat acts too")


def _key(name: str, keeps: Callable[[Universe], int], **given: Any) -> Terms:
    words = {"mechanism": "key", "margin": MARGIN, "covers": "every_outcome", "concurrent_use": "protected"}
    apart = {field: given.pop(field) for field in tuple(given) if field in Terms.__slots__}
    return Terms(name=name, protection={**words, **given}, keeps=keeps, **apart)


_LONG, _MIDDLE, _SHORT = INTERVALS
TERMS: Final = (
    _key("none", _off, mechanism="none", guaranteed_for="unlimited", stated=False),
    _key("undocumented", _all_or_none, mechanism="undocumented"),
    _key("undocumented, and unlimited", _all_or_none, mechanism="undocumented", guaranteed_for="unlimited"),
    _key("window open", _window_long, guaranteed_for=_LONG, place=0),
    _key("window ends within", _window_middle, guaranteed_for=_MIDDLE, place=1),
    _key("window lapsed", _window_short, guaranteed_for=_SHORT, place=2),
    _key("unlimited", _on, guaranteed_for="unlimited", place=0),
    _key("unlimited, no margin", _on, guaranteed_for="unlimited", margin=None, place=0),
    _key("late repeat refused", _on, guaranteed_for=_MIDDLE, after="refused", place=0),
    _key("while it exists", _any, guaranteed_for="while_exists"),
    _key("interval undocumented", _any, guaranteed_for="undocumented"),
    _key("successes only", _errors_dropped, guaranteed_for=_LONG, covers="success_only", stated=False),
    _key("outcomes undocumented", _errors_dropped, guaranteed_for=_LONG, covers="undocumented", stated=False),
    _key("in flight undocumented", _in_flight_run, guaranteed_for=_LONG, concurrent_use="undocumented", stated=False),
    _key("repeat in another scope", _on, guaranteed_for="unlimited", place=0, repeat_scope="backup", keys=("k2", "k2")),
    _key(
        "first in another scope",
        _on,
        guaranteed_for="unlimited",
        place=0,
        repeat_scope="live",
        scopes=("backup", "live"),
        keys=("k2", "k"),
    ),
    _key(
        "second in another scope",
        _on,
        guaranteed_for="unlimited",
        place=0,
        repeat_scope="live",
        scopes=("live", "backup"),
        keys=("k", "k2"),
    ),
    _key("identity unknown", _on, guaranteed_for="unlimited", stated=False, identity_known=False, keys=("k2", "k3")),
)
MANNERS: Final = (
    _key("repeat while pending", _window_long, guaranteed_for=_LONG, place=0, repeat_while_pending=True),
    _key("pending soon stale", _window_long, guaranteed_for=_LONG, place=0, pending_fresh_for=15.0),
    _key("paced", _window_long, guaranteed_for=_LONG, place=0, repeat_while_pending=True, min_interval=25.0),
)
MANY: Final = (
    Terms(name="none, many", protection={"mechanism": "none"}, keeps=_off, stated=False, many=True),
    _key("window open, many", _window_long, guaranteed_for=_LONG, place=0, many=True),
    _key("window ends within, many", _window_middle, guaranteed_for=_MIDDLE, place=1, many=True),
    _key("unlimited, many", _on, guaranteed_for="unlimited", place=0, many=True),
)
