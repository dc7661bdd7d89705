"""The agents' door of a desk, over HTTP: what can't be understood counts as no answer."""

import http.client
import json
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from unresolved.request import as_json

PATIENCE: Final = 5.0  # seconds each wait for the desk may take
LEFT_ALONE: Final = 5.0  # seconds
MOST_BYTES: Final = 64 * 1024 * 1024
# It may be otherwise a moment later, or once somebody has seen to the key or the contract: docs/integrate/api.md, Errors.
LATER: Final = frozenset({401, 403, 408, 411, 415, 421, 425, 429})


class Unreachable(Exception):
    """No answer of the desk that could be understood; what was asked may be on record."""


class KeyRefused(Unreachable):
    """The desk refuses this key: who may not record may not send. `answer` is what it said."""

    def __init__(self, answer: "Answer") -> None:
        super().__init__(f"the desk answered {answer.status} {answer.rule}".rstrip())
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the desk said to one act."""

    status: int
    body: Mapping[str, Any]

    @property
    def rule(self) -> str:
        """The last word of a problem's type; empty where there is no problem."""
        return str(self.body.get("type", "")).rpartition(":")[2]

    @property
    def is_done(self) -> bool:
        """Whether it is on record."""
        return self.status in (200, 201)

    @property
    def is_for_later(self) -> bool:
        """Whether asking again may be answered otherwise."""
        return self.status >= 500 or self.status in LATER or self.rule == "no_contract"


@dataclass(slots=True, kw_only=True)
class Desk:
    """One desk at `url`, with a key of scope `transport`.

    A desk that doesn't answer is left alone for some seconds by whoever is in a `hurry`: an agent waits for it once.
    """

    url: str
    key: str = field(repr=False)
    patience: float = PATIENCE
    left_alone: float = LEFT_ALONE
    _quiet_until: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse a `url` that names no place: without a host the key would go to this machine. Raises `ValueError`."""
        where = urlsplit(self.url)
        if where.scheme not in ("http", "https") or not where.hostname:
            raise ValueError(f"url is http:// or https:// with a host, and not {self.url!r}")

    def batch(self, items: Sequence[Mapping[str, Any]], *, hurry: bool = False) -> list[Answer]:
        """Have these acts done in order and return an answer each; raises `Unreachable`."""
        clock = datetime.now(UTC).isoformat()
        told = self.call("POST", "/batch", as_json({"items": list(items), "clock": clock}), hurry=hurry)
        if told.status in (401, 403):
            raise KeyRefused(told)
        results = told.body.get("results")
        if told.status != 200 or not isinstance(results, list) or len(results) != len(items):
            raise Unreachable(f"the desk answered {told.status} {told.rule}".rstrip())
        try:
            return [Answer(status=int(one["status"]), body=dict(one["body"])) for one in results]
        except (KeyError, TypeError, ValueError) as error:
            raise Unreachable("the desk's answer could not be understood") from error

    def operation(self, operation_id: str) -> Mapping[str, Any] | None:
        """Return everything on record of an operation, None if there is none for this key; raises `Unreachable`."""
        return self._read(f"/operations/{operation_id}")

    def grant(self, operation_id: str) -> Mapping[str, Any] | None:
        """Return the grant that waits, if one does; raises `Unreachable`."""
        return self._read(f"/operations/{operation_id}/grant")

    def result(self, operation_id: str, *, call: str = "", run: str = "") -> Mapping[str, Any] | None:
        """Have what is owed of an operation given out: `owed` and `links`; None as `operation`, raises `Unreachable`."""
        told = self.call("POST", f"/operations/{operation_id}/result", as_json({"call": call, "run": run}))
        if told.status == 404:
            return None
        if told.status != 200:
            raise Unreachable(f"the desk answered {told.status} {told.rule}".rstrip())
        return told.body

    def _read(self, path: str) -> Mapping[str, Any] | None:
        told = self.call("GET", path)
        if told.status == 404:
            return None
        if told.status != 200:
            raise Unreachable(f"the desk answered {told.status} {told.rule}".rstrip())
        return told.body

    def call(self, method: str, path: str, body: bytes | None = None, *, hurry: bool = False) -> Answer:
        """Make one call and return what was answered, problems included; raises `Unreachable`."""
        if hurry and time.monotonic() < self._quiet_until:
            raise Unreachable("the desk did not answer a moment ago")
        try:
            found = self._exchange(method, path, body)
        except (OSError, http.client.HTTPException, ValueError, TypeError, RecursionError) as error:
            self._quiet_until = time.monotonic() + self.left_alone
            raise Unreachable(f"the desk did not answer: {type(error).__name__}") from error
        self._quiet_until = 0.0
        return found

    def _exchange(self, method: str, path: str, body: bytes | None) -> Answer:
        where = urlsplit(self.url)
        headers = {"Authorization": f"Bearer {self.key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection = _connection(where.scheme, where.netloc, patience=self.patience)
        try:
            connection.request(method, f"{where.path.rstrip('/')}/api/v1{path}", body, headers)
            with connection.getresponse() as answer:
                told = json.loads(answer.read(MOST_BYTES))
                return Answer(status=answer.status, body=dict(told))
        finally:
            connection.close()


def _connection(scheme: str, netloc: str, *, patience: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(netloc, timeout=patience, context=ssl.create_default_context())
    return http.client.HTTPConnection(netloc, timeout=patience)
