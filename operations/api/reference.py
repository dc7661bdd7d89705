"""The description of the agents' door as rows that a page can show without a script."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from operations.api.v1 import api


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a body, or one parameter."""

    name: str
    form: str
    required: bool
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint; `answers` are pairs of statuses and what they carry, `about` is paragraphs."""

    id: str
    method: str
    path: str
    title: str
    about: tuple[str, ...]
    fields: tuple[Field, ...]
    answers: tuple[tuple[str, str], ...]


def _plain(text: str) -> str:
    """Return a sentence of the description without its marks, on one line."""
    return " ".join(text.replace("`", "").split())


def paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs of a description as a page shows them."""
    return tuple([_plain(paragraph) for paragraph in text.split("\n\n") if paragraph.strip()])


def _resolved(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any]:
    one: Mapping[str, Any] = schema.get("allOf", [schema])[0]
    reference = one.get("$ref")
    found: Mapping[str, Any] = one if reference is None else parts[reference.rpartition("/")[2]]
    return found


def _form(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join([_form(one, parts) for one in schema["anyOf"]])
    found = _resolved(schema, parts)
    if "oneOf" in found:
        return "one of the acts above, with its kind"
    if "const" in found or "enum" in found:
        return " or ".join([f"“{word}”" for word in found.get("enum", [found.get("const")])])
    if found.get("type") == "array":
        return f"list of {_form(found['items'], parts)}"
    if "contentEncoding" in found:
        return "base64"
    return str({"date-time": "time (RFC 3339)", "uuid": "UUID"}.get(found.get("format", ""), found.get("type", "any")))


def _fields(schema: Mapping[str, Any], parts: Mapping[str, Any], *, below: str = "") -> Iterator[Field]:
    found = _resolved(schema, parts)
    for name, one in found.get("properties", {}).items():
        yield Field(
            name=below + name,
            form=_form(one, parts),
            required=name in found.get("required", []),
            about=_plain(str(one.get("description", ""))),
        )
        inner = _resolved(one, parts)
        if "properties" in inner:
            yield from _fields(inner, parts, below=f"{below}{name}.")


def _parameters(endpoint: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[Field]:
    for one in endpoint["parameters"]:
        yield Field(
            name=f"{one['name']} ({one['in']})",
            form=_form(one["schema"], parts),
            required=one["required"],
            about=_plain(str(one.get("description", ""))),
        )


def _carries(answer: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    (content,) = answer["content"].values()
    return str(_resolved(content["schema"], parts).get("title", answer["description"]))


def _answers(responses: Mapping[Any, Any], parts: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found: dict[str, list[str]] = {}
    for status, answer in responses.items():
        found.setdefault(_carries(answer, parts), []).append(str(status))
    return tuple([(", ".join(statuses), carries) for carries, statuses in found.items()])


def _endpoint(method: str, path: str, found: Mapping[str, Any], parts: Mapping[str, Any]) -> Endpoint:
    bodies = [content["schema"] for content in found.get("requestBody", {}).get("content", {}).values()]
    return Endpoint(
        id=found["operationId"],
        method=method.upper(),
        path=path,
        title=found["summary"],
        about=paragraphs(found.get("description", "")),
        fields=(*_parameters(found, parts), *[field for body in bodies for field in _fields(body, parts)]),
        answers=_answers(found["responses"], parts),
    )


def endpoints() -> list[Endpoint]:
    """Return every endpoint of the door, in the order of its description."""
    schema = api.get_openapi_schema()
    parts = schema["components"]["schemas"]
    return [
        _endpoint(method, path, found, parts)
        for path, methods in schema["paths"].items()
        for method, found in methods.items()
    ]
