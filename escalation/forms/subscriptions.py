"""The forms of subscriptions: the shape of what was typed. Nothing is saved here."""

import os
import re
from typing import Final

from django import forms
from django.core.exceptions import ValidationError

from escalation.models.subscription import EVENT_KINDS, EventKind
from operations import posting, versions

MOST_RECIPIENTS: Final = 200
_NO_KEY: Final = "Write the key's name, as BILLING: capital letters, digits and _. The key itself is a setting."


def _checked_key(name: str) -> str:
    """Return a key's name that this process can sign with; raises ValidationError with a sentence."""
    if not posting.is_name(name):
        raise ValidationError(_NO_KEY)
    try:
        posting.program("", keys=[name], environ=os.environ)
    except posting.NoDestination as error:
        raise ValidationError(str(error)) from None
    return name


class KeyForm(forms.Form):
    """One key, by the name under which the settings hold it."""

    key = forms.CharField(max_length=64, strip=True, error_messages={"required": _NO_KEY})

    def clean_key(self) -> str:
        """A key that is set on this host, and can sign."""
        return _checked_key(self.cleaned_data["key"])


class SubscriptionForm(KeyForm):
    """One program: what it is called, where it is told, of what, and of which recipients."""

    name = forms.CharField(max_length=80, strip=True, error_messages={"required": "Write what it is called."})
    address = forms.CharField(
        max_length=500, strip=True, error_messages={"required": "Write its address, as https://billing.example/desk."}
    )
    events = forms.MultipleChoiceField(
        choices=[(kind.value, kind.sentence) for kind in EventKind],
        error_messages={"required": "Choose at least one thing that it is told of."},
    )
    recipients = forms.CharField(max_length=20_000, required=False, strip=True)

    def clean_address(self) -> str:
        """An address that something could be posted to; whether it may be reached is judged at each send."""
        address: str = self.cleaned_data["address"]
        try:
            posting.check_address(address)
        except posting.NoDestination as error:
            raise ValidationError(str(error)) from None
        return address

    def clean_events(self) -> list[EventKind]:
        """The kinds, in their own order."""
        chosen = self.cleaned_data["events"]
        return [kind for word, kind in EVENT_KINDS.items() if word in chosen]

    def clean_recipients(self) -> list[int] | None:
        """The row ids of the recipients with these keys; None for every one."""
        keys = sorted(set(re.split(r"[\s,]+", self.cleaned_data["recipients"])) - {""})
        if not keys:
            return None
        if len(keys) > MOST_RECIPIENTS:
            raise ValidationError(f"{MOST_RECIPIENTS} recipients are the most; leave it empty for every one.")
        return [_recipient(key) for key in keys]


def _recipient(key: str) -> int:
    try:
        return versions.recipient(key).pk
    except versions.NoSuchRecipient:
        raise ValidationError(f"There is no recipient with the key {key}.") from None
