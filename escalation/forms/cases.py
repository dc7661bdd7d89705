"""The forms of a case: to whom, until when, in which words. Each carries the case as it was seen; nothing is saved here."""

from typing import Any, Final

from django import forms

from escalation.models import User

LONGEST_NOTE: Final = 2000
TIMES: Final = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]


class CaseForm(forms.Form):
    """What every form of a case carries: the revision of it that was looked at."""

    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class HandOverForm(CaseForm):
    """Somebody who may look after it, chosen by name, and where things stand."""

    to = forms.ChoiceField(error_messages={"required": "Choose who looks after it from now on."})
    note = forms.CharField(required=False, max_length=LONGEST_NOTE, strip=True)

    def __init__(self, *args: Any, people: list[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = {person.username: person for person in people}
        to = self.fields["to"]
        assert isinstance(to, forms.ChoiceField)  # noqa: S101  # for the type checker
        to.choices = [(name, name) for name in self.people]
        to.error_messages["invalid_choice"] = "They may not look after this recipient's cases; choose somebody else."

    def person(self) -> User:
        """Return who was chosen."""
        return self.people[self.cleaned_data["to"]]


class PutOffForm(CaseForm):
    """Until when it may wait, in UTC, and why."""

    until = forms.DateTimeField(
        input_formats=TIMES,
        error_messages={
            "required": "Set a time to look again.",
            "invalid": "Write the time as 2026-12-31 16:00, in UTC.",
        },
    )
    note = forms.CharField(required=False, max_length=LONGEST_NOTE, strip=True)


class NoteForm(CaseForm):
    """A line for whoever looks after it; never evidence."""

    note = forms.CharField(
        max_length=LONGEST_NOTE, strip=True, error_messages={"required": "Write what others should know."}
    )
