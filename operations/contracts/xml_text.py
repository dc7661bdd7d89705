"""XML is read into the same papers as JSON by one stated mapping, or not at all.

An element is a member of the one around it, under its name as it is written, prefix included:

- with neither attributes nor elements in it, its text, every character as it stands; empty text if it is empty;
- with elements in it, an object of them; white space between them is left out, other text there makes it unreadable;
- an attribute is the member `@name`, the text beside attributes the member `#text`; declarations of namespaces are left out;
- an element that the contract says `repeats`, by the names from the root down, is always a list of its kind, an empty one
  where none is there; one that it names alone (`//item`) is a list wherever it stands. Any other name may stand once in
  its element: whether one of a kind is a list is never guessed.

Everything is text, as in a form. A document type, and so any entity of the document's own, any encoding but UTF-8 and
more than these bounds make it unreadable: nothing is fetched and nothing grows while it is read.
"""

from dataclasses import dataclass, field
from typing import Final, Never
from xml.parsers import expat

from operations.core.strict_json import Json

DEEPEST: Final = 64
MOST_ELEMENTS: Final = 20_000
MOST_ATTRIBUTES: Final = 64
_UTF_8: Final = frozenset({"utf-8", "us-ascii"})


class NotRead(ValueError):
    """An XML text that has no reading here."""


@dataclass(slots=True)
class _Element:
    name: str
    path: str
    attributes: dict[str, Json]
    members: dict[str, Json] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)


class _Builder:
    """Puts the elements of one document together."""

    def __init__(self, repeats: frozenset[str]) -> None:
        self.repeats = repeats
        self.open = [_Element(name="", path="", attributes={})]
        self.count = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS or len(self.open) > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            raise NotRead("too much")
        said: dict[str, Json] = {
            f"@{key}": value for key, value in attributes.items() if key != "xmlns" and not key.startswith("xmlns:")
        }
        self.open.append(_Element(name=name, path=f"{self.open[-1].path}/{name}", attributes=said))

    def characters(self, text: str) -> None:
        self.open[-1].text.append(text)

    def end(self, _name: str) -> None:
        element = self.open.pop()
        value, around = self._value(element), self.open[-1].members
        if element.path in self.repeats or f"//{element.name}" in self.repeats:
            siblings = around.setdefault(element.name, [])
            if isinstance(siblings, list):
                siblings.append(value)
        elif element.name in around:
            raise NotRead(f"{element.path} stands more than once")
        else:
            around[element.name] = value

    def _value(self, element: _Element) -> Json:
        text = "".join(element.text)
        for path in self.repeats:
            parent, _, name = path.rpartition("/")
            if parent == element.path:
                element.members.setdefault(name, [])
        if element.members:
            if text.strip():
                raise NotRead(f"text between the elements of {element.path}")
            return {**element.attributes, **element.members}
        return {**element.attributes, "#text": text} if element.attributes else text


def _refuse(*_told: object) -> Never:
    raise NotRead("a document type")


def _declared(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and encoding.lower() not in _UTF_8:
        raise NotRead(f"written in {encoding}")


def _is_utf_8(body: bytes) -> bool:
    """Say so beforehand: by a byte order mark or a null byte expat would take up another encoding by itself."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in body


def read_xml(body: bytes, *, repeats: frozenset[str] = frozenset()) -> dict[str, Json]:
    """Return what the bytes say, the root's name as the only member; raises NotRead.

    `repeats` are the elements that are lists, each by the names from the root down (`/Reply/set/item`) or alone (`//item`).
    """
    if not _is_utf_8(body):
        raise NotRead("not UTF-8")
    builder = _Builder(repeats)
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.XmlDeclHandler = _declared
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _refuse
    parser.StartElementHandler = builder.begin
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    try:
        parser.Parse(body, True)  # noqa: FBT003  # the last part; expat takes no keyword
    except expat.ExpatError as error:
        raise NotRead(str(error)) from None
    return builder.open[0].members
