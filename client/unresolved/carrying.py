"""What a person authorised at the desk is sent once: a new operation in place of another, a closing, or a repeat."""

import base64
from collections.abc import Mapping
from typing import Any

from unresolved.beginning import Meant
from unresolved.carriers import Contract, NotCarried
from unresolved.envelope import Envelope
from unresolved.recorder import NotBegun, Recorder
from unresolved.request import Bound, Request
from unresolved.sending import Sender


class NotAuthorised(Exception):
    """The desk has no such operation for this key, or not as this contract and this sender would send it."""


def carry_out(recorder: Recorder, operation: str, *, contract: Contract, sender: Sender) -> Envelope:
    """Send an operation of the desk once, exactly as it is bound there, with the grant that waits for it.

    `operation` is its id, as in an envelope's `successor`. Without a grant nothing is sent, as the envelope says. Raises
    `NotAuthorised`, and `Unreachable` where the desk can't be asked.
    """
    whole = recorder.desk.operation(operation)
    if whole is None:
        raise NotAuthorised(f"the desk has no operation {operation} for this key")
    bound = bound_of(whole, contract)
    meant = Meant(
        bound=bound, tool=str(whole["tool"]), sends=sender.sends, origin={"tool": whole["tool"]}, operation=operation
    )
    try:
        with recorder.under_way(meant, sender=sender) as under:
            under.attempt.send()
    except NotBegun as held:
        return held.envelope
    if under.envelope is None:
        raise RuntimeError("an attempt's block ended without its envelope")
    return under.envelope


def bound_of(whole: Mapping[str, Any], contract: Contract) -> Bound:
    """Return what the desk has an operation bound to; raises `NotAuthorised` where it is not what it says it is."""
    asked = whole["request"]
    request = Request(
        method=asked["method"],
        target=asked["target"],
        headers=tuple([(name, value) for name, value in asked["headers"]]),
        body=_bytes(asked["body"]),
    )
    bound = Bound(
        recipient=whole["recipient"],
        identity=whole["identity"],
        request=request,
        arguments=_bytes(asked["arguments"]),
        scope=asked["scope"],
    )
    if (bound.recipient, bound.scope) != (contract.recipient, contract.scope):
        raise NotAuthorised(f"it is for {bound.recipient} in {bound.scope!r}")
    if bound.digest != asked["digest"]:
        raise NotAuthorised("its digest is another request's")
    _require_carried(bound, contract)
    return bound


def _require_carried(bound: Bound, contract: Contract) -> None:
    if contract.carrier is None:
        return
    try:
        carried = contract.carrier.carry(bound.request, identity=bound.identity)
    except NotCarried as error:
        raise NotAuthorised(str(error)) from error
    if carried != bound.request:
        raise NotAuthorised("it does not carry its identity where the contract says that it protects")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
