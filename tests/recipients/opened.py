"""An open collection desk as tests and the demonstration see it. Nothing here needs what only tests install."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from tests.recipients.collection_desk.clock import Clock
from tests.recipients.collection_desk.opening import Opened, open_desk
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.desk_control import DeskControl
from tests.recipients.desk_public import DeskPublic
from tests.recipients.desk_recipient import DeskRecipient


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionDesk:
    """An open desk: where the product finds it, what a sender says to it, and what control says."""

    url: str
    public: DeskPublic
    control: DeskControl

    def as_account(self, credential: str) -> DeskPublic:
        """The desk as somebody else sees it: `credential-of-one` or `credential-of-two`."""
        return replace(self.public, credential=credential)


def reached(opened: Opened) -> CollectionDesk:
    """The desk at these addresses."""
    control = DeskControl(opened.control_url, token=opened.control_token)
    return CollectionDesk(url=opened.url, public=DeskPublic(url=opened.url), control=control)


@contextmanager
def desk_on(terms: Mapping[str, Any] | None = None, *, clock: Clock | None = None) -> Iterator[CollectionDesk]:
    """Keep a desk on these terms open for a block."""
    with open_desk(terms=Terms(**(terms or {})), clock=clock) as opened:
        yield reached(opened)


@contextmanager
def desk_recipient_on(terms: Terms) -> Iterator[DeskRecipient]:
    """Keep a desk open for a block, as a `Recipient`."""
    with open_desk(terms=terms) as opened:
        desk = reached(opened)
        yield DeskRecipient(public=desk.public, control=desk.control, terms=terms)
