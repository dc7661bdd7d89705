"""How a contract begins: for whom, and from what."""

from typing import Any, Final

from django import forms

from operations.contracts.loading import library, library_text

LONGEST_NAME: Final = 200
BLANK: Final = "blank"


def starting_text(start: str) -> tuple[str, str]:
    """Return the text that a draft begins with and what it was taken from; raises KeyError for no such start."""
    return (blank_text(), "") if start == BLANK else (library_text(start), f"library: {start}")


def blank_text() -> str:
    """Return the text of a contract in which nothing is answered yet."""
    return "format: 1\n"


class NewContractForm(forms.Form):
    """A recipient that has no contract yet, and what its first draft begins with; nothing is chosen beforehand."""

    key = forms.SlugField(
        max_length=64,
        error_messages={
            "required": "Give the recipient a name for addresses.",
            "invalid": "Use letters, digits, - and _.",
        },
    )
    name = forms.CharField(max_length=LONGEST_NAME, error_messages={"required": "Say what people call it."})
    start = forms.ChoiceField(error_messages={"required": "Choose what the draft begins with."})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        start = self.fields["start"]
        assert isinstance(start, forms.ChoiceField)  # noqa: S101  # for the type checker
        start.choices = [(BLANK, BLANK), *[(name, name) for name in library()]]
