"""What people type to authorise a new operation: the request, what permits it, and what they checked; nothing is saved."""

from typing import Any, Final

from django import forms

from escalation.decisions.new_operation import Authority
from escalation.decisions.proposing import Typed, WrongProposal, bound, editable, one_text, proposed
from escalation.forms.doors import LONGEST_REFERENCE, LONGEST_REMARK, DoorForm
from escalation.screens.sight import Sight
from operations.core.representation import Representation

LINES: Final = (1, 2, 3)
LONGEST_BODY: Final = 1 << 20
_NOTHING_CHECKED: Final = "Write down at least one condition that you checked, and by whom."


def _text(required: str = "", *, longest: int, **more: Any) -> forms.CharField:
    return forms.CharField(
        required=bool(required), max_length=longest, error_messages={"required": required}, **{"strip": True, **more}
    )


class ProposalForm(forms.Form):
    """The new request, as far as it may differ from the original's."""

    identity = _text("Type the new request's own request number.", longest=255)
    target = _text("Say where the request goes.", longest=2048)
    scope = _text(longest=255)
    body = _text(longest=LONGEST_BODY, strip=False)
    arguments = _text(longest=LONGEST_BODY, strip=False)

    def __init__(self, *args: Any, sight: Sight, initial: dict[str, Any] | None = None, **kwargs: Any) -> None:
        row = sight.operation
        texts = {"body": editable(row.body), "arguments": None if one_text(row) else editable(row.arguments)}
        kept = {"target": row.target, "scope": row.scope, **texts}
        kwargs["initial"] = {**kept, **(initial or {})}
        super().__init__(*args, **kwargs)
        self.sight = sight
        for name, text in texts.items():
            if text is None:  # bytes that can't be edited as text stay as they are
                del self.fields[name]

    def request(self) -> Representation:
        """Return the exact request that was typed; raises `WrongProposal`, also where the contract is not about it."""
        given = self.cleaned_data
        typed = Typed(
            identity=given["identity"],
            target=given["target"],
            scope=given["scope"],
            body=given.get("body"),
            arguments=given.get("arguments"),
        )
        found = proposed(self.sight.operation, typed)
        bound(self.sight.operation, found, authority="")
        return found


class NewOperationForm(ProposalForm, DoorForm):
    """The same with what permits it, what was checked, and the digest of the request whose differences were shown."""

    authority = _text("Say who allowed it.", longest=200)
    because = _text("Say why another one is wanted.", longest=LONGEST_REMARK)
    reference = _text("Give the reference: an order, a ticket, a message.", longest=LONGEST_REFERENCE)
    compared = forms.CharField(required=False, max_length=64)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for line in LINES:
            self.fields[f"what_{line}"] = _text(longest=500)
            self.fields[f"by_{line}"] = _text(longest=200)
            self.fields[f"checked_{line}"] = forms.BooleanField(required=False)

    @property
    def conditions(self) -> list[dict[str, Any]]:
        """The lines of what was checked, for the page."""
        return [{"number": line, "what": self[f"what_{line}"], "by": self[f"by_{line}"]} for line in LINES]

    def clean(self) -> dict[str, Any]:
        """What is authorised is what was compared, and something was checked by somebody."""
        given: dict[str, Any] = super().clean() or {}
        self._check_conditions(given)
        if {"identity", "target", "scope"} <= set(given):
            self._check_request(given)
        return given

    def _check_conditions(self, given: dict[str, Any]) -> None:
        for line in LINES:
            parts = [bool(given.get(f"{part}_{line}")) for part in ("what", "by", "checked")]
            if any(parts) and not all(parts):
                self.add_error(
                    f"what_{line}", f"Condition {line} needs its words, by whom, and the mark that it holds."
                )
        if not any(given.get(f"what_{line}") for line in LINES):
            self.add_error("what_1", _NOTHING_CHECKED)

    def _check_request(self, given: dict[str, Any]) -> None:
        try:
            found = self.request()
        except WrongProposal as wrong:
            self.add_error(wrong.field if wrong.field in self.fields else "identity", str(wrong))
            return
        if given.get("compared") != found.digest:
            self.add_error("compared", "Compare first: what you typed is not what was compared.")
        given["request"] = found

    def stated(self) -> Authority:
        """Return what permits it, and what was checked."""
        given = self.cleaned_data
        lines = [(given[f"what_{line}"], given[f"by_{line}"]) for line in LINES if given[f"what_{line}"]]
        return Authority(
            authority=given["authority"],
            because=given["because"],
            reference=given["reference"],
            preconditions=tuple(lines),
        )
