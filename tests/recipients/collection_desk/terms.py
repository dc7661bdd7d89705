"""How the desk behaves towards every request, until control changes it. The words are those of semantics.md."""

from dataclasses import dataclass
from typing import Final, Literal

from tests.recipients.collection_desk.strict import is_count, is_seconds, one_of
from tests.recipients.collection_desk.values import DeskError

WORDS: Final = {
    "mechanism": ("key", "none"),
    "after": ("runs_as_new", "refused"),
    "covers": ("every_outcome", "success_only"),
    "concurrent_use": ("protected", "unprotected"),
    "key_scope": ("desk", "credential"),
    "changed_arguments": ("refused", "replayed"),
    "closure": ("identity", "earlier_attempts"),
    "retry_after_as": ("seconds", "date"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The truth about the desk's protection, closing and reads; a contract may promise less.

    `mechanism` none: the identity is ignored, and nothing can be looked up or closed by it. `keeps_for`: seconds from
    the first receipt, or for as long as the ticket is not collected. `after`: a repeat after that runs, or is refused.
    `concurrent_use` unprotected: a repeat runs beside an original in work. `changed_arguments` replayed: the first
    outcome is given whatever the repeat asks for. `search_lag`: how many changes the index is behind, or `held`:
    it stands still until control lets it catch up. `absent_cached_for`: seconds a "not found" of the record is kept by
    a cache before it. `retry_after`: seconds, said with 202, 409, 429 and 503 in either form of RFC 9110.
    """

    mechanism: Literal["key", "none"] = "key"
    keeps_for: float | Literal["unlimited", "while_exists"] = "unlimited"
    after: Literal["runs_as_new", "refused"] = "runs_as_new"
    covers: Literal["every_outcome", "success_only"] = "every_outcome"
    concurrent_use: Literal["protected", "unprotected"] = "protected"
    key_scope: Literal["desk", "credential"] = "desk"
    changed_arguments: Literal["refused", "replayed"] = "refused"
    closure: Literal["identity", "earlier_attempts"] = "identity"
    search_lag: int | Literal["held"] = 0
    absent_cached_for: int = 0
    retry_after: int = 5
    retry_after_as: Literal["seconds", "date"] = "seconds"

    def __post_init__(self) -> None:
        for name, allowed in WORDS.items():
            one_of(name, getattr(self, name), allowed)
        if self.keeps_for not in ("unlimited", "while_exists") and not is_seconds(self.keeps_for):
            raise DeskError("keeps_for must be seconds, unlimited or while_exists.")
        if self.search_lag != "held" and not is_count(self.search_lag):
            raise DeskError("search_lag must be a number of changes or held.")
        for name in ("absent_cached_for", "retry_after"):
            if not is_count(getattr(self, name)):
                raise DeskError(f"{name} must be whole seconds.")
