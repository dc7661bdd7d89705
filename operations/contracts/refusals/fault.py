"""What is wrong with a document, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing for which a contract is refused: `place` is a JSON pointer, `rule` a slug, `message` what is wrong."""

    place: str
    rule: str
    message: str
