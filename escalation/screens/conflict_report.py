"""The report of a contradiction for the recipient, as JSON: the same words as the page, keys in one fixed order.

It carries nothing by which anybody could act: no credential, no scope, no header but those that name an answer.
"""

import base64
from datetime import UTC, datetime
from typing import Any, Final

from escalation.screens.clauses import Clause
from escalation.screens.conflict import Conflict, Statement
from escalation.screens.sight import Sight

FORMAT: Final = 1


def _at(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _clause(clause: Clause | None) -> dict[str, Any] | None:
    if clause is None:
        return None
    return {
        "whose": clause.whose,
        "says": clause.says,
        "quote": clause.quote,
        "source": clause.address,
        "read_on": None if clause.read_on is None else clause.read_on.isoformat(),
    }


def _payload(statement: Statement) -> dict[str, Any] | None:
    observation = statement.seen.observation
    if observation.payload is None:
        return None
    raw = bytes(observation.payload)
    return {
        "bytes": len(raw),
        "sha256": statement.payload_sha256,
        "truncated": observation.truncated,
        "base64": base64.b64encode(raw).decode(),
    }


def _statement(statement: Statement) -> dict[str, Any]:
    seen, row, came = statement.seen, statement.seen.row, statement.seen.observation
    return {
        "observation": seen.number,
        "id": str(came.id),
        "channel": came.channel,
        "channel_is": seen.about,
        "authority": seen.authority,
        "says": row.says,
        "in_words": seen.says,
        "effect_refs": list(row.effect_refs),
        "as_of": _at(row.as_of),
        "asked_at": _at(came.asked_at),
        "received_at": _at(came.received_at),
        "recorded_at": _at(came.recorded_at),
        "reported_by": came.source,
        "attempt": row.attempt,
        "status": came.status,
        "headers": [list(line) for line in statement.headers],
        "payload": _payload(statement),
        "read_as": row.because,
        "rule": row.rule,
        "contract_version": row.contract.version,
        "tied_by": row.correlation,
        "clause": _clause(seen.clause),
        "digests": {"observation": statement.observation_digest, "reading": statement.reading_digest},
    }


def _operation(sight: Sight) -> dict[str, Any]:
    row = sight.operation
    return {
        "number": row.number,
        "id": str(row.id),
        "effect": row.effect,
        "request_number": row.identity,
        "request_number_known": row.identity_known,
        "request": {"method": row.method, "target": row.target, "digest": row.digest},
        "registered_at": _at(row.created_at),
        "chain": {"links": row.links, "head": bytes(row.head).hex()},
    }


def report(sight: Sight, found: Conflict) -> dict[str, Any]:
    """Return the report, ready for JSON; the order of the keys is part of it."""
    return {
        "report": "conflict",
        "format": FORMAT,
        "as_of": _at(sight.now),
        "recipient": {"key": sight.operation.recipient.key, "name": sight.operation.recipient.name},
        "operation": _operation(sight),
        "attempts": [
            {"number": row.number, "id": row.attempt, "begun_at": _at(row.begun_at), "digest": bytes(row.digest).hex()}
            for row in sight.attempts
        ],
        "conflict": {
            "kind": found.kind.value,
            "sentence": found.kind.sentence,
            "broken": found.broken,
            "clauses": [_clause(clause) for clause in found.clauses],
        },
        "statements": [_statement(one) for one in found.statements],
        "to_resolve": list(found.to_resolve),
    }
