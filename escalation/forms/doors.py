"""The shape of what people send; nothing is saved here."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms

STANDING_ALONE = "standing"
LONGEST_REMARK = 2000
LONGEST_LEFT = timedelta(days=366)
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


class LeaveUnresolvedForm(DoorForm):
    """The missing fact, chosen among those that are missing now; who was told; when to look again, in UTC."""

    fact = forms.ChoiceField(error_messages={"required": "Choose what is missing."})
    told = forms.CharField(
        max_length=300, strip=True, error_messages={"required": "Say who was told: a name or an address."}
    )
    look_again_at = forms.DateTimeField(
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
        error_messages={
            "required": "Set a time to look again.",
            "invalid": "Write the time to look again as 2026-12-31 16:00, in UTC.",
        },
    )
    remark = forms.CharField(required=False, max_length=LONGEST_REMARK, strip=True)

    def __init__(self, *args: Any, facts: Iterable[str], now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.now = now
        fact = self.fields["fact"]
        assert isinstance(fact, forms.ChoiceField)  # noqa: S101  # for the type checker
        fact.choices = [(value, value) for value in facts]
        fact.error_messages["invalid_choice"] = "This is not missing any more; choose again."

    def clean_look_again_at(self) -> datetime:
        """A time to come, and not so far away that leaving would be closing."""
        at: datetime = self.cleaned_data["look_again_at"]
        if at <= self.now:
            raise forms.ValidationError("The time to look again must be to come.")
        if at - self.now > LONGEST_LEFT:
            raise forms.ValidationError(f"Look again within {LONGEST_LEFT.days} days; it can be left again then.")
        return at


class SendingForm(DoorForm):
    """Who sends, chosen among those who can, and a yes to what it may leave open.

    Where it could take back what happened (`warned`), it takes a yes to that, too.
    """

    executor = forms.ChoiceField(error_messages={"required": "Choose who sends it."})
    understood = forms.BooleanField(error_messages={"required": "Say that you know what may stay open."})
    taken_back = forms.BooleanField(error_messages={"required": "Say that you know what it could take back."})

    def __init__(self, *args: Any, executors: list[str], warned: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not warned:
            del self.fields["taken_back"]
        executor = self.fields["executor"]
        assert isinstance(executor, forms.ChoiceField)  # noqa: S101  # for the type checker
        executor.choices = [(value, value) for value in executors]
        executor.error_messages["invalid_choice"] = "They can't send it any more; choose again."


class ProtectedRepeatForm(SendingForm):
    """What people send to have the same request repeated; it could take something back where it closes another operation."""


class SignForm(DoorForm):
    """Sign, decline or take back; who signs says that they looked, who declines says why."""

    act = forms.ChoiceField(
        choices=[(act, act) for act in ("sign", "decline", "withdraw")],
        error_messages={"required": "Sign it or decline it.", "invalid_choice": "Sign it or decline it."},
    )
    looked = forms.BooleanField(required=False)
    reason = forms.CharField(required=False, max_length=LONGEST_REMARK, strip=True)

    def clean(self) -> dict[str, Any]:
        """A signature is given on what was looked at; a refusal has a reason."""
        given: dict[str, Any] = super().clean() or {}
        if given.get("act") == "sign" and not given.get("looked"):
            self.add_error("looked", "Say that you looked at it as it stands now.")
        if given.get("act") == "decline" and not given.get("reason"):
            self.add_error("reason", "Say why it is declined.")
        return given
