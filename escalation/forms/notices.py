"""The forms of addresses and quiet hours: the shape of what was typed. Nothing is saved here."""

from typing import Any, Final
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from escalation.models import Team
from escalation.models.notice_address import WAYS, Way
from operations import posting

LONGEST: Final = 254
_NO_MAIL: Final = "Write a mail address, as ann@desk.example, in letters that every mail server takes."
_NO_NAME: Final = "Write the webhook's name, as OPS_ROOM: capital letters, digits and _. Its own address is a setting."


class AddressForm(forms.Form):
    """One address: how, and where."""

    way = forms.ChoiceField(
        choices=[(way.value, way.sentence) for way in Way], error_messages={"required": "Choose how."}
    )
    to = forms.CharField(max_length=LONGEST, strip=True, error_messages={"required": "Write where."})

    def clean(self) -> dict[str, Any]:
        """Check the address by its way."""
        typed: dict[str, Any] = super().clean() or {}
        way, to = typed.get("way"), typed.get("to", "")
        if way == Way.MAIL and to and not _is_mail(to):
            self.add_error("to", _NO_MAIL)
        elif way and way != Way.MAIL and to and not posting.is_name(to):
            self.add_error("to", _NO_NAME)
        return typed

    @property
    def chosen(self) -> Way:
        """The way that was chosen."""
        return WAYS[self.cleaned_data["way"]]


class SharedAddressForm(AddressForm):
    """One address of a team; without a team, a webhook that chains call by its name."""

    team = forms.CharField(max_length=80, required=False, strip=True)

    def clean_team(self) -> Team | None:
        """The team of that name; none where it is left empty."""
        name = self.cleaned_data["team"]
        found = Team.objects.filter(name=name, ended_at=None).first() if name else None
        if name and found is None:
            raise ValidationError("There is no team of that name.")
        return found

    def clean(self) -> dict[str, Any]:
        """Mail is somebody's: of nobody there are webhooks alone."""
        typed = super().clean()
        if typed.get("way") == Way.MAIL and "team" in typed and typed["team"] is None:
            self.add_error("team", "Mail goes to a team: choose which.")
        return typed


class QuietForm(forms.Form):
    """From when to when somebody would rather not be told, by their own clock."""

    begins = forms.TimeField(error_messages={"required": "Say from when.", "invalid": "Write the time as 22:00."})
    ends = forms.TimeField(error_messages={"required": "Say until when.", "invalid": "Write the time as 07:00."})
    zone = forms.CharField(max_length=64, strip=True, error_messages={"required": "Choose your time zone."})

    def clean_zone(self) -> str:
        """The time zone's name as this machine knows it."""
        zone: str = self.cleaned_data["zone"]
        if zone not in available_timezones():
            raise ValidationError("This machine knows no such time zone; write it as Europe/Berlin.")
        return zone

    def clean(self) -> dict[str, Any]:
        """Quiet hours end: they are never all day."""
        typed: dict[str, Any] = super().clean() or {}
        if typed.get("begins") is not None and typed.get("begins") == typed.get("ends"):
            self.add_error("ends", "Quiet hours that begin and end at the same time would never end.")
        return typed


def _is_mail(to: str) -> bool:
    try:
        validate_email(to)
    except ValidationError:
        return False
    return to.isascii()
