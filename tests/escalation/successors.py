"""New operations for the tests: an original that ended, and what somebody types in its place."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from escalation.decisions.new_operation import Authority, authorise_new
from escalation.decisions.proposing import Typed, proposed
from escalation.decisions.taking import Taker
from escalation.models import NewOperation, User
from operations import reading
from operations.core.representation import Representation
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import proved

NOW = T0 + HOUR
AUTHORITY = Authority(
    authority="Ada Brandt, counter lead",
    because="The customer still waits for the parcel.",
    reference="order 5512",
    preconditions=(("No ticket for parcel Cedar is open", "Mira, at the desk's screen"),),
)


def closed(identity: str = "order-1001", *, now: datetime = T0, parcel: str = "Cedar") -> Made:
    """An operation that the recipient closed for good."""
    made = operation(identity, now=now, parcel=parcel)
    made.recorded("closed", now=now + timedelta(minutes=5))
    return made


def request_in_place_of(made: Made, identity: str = "order-2002", *, parcel: str | None = None) -> Representation:
    """The same request under another request number."""
    row = made.row
    body = None if parcel is None else json.dumps({"parcel": parcel})
    return proposed(row, Typed(identity=identity, target=row.target, scope=row.scope, body=body))


def authorised(
    made: Made,
    person: User,
    identity: str = "order-2002",
    *,
    now: datetime = NOW,
    revision: int | None = None,
    once: UUID | None = None,
    by_exception: bool = False,
    **stated: Any,
) -> NewOperation:
    """A new operation in place of one."""
    seen = made.row.revision if revision is None else revision
    return authorise_new(
        made.id,
        Taker(person=person, revision=seen, once=once or uuid4(), now=now, proof=proved(person, at=now)),
        request=request_in_place_of(made, identity, **stated),
        authority=AUTHORITY,
        by_exception=by_exception,
    )


def typed(made: Made, identity: str = "order-2002", **other: Any) -> dict[str, Any]:
    """The words of a whole form, compared as it is."""
    row = made.row
    words: dict[str, Any] = {
        "identity": identity,
        "target": row.target,
        "scope": row.scope,
        "body": bytes(row.body or b"").decode(),
        "authority": AUTHORITY.authority,
        "because": AUTHORITY.because,
        "reference": AUTHORITY.reference,
        "what_1": "No ticket for parcel Cedar is open",
        "by_1": "Mira",
        "checked_1": "on",
        "revision": row.revision,
        "once": uuid4(),
    }
    words |= other
    if "compared" not in words:
        asked = Typed(identity=words["identity"], target=words["target"], scope=words["scope"], body=words["body"])
        words["compared"] = proposed(reading.operation(made.id).operation, asked).digest
    return words
