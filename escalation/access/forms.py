"""What an administrator types to make a person, or to give one a role."""

from typing import Any, Final

from django import forms
from django.contrib.auth.validators import ASCIIUsernameValidator

from escalation.models import User
from escalation.policy import Role
from operations import versions

LONGEST_NAME: Final = 150
EVERY: Final = "every"
ONE: Final = "one"


class PersonForm(forms.Form):
    """A name to sign in with, which nobody can take for another: Latin letters alone."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        strip=True,
        validators=[
            ASCIIUsernameValidator(
                message="Use letters A to Z without accents, digits and . - _ + @, so that no two names look alike."
            )
        ],
        error_messages={
            "required": "Type a name to sign in with.",
            "max_length": f"A name has at most {LONGEST_NAME} characters.",
        },
    )

    def clean_name(self) -> str:
        """Return it as names are kept."""
        return str(User.normalize_username(self.cleaned_data["name"]))


class RoleForm(forms.Form):
    """A role, and where: nothing is chosen beforehand, and no empty field means every recipient."""

    role = forms.ChoiceField(
        choices=[(role.value, role.value) for role in Role],
        error_messages={"required": "Choose a role.", "invalid_choice": "There is no such role."},
    )
    where = forms.ChoiceField(
        choices=[(EVERY, EVERY), (ONE, ONE)],
        error_messages={"required": "Say for which recipient, or for every one.", "invalid_choice": "Choose one."},
    )
    recipient = forms.CharField(required=False, max_length=200, strip=True)

    def clean(self) -> dict[str, Any]:
        """One recipient is named by its key; every one by nothing else."""
        given: dict[str, Any] = super().clean() or {}
        where, key = given.get("where"), given.get("recipient", "")
        given["recipient_id"] = None
        if where == EVERY and key:
            self.add_error("recipient", "A recipient is named, and “every recipient” is chosen; one of the two.")
        elif where == ONE:
            given["recipient_id"] = self._found(key)
        return given

    def _found(self, key: str) -> int | None:
        if not key:
            self.add_error("recipient", "Type the recipient's key.")
            return None
        try:
            return versions.recipient(key).pk
        except versions.NoSuchRecipient:
            self.add_error("recipient", "There is no recipient with this key.")
            return None
