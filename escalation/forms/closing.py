"""The shape of what people send to have an original closed; nothing is saved here."""

from typing import Any

from django import forms

from escalation.forms.doors import DoorForm


class CloseOriginalForm(DoorForm):
    """Who sends, chosen among those who can; a yes to what may stay open, and one to what may be taken back.

    The second is asked where the contract does not rule out that closing takes back what happened (`warned`).
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
