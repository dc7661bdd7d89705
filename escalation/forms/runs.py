"""What is typed about runs: which record, where it is kept, which operation a call belongs to; nothing is saved here."""

from typing import Any, Final

from django import forms
from django.core.files.uploadedfile import UploadedFile

from operations.imports.document import LARGEST
from operations.imports.rules import LONGEST, MAY_SAY, PatternRefused, checked

NEW: Final = "new"
SEVERAL: Final = "several"
LONGEST_NAME: Final = 200
_LARGE: Final = f"The file is larger than {LARGEST // 1024 // 1024} MiB (too_large)."


class UploadForm(forms.Form):
    """One record to look at."""

    record = forms.FileField(
        max_length=LONGEST_NAME,
        error_messages={
            "required": "Choose a file.",
            "empty": "The file is empty (empty).",
            "max_length": "The file's name is longer than 200 characters.",
        },
    )

    def clean_record(self) -> "UploadedFile[bytes]":
        """A file of bounded size."""
        found: UploadedFile[bytes] = self.cleaned_data["record"]
        if (found.size or 0) > LARGEST:
            raise forms.ValidationError(_LARGE)
        return found


class KeepForm(forms.Form):
    """Where a record is kept: in a run that is there, or in a new one, of one recipient or of several."""

    into = forms.CharField(max_length=20, error_messages={"required": "Choose the run that it is a record of."})
    name = forms.CharField(required=False, max_length=LONGEST_NAME, strip=True)
    recipient = forms.CharField(required=False, max_length=200)

    def clean(self) -> dict[str, Any]:
        """A new run has a name, and is of somebody."""
        given: dict[str, Any] = super().clean() or {}
        if given.get("into") == NEW:
            if not given.get("name"):
                self.add_error("name", "Name the run, as you speak of it.")
            if not given.get("recipient"):
                self.add_error("recipient", "Say to whom its calls go.")
        return given


class BindForm(forms.Form):
    """The number of the operation that a call belongs to."""

    number = forms.IntegerField(
        min_value=1,
        max_value=2**63 - 1,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"), "Type the number of an operation, as the queue shows it."
        ),
    )


class OpenForm(forms.Form):
    """The operation that a call asked for: at whom, where the request went, when at the earliest, and its number if shown."""

    recipient = forms.CharField(max_length=200, error_messages={"required": "Choose the recipient."})
    target = forms.CharField(
        max_length=2048, strip=True, error_messages={"required": "Say where the request went, as the contract has it."}
    )
    scope = forms.CharField(required=False, max_length=255, strip=True)
    identity = forms.CharField(required=False, max_length=255, strip=True)
    begun_at = forms.DateTimeField(
        error_messages={
            "required": "Say when it can have been sent at the earliest.",
            "invalid": "Say when as YYYY-MM-DD HH:MM.",
        }
    )


class ToolForm(forms.Form):
    """What a person says of a tool."""

    tool = forms.CharField(max_length=200, strip=False, error_messages={"required": "Name the tool."})
    kind = forms.CharField(max_length=32, error_messages={"required": "Choose what can come of it."})


class OutputRuleForm(forms.Form):
    """A rule for outputs: for which tool, the pattern, what an output that fits is taken for, and which rule it changes."""

    tool = forms.CharField(required=False, max_length=200, strip=False)
    pattern = forms.CharField(max_length=LONGEST, strip=True, error_messages={"required": "Type the pattern."})
    says = forms.ChoiceField(
        choices=[(one.value, one.value) for one in MAY_SAY],
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose what such an output is taken for."),
    )
    number = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    version = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)

    def clean_pattern(self) -> str:
        """A pattern that no text takes long over."""
        try:
            return checked(self.cleaned_data["pattern"])
        except PatternRefused as refused:
            raise forms.ValidationError(f"{refused} ({refused.rule})") from None


class EndRuleForm(forms.Form):
    """Which version of which rule is to hold no more."""

    number = forms.IntegerField(min_value=1, max_value=2**31 - 1)
    version = forms.IntegerField(min_value=1, max_value=2**31 - 1)
