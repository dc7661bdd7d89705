"""One answer, both ways: what stands in the document as it is shown, and what was sent as it is written."""

from collections.abc import Callable, Mapping
from typing import Final

from escalation.contract_forms import conditions
from escalation.contract_forms.fields import SECONDS, STATED, Field, Kind
from escalation.contract_forms.told import GONE, NONE, NoAnswer, Nothing, Sent, Told
from escalation.contract_forms.yaml_writer import written
from operations.core.strict_json import PlainJson


def _chosen(field: Field, value: PlainJson) -> str | None:
    for option in field.options:
        if option.token not in (STATED, SECONDS) and option.value == value and type(option.value) is type(value):
            return option.token
    return None


def _number(value: PlainJson) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return f"{value:.0f}" if value == int(value) else str(value)


def _shown_either(field: Field, value: PlainJson) -> Told | None:
    if isinstance(value, dict):
        return Told(token=STATED)
    token = _chosen(field, value)
    return None if token is None else Told(token=token)


def _shown_interval(field: Field, value: PlainJson) -> Told | None:
    text = _number(value)
    if text is not None:
        return Told(token=SECONDS, text=text)
    token = _chosen(field, value)
    return None if token is None else Told(token=token)


def _shown_names(_field: Field, value: PlainJson) -> Told | None:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    return Told(text=", ".join([str(one) for one in value]) or NONE)


def _shown_choice(field: Field, value: PlainJson) -> Told | None:
    token = _chosen(field, value)
    return None if token is None else Told(token=token)


def _shown_number(_field: Field, value: PlainJson) -> Told | None:
    text = _number(value)
    return None if text is None else Told(text=text)


def _shown_text(_field: Field, value: PlainJson) -> Told | None:
    return Told(text=value) if isinstance(value, str) else None


def _shown_conditions(_field: Field, value: PlainJson) -> Told:
    return conditions.shown(value)


def _shown_yaml(_field: Field, value: PlainJson) -> Told:
    return Told(text=written(value).strip())


# Answers of several lines.
_LINES: Final = (Kind.TEXT, Kind.YAML)
_SHOWN: Final[Mapping[Kind, Callable[[Field, PlainJson], Told | None]]] = {
    Kind.LINE: _shown_text,
    Kind.TEXT: _shown_text,
    Kind.NUMBER: _shown_number,
    Kind.NAMES: _shown_names,
    Kind.CHOICE: _shown_choice,
    Kind.EITHER: _shown_either,
    Kind.INTERVAL: _shown_interval,
    Kind.CONDITIONS: _shown_conditions,
    Kind.YAML: _shown_yaml,
}


def shown(field: Field, value: PlainJson | Nothing) -> Told | None:
    """Return what stands in the document as the form shows it; None where it is nothing that this question asks for."""
    return Told() if isinstance(value, Nothing) else _SHOWN[field.kind](field, value)


def _typed_number(text: str) -> PlainJson:
    try:
        value = float(text)
    except ValueError:
        raise NoAnswer("Type a number.") from None
    if not 0 <= value <= 10**10:
        raise NoAnswer("Type a number from 0 to 10,000,000,000.")
    return int(value) if value == int(value) else value


def _option(field: Field, token: str) -> PlainJson | Nothing:
    if not token:
        return GONE
    for option in field.options:
        if option.token == token:
            return option.value
    raise NoAnswer("Choose one of the answers.")


def _typed_names(text: str) -> PlainJson | Nothing:
    if not text:
        return GONE
    return [] if text.lower() == NONE else [one.strip() for one in text.split(",") if one.strip()]


def answered(field: Field, told: Told) -> PlainJson | Nothing:
    """Return what was sent as the document holds it, GONE where nothing was; raises `NoAnswer`.

    Of a question that either a word or members answer, GONE and the words alone are returned here.
    """
    return _ANSWERED[field.kind](field, told)


def _answered_interval(field: Field, told: Told) -> PlainJson | Nothing:
    if told.token == SECONDS:
        return _typed_number(told.text) if told.text else _no_number()
    return _option(field, told.token)


_ANSWERED: Final[Mapping[Kind, Callable[[Field, Told], PlainJson | Nothing]]] = {
    Kind.LINE: lambda _, told: told.text or GONE,
    Kind.TEXT: lambda _, told: told.text or GONE,
    Kind.NUMBER: lambda _, told: _typed_number(told.text) if told.text else GONE,
    Kind.NAMES: lambda _, told: _typed_names(told.text),
    Kind.CHOICE: lambda field, told: _option(field, told.token),
    Kind.EITHER: lambda field, told: _option(field, told.token),
    Kind.INTERVAL: _answered_interval,
    Kind.CONDITIONS: lambda _, told: conditions.answered(told),
    Kind.YAML: lambda _, told: conditions.from_yaml(told.text),
}


def _no_number() -> PlainJson:
    raise NoAnswer("Type how many seconds.")


def sent(field: Field, name: str, post: Sent) -> Told | None:
    """Return what was sent for a question, None where the form didn't ask it."""
    choosing = field.kind in (Kind.CHOICE, Kind.EITHER, Kind.INTERVAL)
    if name not in post:
        return None
    if field.kind is Kind.CONDITIONS:
        return conditions.sent(name, post)
    if not choosing:
        return Told(text=_clean(post[name], lines=field.kind in _LINES))
    return Told(token=post[name], text=_clean(post.get(f"{name}#seconds", ""), lines=False))


def as_it_would_be_sent(field: Field, value: PlainJson | Nothing) -> Told | None:
    """Return what a browser sends where nobody changed the answer: a line has no breaks, text no edges of white."""
    told = shown(field, value)
    if told is None or field.kind is Kind.CONDITIONS:
        return told
    return Told(token=told.token, text=_clean(told.text, lines=field.kind in _LINES))


def _clean(text: str, *, lines: bool) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()
    return text if lines else " ".join(text.split("\n"))
