"""The desk's answers. Each echoes identity and bound arguments, so that a reader can check them line by line."""

from email.utils import formatdate
from typing import Any, Final

from tests.recipients.collection_desk.ledger import Passage
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.collection_desk.values import Answer, stamp

PROBLEM: Final = ("Content-Type", "application/problem+json")
TITLES: Final = {
    "no-credential": "The credential is not known here.",
    "malformed": 'The body is not {"parcel": NAME}; these bytes are refused whenever they come.',
    "no-key": "An Idempotency-Key of 1 to 255 printable characters is required.",
    "turned-away": "Not now.",
    "closed": "This operation was closed; the request was not carried out.",
    "refused": "Refused; these bytes under this key are refused whenever they come.",
    "key-in-use": "A request under this key is in work.",
    "key-expired": "This key was used and is no longer kept; the request was not carried out.",
    "changed-arguments": "This key was used for something else.",
    "failed": "Something went wrong here.",
    "no-such-record": "Nothing is recorded here.",
    "not-kept": "This desk keeps no record by key.",
}


def problem(status: int, kind: str, *, as_of: float, covers_copies: bool = False, **more: Any) -> Answer:
    """An error in the form of RFC 9457, with what else it has to say."""
    body = {
        "type": f"urn:collection-desk:{kind}",
        "title": TITLES[kind],
        "status": status,
        "covers_copies": covers_copies,
        **more,
        "as_of": stamp(as_of),
    }
    return Answer(status=status, body=body, headers=(PROBLEM,))


def retry_after(terms: Terms, *, now: float) -> tuple[str, str]:
    """When to come again, as a header."""
    if terms.retry_after_as == "seconds":
        return "Retry-After", str(terms.retry_after)
    return "Retry-After", formatdate(now + terms.retry_after, usegmt=True)


def no_identity(passage: Passage, *, as_of: float) -> Answer:
    """Why nothing is found by a key: the credential is not known, or no keys are kept here."""
    if passage.request.account is not None:
        return problem(501, "not-kept", as_of=as_of)
    return problem(401, "no-credential", as_of=as_of).with_headers(("WWW-Authenticate", "Bearer"))


def refusal(passage: Passage, status: int, kind: str, *, as_of: float, covers_copies: bool = False) -> Answer:
    """An error that answers a ticket's request."""
    arguments = passage.request.arguments
    return problem(
        status,
        kind,
        as_of=as_of,
        covers_copies=covers_copies,
        key=passage.identity.key if passage.identity else None,
        place=passage.request.subject,
        parcel=arguments.parcel if arguments else None,
    )
