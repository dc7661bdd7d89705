"""What an administrator types about teams and their chains: names, what is owned, and the steps in their order."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms

from escalation.access.chains import Step
from escalation.access.teams import Owning
from escalation.models import ChainStep, Rota, Team, User
from escalation.models.chain import LONGEST_WAIT, SHORTEST_WAIT, StepKind
from escalation.models.team import LONGEST_NAME
from operations import versions

MOST_STEPS: Final = 12
SPARE: Final = 3
WEBHOOK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
RECIPIENT, EFFECT, REST = "recipient", "effect", "rest"
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def plain_name(name: str) -> str:
    """Return a name without anything in it that is not seen; raises `ValidationError`."""
    if _CONTROLS.search(name):
        raise forms.ValidationError("A name holds no control characters.")
    return name


def person_named(name: str) -> User:
    """Return the active person with this user name; raises `ValidationError`."""
    found = User.objects.filter(username=name, is_active=True).first()
    if found is None:
        raise forms.ValidationError(f"There is no active person named “{name}”.")
    return found


class TeamForm(forms.Form):
    """The name of a new team."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        strip=True,
        error_messages={
            "required": "Type a name for the team.",
            "max_length": f"A name has at most {LONGEST_NAME} characters.",
        },
    )

    def clean_name(self) -> str:
        """Return it as it is kept."""
        return plain_name(self.cleaned_data["name"])


class MemberForm(forms.Form):
    """Who is to belong to a team."""

    person = forms.CharField(max_length=150, strip=True, error_messages={"required": "Type a user name."})

    def clean_person(self) -> User:
        """Return the person."""
        return person_named(self.cleaned_data["person"])


class OwnsForm(forms.Form):
    """What a team is to own: nothing is chosen beforehand."""

    what = forms.ChoiceField(
        choices=[(word, word) for word in (RECIPIENT, EFFECT, REST)],
        error_messages={"required": "Say what it is to own.", "invalid_choice": "Choose one of these."},
    )
    recipient = forms.CharField(required=False, max_length=200, strip=True)
    effect = forms.CharField(required=False, max_length=200, strip=True)

    def clean(self) -> dict[str, Any]:
        """Exactly what was chosen is named."""
        given: dict[str, Any] = super().clean() or {}
        what = given.get("what")
        for word in (RECIPIENT, EFFECT):
            if what is not None and what != word and given.get(word):
                self.add_error(word, "Something else is chosen above; leave this empty.")
        if what == RECIPIENT:
            given["owning"] = self._recipient(given.get("recipient", ""))
        elif what == EFFECT:
            given["owning"] = self._effect(given.get("effect", ""))
        else:
            given["owning"] = Owning()
        return given

    def _recipient(self, key: str) -> Owning | None:
        try:
            return Owning(recipient=versions.recipient(key))
        except versions.NoSuchRecipient:
            self.add_error("recipient", "There is no recipient with this key." if key else "Type the recipient's key.")
            return None

    def _effect(self, word: str) -> Owning | None:
        if word and versions.with_effect(word, limit=1):
            return Owning(effect=word)
        said = f"No contract in force calls its effect “{word}”." if word else "Type what contracts call the effect."
        self.add_error("effect", said)
        return None


class StepForm(forms.Form):
    """One row of a chain's form; a row of which nothing is filled in is no step."""

    place = forms.IntegerField(required=False, min_value=1, max_value=99)
    kind = forms.ChoiceField(required=False, choices=[("", "")] + [(one.value, one.sentence) for one in StepKind])
    name = forms.CharField(required=False, max_length=150, strip=True)
    wait = forms.IntegerField(
        required=False,
        min_value=SHORTEST_WAIT,
        max_value=LONGEST_WAIT,
        error_messages={
            "invalid": "Write the wait in whole minutes.",
            "min_value": "A step waits for a minute at least.",
            "max_value": "A step waits for a week at most.",
        },
    )

    def clean(self) -> dict[str, Any]:
        """Whom it calls is somebody, and how long it waits is said."""
        given: dict[str, Any] = super().clean() or {}
        given["step"] = None
        if self.errors or not any(given.get(name) for name in ("kind", "name", "wait")):
            return given
        missing = [word for word, name in _WORDS.items() if not given.get(name)]
        if missing:
            raise forms.ValidationError(f"Say {' and '.join(missing)}, or empty the whole row.")
        given["step"] = Step(_called(StepKind[given["kind"].upper()], given["name"]), given["wait"])
        return given


_WORDS: Final[Mapping[str, str]] = {"what it calls": "kind", "its name": "name", "how long it waits": "wait"}


def _called(kind: StepKind, name: str) -> User | Team | Rota | str:
    if kind is StepKind.PERSON:
        return person_named(name)
    if kind is StepKind.WEBHOOK:
        if not WEBHOOK.fullmatch(name):
            raise forms.ValidationError("A webhook's name has letters, digits, - and _ only.")
        return name
    rows: Any = Team.objects if kind is StepKind.TEAM else Rota.objects
    found: Team | Rota | None = rows.filter(name=name, ended_at=None).first()
    if found is None:
        raise forms.ValidationError(f"There is no {kind.value} named “{name}”.")
    return found


class ChainForm:
    """The steps of a chain, as rows that are put into the order of their places; rows of one place keep theirs."""

    def __init__(self, typed: Mapping[str, Any] | None = None, *, steps: Sequence[ChainStep] = ()) -> None:
        if typed is None:
            first = [StepForm(prefix=str(at), initial=_typed(step)) for at, step in enumerate(steps)]
            spare = range(len(first), min(MOST_STEPS, len(first) + SPARE))
            self.rows = [*first, *[StepForm(prefix=str(at)) for at in spare]]
        else:
            self.rows = [StepForm(typed, prefix=str(at)) for at in range(MOST_STEPS) if f"{at}-kind" in typed]

    def is_valid(self) -> bool:
        """Whether every row is fit; all are looked at."""
        return not [row for row in self.rows if not row.is_valid()]

    def faults(self) -> list[str]:
        """Return what is wrong, row by row."""
        return [
            f"Row {at}: {error}"
            for at, row in enumerate(self.rows, start=1)
            if row.is_bound
            for errors in row.errors.values()
            for error in errors
        ]

    def steps(self) -> list[Step]:
        """Return the steps in their order."""
        given = [row.cleaned_data for row in self.rows if row.cleaned_data["step"] is not None]
        return [one["step"] for one in sorted(given, key=lambda one: one["place"] or MOST_STEPS + 99)]


def _typed(step: ChainStep) -> dict[str, Any]:
    whom = step.person or step.team or step.rota or step.webhook
    return {"place": step.position, "kind": step.kind, "name": str(whom), "wait": step.wait}
