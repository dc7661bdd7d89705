"""The form of an inspection, made from what the contract's rules look at; nothing is saved here."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django import forms
from django.core.files.uploadedfile import UploadedFile

from operations import inspecting
from operations.inspecting import Attachment

LONGEST_TYPED: Final = 4000
LONGEST_NOTES: Final = 4000
LONGEST_REJECTION: Final = 2000
LARGEST_ATTACHMENT: Final = 10 * 1024 * 1024
OTHER: Final = "other"
NOT_SHOWN: Final = "none"
_TYPE: Final = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,70}")
_ODD: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff/\\\"]")


@dataclass(frozen=True)
class Line:
    """One thing to take down as its page shows it: `choices` are (value, what is read, chosen), or none: free text."""

    asked: inspecting.Asked
    name: str
    choices: tuple[tuple[str, str, bool], ...]
    text: str
    errors: list[str]


class InspectionForm(forms.Form):
    """What a person takes down through one channel; nothing is chosen or filled in beforehand, the echoes least of all."""

    once = forms.UUIDField(widget=forms.HiddenInput)
    read_at = forms.DateTimeField(
        error_messages={"required": "Say when you read it, or were told.", "invalid": "Say when as YYYY-MM-DD HH:MM."}
    )
    notes = forms.CharField(required=False, max_length=LONGEST_NOTES, strip=True)
    attachment = forms.FileField(
        required=False,
        max_length=200,
        error_messages={
            "required": "Attach a picture or file of what you read; the contract asks for it.",
            "empty": "The file is empty.",
            "max_length": "The file's name is longer than 200 characters.",
        },
    )

    def __init__(self, *args: Any, sheet: inspecting.Sheet, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sheet, self.now = sheet, now
        self.fields["attachment"].required = sheet.attachment_required
        for name, asked in self._named():
            self.fields[f"{name}_text"] = forms.CharField(required=False, max_length=LONGEST_TYPED, strip=True)
            if asked.values:
                self.fields[name] = forms.ChoiceField(
                    choices=[(value, label) for value, label in _choices(asked)],
                    error_messages={"required": f"{asked.label}: choose what is shown there."},
                )

    def _named(self) -> list[tuple[str, inspecting.Asked]]:
        return [(f"said{index}", asked) for index, asked in enumerate(self.sheet.asked)]

    def clean_read_at(self) -> datetime:
        """Nobody has read what is still to come, nor what became of a request before it was sent."""
        at: datetime = self.cleaned_data["read_at"]
        if at > self.now:
            raise forms.ValidationError("That time is still to come. Times are in UTC.")
        since = self.sheet.since.replace(second=0, microsecond=0)  # people tell times by the minute
        if at < since:
            raise forms.ValidationError(
                f"Nothing was sent before {since:%Y-%m-%d %H:%M}, so it can't be read then. Times are in UTC."
            )
        return at

    def clean_attachment(self) -> Attachment | None:
        """A file of bounded size; its name and type are taken for what they are, a stranger's words."""
        found: UploadedFile[bytes] | None = self.cleaned_data["attachment"]
        if found is None:
            return None
        if (found.size or 0) > LARGEST_ATTACHMENT:
            raise forms.ValidationError(f"The file is larger than {LARGEST_ATTACHMENT // 1024 // 1024} MB.")
        stated = (found.content_type or "").lower()
        return Attachment(
            content=found.read(),
            name=_ODD.sub("_", found.name or "")[:200] or "attachment",
            type=stated if _TYPE.fullmatch(stated) else "application/octet-stream",
        )

    def clean(self) -> dict[str, Any]:
        """Something else is typed, and only then."""
        given: dict[str, Any] = super().clean() or {}
        for name, asked in self._named():
            text, chosen = given.get(f"{name}_text", ""), given.get(name)
            if chosen == OTHER and not text:
                self.add_error(f"{name}_text", f"{asked.label}: type what is shown there instead.")
            if asked.values and chosen != OTHER and text:
                self.add_error(f"{name}_text", f"{asked.label}: you chose one answer and typed another.")
        return given

    def typed(self) -> dict[str, inspecting.Scalar]:
        """What was typed, by place; what isn't shown there is left out."""
        found = {asked.place: self._value(name, asked) for name, asked in self._named()}
        return {place: value for place, value in found.items() if value is not None}

    def _value(self, name: str, asked: inspecting.Asked) -> inspecting.Scalar | None:
        chosen = self.cleaned_data.get(name, OTHER)
        if chosen == OTHER:
            return self.cleaned_data[f"{name}_text"].replace("\r\n", "\n") or None
        return None if chosen == NOT_SHOWN else asked.values[int(chosen)]

    def said(self) -> list[tuple[str, str | None]]:
        """The same for people: what each is called, and its value as it was typed."""
        typed = self.typed()
        return [(asked.label, _shown(typed.get(asked.place))) for asked in self.sheet.asked]

    def lines(self) -> list[Line]:
        """What the page shows, with what was chosen and typed."""
        return [self._line(name, asked) for name, asked in self._named()]

    def _line(self, name: str, asked: inspecting.Asked) -> Line:
        chosen = self.data.get(name, "")
        return Line(
            asked=asked,
            name=name,
            choices=tuple(
                [(value, label, value == chosen) for value, label in _choices(asked)] if asked.values else ()
            ),
            text=self.data.get(f"{name}_text", ""),
            errors=[*self.errors.get(name, []), *self.errors.get(f"{name}_text", [])] if self.is_bound else [],
        )


def _choices(asked: inspecting.Asked) -> list[tuple[str, str]]:
    known = [(str(index), str(_shown(value))) for index, value in enumerate(asked.values)]
    return [*known, (OTHER, "something else"), (NOT_SHOWN, "not shown there")]


def _shown(value: inspecting.Scalar | None) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


class RejectForm(forms.Form):
    """Why what somebody took down is put aside."""

    because = forms.CharField(
        max_length=LONGEST_REJECTION, strip=True, error_messages={"required": "Say what you read instead, or why."}
    )
