"""What is typed to do one safe thing about many rows of the queue."""

import re
from typing import Any, Final

from django import forms

from escalation.forms.cases import LONGEST_NOTE, TIMES
from escalation.models import User

ACTS: Final = ("take", "hand_over", "put_off", "note", "ask")
_ROW: Final = re.compile(r"([0-9]{1,18})\.([0-9]{1,9})")
MOST_ROWS: Final = 500


class ManyForm(forms.Form):
    """What to do, until when it may wait (in UTC) where it is put off, a note, and to whom they are handed over; each for all of the rows."""

    act = forms.ChoiceField(
        choices=[(act, act) for act in ACTS],
        error_messages={"required": "Choose what to do.", "invalid_choice": "Choose what to do."},
    )
    until = forms.DateTimeField(
        required=False,
        input_formats=TIMES,
        error_messages={"invalid": "Write the time as 2026-12-31 16:00, in UTC."},
    )
    note = forms.CharField(required=False, max_length=LONGEST_NOTE, strip=True)
    to = forms.CharField(required=False, max_length=150, strip=True)

    def clean_to(self) -> User | None:
        """Somebody by name; whether they may look after a row is asked of each."""
        name = self.cleaned_data["to"]
        person = User.objects.filter(username=name, is_active=True).first() if name else None
        if name and person is None:
            raise forms.ValidationError("Nobody of that name works here.")
        return person

    def clean(self) -> dict[str, Any]:
        """Putting off takes a time, a note words, and handing over somebody."""
        given: dict[str, Any] = super().clean() or {}
        if given.get("act") == "put_off" and not given.get("until") and "until" not in self.errors:
            self.add_error("until", "Set a time to look again.")
        if given.get("act") == "note" and not given.get("note"):
            self.add_error("note", "Write what others should know.")
        if given.get("act") == "hand_over" and not given.get("to") and "to" not in self.errors:
            self.add_error("to", "Say who looks after them from now on.")
        return given


class AllForm(ManyForm):
    """The same for all that the queue is narrowed to: whoever wants that types how many there are."""

    many = forms.IntegerField(
        error_messages={"required": "Type how many rows there are.", "invalid": "Type how many rows there are."}
    )

    def __init__(self, *args: Any, there_are: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.there_are = there_are

    def clean_many(self) -> int:
        """Only who typed the number that is true now meant all of them."""
        many: int = self.cleaned_data["many"]
        if many != self.there_are:
            raise forms.ValidationError(f"There are {self.there_are} rows now. Type that number if you mean them all.")
        return many


def rows_of(ticked: list[str]) -> dict[int, int]:
    """Return the revision of its case that was seen, by the number of each row that was ticked; nonsense is left out."""
    found = [_ROW.fullmatch(one) for one in ticked[:MOST_ROWS]]
    return {int(one[1]): int(one[2]) for one in found if one is not None}
