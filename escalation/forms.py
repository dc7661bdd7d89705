"""The shape of what people send; nothing is saved here."""

from typing import Any
from uuid import UUID

from django import forms

STANDING_ALONE = "standing"
LONGEST_REMARK = 2000
LONGEST_REFERENCE = 255


class DoorForm(forms.Form):
    """What every door's form carries: the revision that was looked at and the form's own name; no verdict."""

    revision = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    once = forms.UUIDField(widget=forms.HiddenInput)


class RecordRepairForm(DoorForm):
    """A receipt chosen among those offered, a remark, and a yes."""

    receipt = forms.ChoiceField(error_messages={"required": "Choose what our record shall rest on."})
    remark = forms.CharField(required=False, max_length=LONGEST_REMARK, strip=True)
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


class AskForm(forms.Form):
    """A channel among those offered, and the recipient's own reference where the channel asks by one."""

    channel = forms.ChoiceField(error_messages={"required": "Choose what to ask."})
    reference = forms.CharField(required=False, max_length=LONGEST_REFERENCE, strip=True)

    def __init__(self, *args: Any, channels: list[str], finders: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.finders = finders
        channel = self.fields["channel"]
        assert isinstance(channel, forms.ChoiceField)  # noqa: S101  # for the type checker
        channel.choices = [(value, value) for value in [*channels, *finders]]
        channel.error_messages["invalid_choice"] = "The contract has no such channel that can be asked."

    def clean(self) -> dict[str, Any]:
        """A finder needs the reference, and nothing else takes one."""
        given: dict[str, Any] = super().clean() or {}
        finds = given.get("channel") in self.finders
        if finds and not given.get("reference"):
            self.add_error("reference", "Type the reference that the recipient gave.")
        if "channel" in given and not finds and given.get("reference"):
            self.add_error("reference", "This channel does not ask by a reference.")
        return given


class LinkForm(forms.Form):
    """The operation that a message is given to, by the number it is called by."""

    number = forms.IntegerField(
        min_value=1,
        max_value=2**63 - 1,
        error_messages={"required": "Type the number of the operation.", "invalid": "Type the number alone."},
    )


class DismissForm(forms.Form):
    """Why a message is put aside."""

    remark = forms.CharField(
        max_length=LONGEST_REMARK, strip=True, error_messages={"required": "Say why it is put aside."}
    )
