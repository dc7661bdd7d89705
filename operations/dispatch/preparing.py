"""What this desk would send for an operation, byte for byte, and why it would not: another scope is another proposal.

semantics.md, Permitted actions: a repeat sends the identical representation in the identical scope. The operation's
`scope` is the word of whoever sent first; that this desk's credential and address are the same account, host and region
is the word of whoever runs it (UNRESOLVED_CREDENTIAL_X_SCOPE and _FOR). Where the two differ, nothing is sent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations import reading
from operations.asking import FORM
from operations.channels.base import Reach
from operations.channels.credentials import NetworksUnreadable, NoCredential, credential, networks, scope_of
from operations.channels.guard import Refused
from operations.channels.wire import Request, Written, written
from operations.contracts.channel import Kind
from operations.contracts.loading import document_of

if TYPE_CHECKING:
    from operations.contracts.channel import Channel
    from operations.contracts.document import Document
    from operations.models import Operation

_ANOTHER: Final = "That would be a new proposal, not a repeat."


class CannotSend(Exception):
    """This desk can't send it; the message is a sentence that says why and, where there is one, the way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request that is ready to go out, and where it goes; `credential` is a reference."""

    written: Written
    reach: Reach
    credential: str
    reply: str
    digest: str


def prepared(operation: Operation, *, environ: Mapping[str, str] = os.environ) -> Prepared:
    """Return what this desk would send for an operation; raises `CannotSend`."""
    stored = reading.representation(operation)
    if stored.digest != operation.digest:
        raise CannotSend("The stored bytes aren't those that the digest was made of; nothing is sent.")
    if not operation.recipient.address:
        raise CannotSend(f"This desk has no address of {operation.recipient.name}; an administrator can give one.")
    document = document_of(reading.judging(operation).document)
    carrier = _credential(document)
    _require_scope(operation, str(carrier.credential), environ=environ)
    try:
        reach = _reach(operation, carrier, environ=environ)
        request = Request(method=stored.method, target=stored.target, headers=stored.headers, body=stored.body)
        going = written(request, reach=reach)
    except (NoCredential, NetworksUnreadable, Refused) as refused:
        raise CannotSend(str(refused)) from refused
    return Prepared(
        written=going, reach=reach, credential=str(carrier.credential), reply=_reply(document), digest=stored.digest
    )


def _credential(document: Document) -> Channel:
    """Return a channel that carries the one credential which the contract names for this recipient."""
    carriers = {
        (one.credential, one.credential_as, one.credential_header): one
        for one in document.channels.values()
        if one.credential is not None and one.credential_as is not None
    }
    if not carriers:
        raise CannotSend("The contract names no credential for this recipient, so this desk can't send as anybody.")
    if len(carriers) > 1:
        raise CannotSend("The contract names several credentials for this recipient; which one sent first isn't known.")
    return next(iter(carriers.values()))


def _reply(document: Document) -> str:
    """Return the channel on which the recipient's answer is read."""
    offered = [name for name, one in document.channels.items() if one.kind is Kind.REPLY]
    if len(offered) != 1:
        raise CannotSend("The contract doesn't list exactly one channel for answers, so the answer couldn't be read.")
    return offered[0]


def _require_scope(operation: Operation, name: str, *, environ: Mapping[str, str]) -> None:
    if not operation.scope:
        raise CannotSend(
            f"Whoever sent first didn't say through which account, credential and region. {_ANOTHER} Let them send it."
        )
    try:
        ours = scope_of(name, environ=environ)
    except NoCredential as unset:
        raise CannotSend(f"This desk doesn't know that it would send as “{operation.scope}”. {unset}") from unset
    if ours != operation.scope:
        raise CannotSend(
            f"This desk would send as “{ours}”, and the original went out as “{operation.scope}”. {_ANOTHER}"
        )
    others = {row.scope for row in operation.attempts.all()} - {ours}
    if others:
        raise CannotSend(f"An attempt went out as “{min(others)}”, and this desk would send as “{ours}”. {_ANOTHER}")


def _reach(operation: Operation, carrier: Channel, *, environ: Mapping[str, str]) -> Reach:
    assert carrier.credential is not None  # noqa: S101  # it is chosen for having one
    assert carrier.credential_as is not None  # noqa: S101  # likewise
    recipient = operation.recipient
    secret = credential(
        carrier.credential,
        address=recipient.address,
        header=carrier.credential_header,
        form=FORM[carrier.credential_as],
        environ=environ,
    )
    return Reach(address=recipient.address, networks=networks(recipient.key, environ=environ), credential=secret)
