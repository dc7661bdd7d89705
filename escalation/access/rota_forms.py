"""What an administrator types about rotas: their time zone, shifts with the people in their order, and covers."""

from datetime import UTC
from typing import Any, Final
from zoneinfo import available_timezones

from django import forms

from escalation.access.rotas import NewCover, NewShift
from escalation.access.team_forms import TeamForm, person_named, plain_name
from escalation.models import User
from escalation.models.rota import MOST_WEEKS
from escalation.models.team import LONGEST_NAME

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOST_PEOPLE: Final = 50
TIMES: Final = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]
_ON_THE_CLOCK: Final = {"required": "Write the time as 09:00.", "invalid": "Write the time as 09:00."}
_IN_UTC: Final = {"required": "Set the time.", "invalid": "Write the time as 2026-12-31 16:00, in UTC."}


class RotaForm(TeamForm):
    """The name of a new rota, and the time zone whose clock it goes by."""

    zone = forms.CharField(max_length=64, strip=True, error_messages={"required": "Type a time zone."})

    def clean_zone(self) -> str:
        """Return it as the IANA's list has it."""
        zone: str = self.cleaned_data["zone"]
        if zone not in available_timezones():
            raise forms.ValidationError(f"There is no time zone “{zone}”; one is Europe/Berlin.")
        return zone


class ShiftForm(forms.Form):
    """A shift: on which days, from when to when, whose turn is first, and how long each has it."""

    name = forms.CharField(max_length=LONGEST_NAME, strip=True, error_messages={"required": "Type the shift's name."})
    days = forms.TypedMultipleChoiceField(
        choices=list(enumerate(DAYS)), coerce=int, error_messages={"required": "Choose a day at least."}
    )
    begins = forms.TimeField(input_formats=["%H:%M"], error_messages=_ON_THE_CLOCK)
    ends = forms.TimeField(input_formats=["%H:%M"], error_messages=_ON_THE_CLOCK)
    first_day = forms.DateField(
        error_messages={"required": "Say from which day on.", "invalid": "Write the day as 2026-12-31."}
    )
    weeks = forms.IntegerField(
        min_value=1,
        max_value=MOST_WEEKS,
        error_messages={"required": "Say after how many weeks it is the next one's turn."},
    )
    people = forms.CharField(
        max_length=8000, error_messages={"required": "Type who takes turns, one user name a line."}
    )

    def clean_name(self) -> str:
        """Return it as it is kept."""
        return plain_name(self.cleaned_data["name"])

    def clean_people(self) -> list[User]:
        """Return the people in their order; somebody may stand there twice."""
        names = self.cleaned_data["people"].replace(",", "\n").split()
        if len(names) > MOST_PEOPLE:
            raise forms.ValidationError(f"At most {MOST_PEOPLE} take turns in a shift.")
        return [person_named(name) for name in names]

    def shift(self) -> NewShift:
        """Return the shift that was typed."""
        return NewShift(**self.cleaned_data)


class CoverForm(forms.Form):
    """Who is on call from when to when, whatever the shifts say; no name: nobody, which is said besides."""

    person = forms.CharField(required=False, max_length=150, strip=True)
    nobody = forms.BooleanField(required=False)
    since = forms.DateTimeField(input_formats=TIMES, error_messages=_IN_UTC)
    until = forms.DateTimeField(input_formats=TIMES, error_messages=_IN_UTC)
    why = forms.CharField(required=False, max_length=200, strip=True)

    def clean_person(self) -> User | None:
        """Return the person, if one was named."""
        name = self.cleaned_data["person"]
        return person_named(name) if name else None

    def clean(self) -> dict[str, Any]:
        """Somebody or nobody, and an end after the beginning."""
        given: dict[str, Any] = super().clean() or {}
        if "person" in given and given["nobody"] == (given["person"] is not None):
            raise forms.ValidationError("Name who is on call, or say that nobody is; one of the two.")
        since, until = given.get("since"), given.get("until")
        if since is not None and until is not None and until <= since:
            self.add_error("until", "It ends after it begins.")
        return given

    def cover(self) -> NewCover:
        """Return the cover that was typed."""
        given = self.cleaned_data
        return NewCover(
            person=given["person"],
            since=given["since"].astimezone(UTC),
            until=given["until"].astimezone(UTC),
            why=given["why"],
        )
