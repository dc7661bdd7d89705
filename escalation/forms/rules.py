"""What an administrator types to let a door take two people, or to set how much one person may accept."""

from typing import Any

from django import forms

from escalation.forms.exceptions import MoneyFields
from escalation.models import User
from escalation.models.money import Money
from escalation.policy import DOORS, HOLDS, May, Role
from operations import versions

ACCEPTING = tuple([role for role in Role if May.APPROVE_EXCEPTION in HOLDS[role]])


class SettingForm(MoneyFields):
    """For which recipient, by its key; empty: for every one."""

    recipient = forms.CharField(required=False, max_length=200, strip=True)

    def clean_recipient(self) -> int | None:
        """Return the row id of the recipient with this key."""
        key = self.cleaned_data["recipient"]
        if not key:
            return None
        try:
            return versions.recipient(key).pk
        except versions.NoSuchRecipient:
            raise forms.ValidationError("There is no recipient with this key.") from None

    def clean(self) -> dict[str, Any]:
        """An amount has its currency."""
        given: dict[str, Any] = super().clean() or {}
        given["money"] = None if {"amount", "currency"} & set(self.errors) else self.money()
        return given

    @property
    def chosen(self) -> Money | None:
        """The amount that was typed, if one was."""
        money: Money | None = self.cleaned_data["money"]
        return money


class RuleForm(SettingForm):
    """A door, and from which amount on; no amount: always."""

    door = forms.ChoiceField(
        choices=[(door.value, words) for door, words in DOORS.items()],
        error_messages={
            "required": "Choose what it is to take two people for.",
            "invalid_choice": "Choose one of these.",
        },
    )
    always = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Always, or from an amount on: exactly one of the two is said."""
        given = super().clean()
        if not self.errors and given["always"] == (given["money"] is not None):
            raise forms.ValidationError("Say “always”, or from which amount on; one of the two.")
        return given


class LimitForm(SettingForm):
    """A role or one person, and the most they may accept; or that they may accept risks in words."""

    role = forms.ChoiceField(
        required=False,
        choices=[("", "")] + [(role.value, role.value) for role in ACCEPTING],
        error_messages={"invalid_choice": "This role accepts no risks."},
    )
    person = forms.CharField(required=False, max_length=150, strip=True)
    in_words = forms.BooleanField(required=False)

    def clean_person(self) -> User | None:
        """Return the person with this user name."""
        name = self.cleaned_data["person"]
        found = User.objects.filter(username=name).first() if name else None
        if name and found is None:
            raise forms.ValidationError("There is nobody with this user name.")
        return found

    def clean(self) -> dict[str, Any]:
        """Of a role or of a person; an amount or in words: exactly one of each."""
        given = super().clean()
        if self.errors:
            return given
        if bool(given["role"]) == (given["person"] is not None):
            raise forms.ValidationError("Name a role or a person; one of the two.")
        if given["in_words"] == (given["money"] is not None):
            raise forms.ValidationError(
                "Say the most as an amount with its currency, or “risks in words”; one of the two."
            )
        return given

    @property
    def holder(self) -> Role | User:
        """The role or the person that was named."""
        person: User | None = self.cleaned_data["person"]
        return person or Role(self.cleaned_data["role"])
