"""The shape of what people send; nothing is saved here."""

from typing import Any
from uuid import UUID

from django import forms

STANDING_ALONE = "standing"
LONGEST_REMARK = 2000


class RecordRepairForm(forms.Form):
    """A receipt chosen among those offered, a remark, the revision that was looked at, and a yes."""

    receipt = forms.ChoiceField(error_messages={"required": "Choose what our record shall rest on."})
    remark = forms.CharField(required=False, max_length=LONGEST_REMARK, strip=True)
    revision = forms.IntegerField(min_value=1)
    compared = forms.BooleanField(error_messages={"required": "Say that you compared the lines."})

    def __init__(self, *args: Any, offered: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        receipt = self.fields["receipt"]
        assert isinstance(receipt, forms.ChoiceField)  # noqa: S101  # for the type checker
        receipt.choices = [(value, value) for value in offered]
        receipt.error_messages["invalid_choice"] = "This is no receipt any more; choose another."

    def receipt_id(self) -> UUID | None:
        """The observation that was chosen; None where our record rests on the standing alone."""
        chosen = self.cleaned_data["receipt"]
        return None if chosen == STANDING_ALONE else UUID(chosen)
