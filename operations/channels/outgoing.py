"""What goes out with a question: it only reads, and its headers say nothing that reroutes, reframes or rewrites it."""

import re
from typing import Final

from operations.channels.base import Ask, Credential
from operations.channels.guard import Refused

METHODS: Final = frozenset(("GET", "HEAD", "POST"))
MOST_HEADERS: Final = 32
LONGEST_VALUE: Final = 8_000
MOST_BODY: Final = 1024 * 1024

_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")

# The connection's own (RFC 9110, 7.6.1), and what this desk alone sets.
_OURS: Final = frozenset(
    [
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
    ]
)
# A secret comes by reference, from the settings.
_SECRET: Final = frozenset(["authorization", "cookie", "proxy-authorization", "proxy-connection"])
# Frameworks take another method or another path from these, and a read would be one no more.
_REWRITES: Final = frozenset(
    ["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"]
)


def headers_of(question: Ask, *, credential: Credential | None) -> list[tuple[str, str]]:
    """Every header line that goes out, in order. Raises Refused, and never with a value in the message."""
    _check_method(question)
    lines = list(question.headers)
    if len(lines) > MOST_HEADERS:
        raise Refused(f"The question has more than {MOST_HEADERS} headers.")
    for name, value in lines:
        check_header(name, value)
    names = {name.lower() for name, _ in lines}
    check_settable(names, what="question")
    if "user-agent" not in names:
        lines.append(("User-Agent", "Unresolved"))
    lines.append(("Accept-Encoding", "identity"))
    return lines + credential_line(credential, names=names)


def check_header(name: str, value: str) -> None:
    """Raise Refused for a line that isn't one header (RFC 9110, 5.1 and 5.5, without obs-text)."""
    if not _NAME.fullmatch(name):
        raise Refused("A header's name holds a character that names don't have.")
    if len(value) > LONGEST_VALUE:
        raise Refused(f"The header {name} is longer than {LONGEST_VALUE} characters.")
    if not _VALUE.fullmatch(value):
        raise Refused(f"The header {name} holds a line break, a control character or one outside of ASCII.")


def check_credential_header(name: str) -> None:
    """Raise Refused for a header that can't carry a credential."""
    if not _NAME.fullmatch(name) or name.lower() in _OURS | _REWRITES:
        raise Refused("The header named for the credential can't carry one.")


def _check_method(question: Ask) -> None:
    if question.method not in METHODS:
        raise Refused("A question is a GET, a HEAD, or a POST that the recipient says only reads.")
    if question.body is not None and question.method != "POST":
        raise Refused("Only a POST has a body.")
    if question.body is not None and len(question.body) > MOST_BODY:
        raise Refused(f"The question's body is longer than {MOST_BODY} bytes.")


def check_settable(names: set[str], *, what: str) -> None:
    """Raise Refused where `what` sets a header that is the connection's, a secret's, or that rewrites (lower case)."""
    taken = names & (_OURS | _SECRET | _REWRITES)
    if taken:
        raise Refused(f"The {what} sets {min(taken)}, which a {what} may not.")


def credential_line(credential: Credential | None, *, names: set[str]) -> list[tuple[str, str]]:
    """The header line that carries the credential, unless one of `names` (lower case) is it. Raises Refused."""
    if credential is None:
        return []
    check_credential_header(credential.header)
    check_header(credential.header, credential.value)
    if credential.header.lower() in names:
        raise Refused(f"The request sets {credential.header}, which carries the credential.")
    return [(credential.header, credential.value)]
