"""A contract is checked for more than it can be refused for: statuses that no rule reads, and rules in vain."""

from collections.abc import Iterator
from dataclasses import dataclass

from operations.contracts.coverage import Overlap, overlaps, silent, unhandled, unreachable
from operations.contracts.document import Document
from operations.contracts.loading import ContractRefused, Refused, draft_reasons, load
from operations.contracts.specimen import examples


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a check found. `refused` is empty if `document` is there; `findings` are sentences; `draft` says why it is
    one; `examples` counts those that were run."""

    document: Document | None
    refused: tuple[Refused, ...] = ()
    findings: tuple[str, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    draft: tuple[str, ...] = ()
    examples: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing was found; a draft may be clean."""
        return not self.refused and not self.findings


def check(text: str) -> Report:
    """Return what is wrong with a contract's text, and what it leaves open."""
    try:
        document = load(text)
    except ContractRefused as refused:
        return Report(document=None, refused=refused.faults)
    return Report(
        document=document,
        findings=findings(document),
        overlaps=tuple(overlaps(document)),
        draft=draft_reasons(document),
        examples=sum(1 for _ in examples(document)),
    )


def findings(document: Document) -> tuple[str, ...]:
    """Return what a contract leaves open: channels and expected statuses that no rule reads, and rules in vain."""
    return tuple(_left_open(document))


def _left_open(document: Document) -> Iterator[str]:
    for channel in silent(document):
        yield f"no rule reads the channel {channel}"
    for channel, statuses in unhandled(document).items():
        yield f"no rule of {channel} reads the status {', '.join(map(str, statuses))}"
    for index, why in unreachable(document):
        yield f"rule {document.readings[index].rule} can never speak: {why}"
