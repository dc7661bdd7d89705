"""The desk's door to the public: which request asks for what, and whose credential it carries."""

from collections.abc import Callable, Mapping
from typing import Final

from tests.recipients.collection_desk.desk import Outcome
from tests.recipients.collection_desk.running import RunningDesk
from tests.recipients.collection_desk.serving import Message, plain
from tests.recipients.collection_desk.values import DeskError, Door, Request, is_name

# Method and shape of the path ("*" names something) to the door.
DOORS: Final = {
    ("POST", ("desks", "*", "tickets")): Door.TICKETS,
    ("GET", ("desks", "*", "tickets")): Door.PLACE,
    ("GET", ("operations", "*")): Door.OPERATION,
    ("POST", ("operations", "*", "close")): Door.CLOSE,
    ("GET", ("requests", "*")): Door.REQUEST,
    ("GET", ("tickets", "*")): Door.TICKET,
    ("GET", ("search",)): Door.SEARCH,
    ("GET", ("keys", "*")): Door.KEY,
}
NAMED_BY_KEY: Final = (Door.OPERATION, Door.CLOSE, Door.KEY)


def door_of(message: Message) -> Door | None:
    """Return the door that a request knocks at, or None."""
    shape = tuple(["*" if place == 1 else part for place, part in enumerate(message.path)])
    return DOORS.get((message.method, shape))


def account_of(message: Message, credentials: Mapping[str, str]) -> str | None:
    """Return whose credential it is, or None; `credentials` maps a bearer token to the name of an account."""
    scheme, _, token = message.headers.get("authorization", "").partition(" ")
    return credentials.get(token) if scheme.lower() == "bearer" else None


def asked(message: Message, *, credentials: Mapping[str, str]) -> Request | None:
    """Return what is asked, or None for what there is no door for."""
    door = door_of(message)
    if door is None:
        return None
    subject = message.path[1] if len(message.path) > 1 else ""
    if door is not Door.SEARCH and not is_name(subject):
        return None
    key = subject if door in NAMED_BY_KEY else message.headers.get("idempotency-key")
    return Request(
        door=door,
        subject=subject,
        key=key,
        account=account_of(message, credentials),
        body=message.body,
        query=message.query,
        no_cache="no-cache" in message.headers.get("cache-control", ""),
        if_none_match=message.headers.get("if-none-match"),
    )


def front(desk: RunningDesk, *, credentials: Mapping[str, str]) -> Callable[[Message], Outcome]:
    """Return what answers the public port."""

    def respond(message: Message) -> Outcome:
        request = asked(message, credentials=credentials)
        if request is None:
            return plain(404, title="There is no such door.")
        try:
            return desk.serve(request)
        except DeskError as full:
            return plain(507, title=str(full))

    return respond
