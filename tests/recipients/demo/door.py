"""The agents' door of one desk, as the demonstration's agent uses it."""

import base64
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.recipients.client import Ended, Facts

_FACT: Final = {
    Ended.TIMED_OUT: "timeout",
    Ended.RESET: "reset",
    Ended.CLOSED: "closed",
    Ended.NOT_CONNECTED: "not_sent",
}


class Refused(Exception):
    """The door said no; `problem` is what it said."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail') or problem.get('title')}")
        self.status = status
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Door:
    """The agents' door of one desk."""

    address: str
    key: str

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Make one call; raises `Refused`."""
        return self._answer(self._asked(path, body))

    def _asked(self, path: str, body: Mapping[str, Any] | None = None) -> urllib.request.Request:
        return urllib.request.Request(  # noqa: S310  # the address is the desk's own
            f"{self.address}/api/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )

    def _answer(self, asked: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310  # likewise
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.load(error)) from error

    def register(self, recipient: str, identity: str, *, parcel: str) -> str:
        """Register an operation with its first attempt, `a1`, and return the operation's id."""
        body = base64.b64encode(json.dumps({"parcel": parcel}).encode()).decode()
        request = {
            "method": "POST",
            "target": "/desks/East/tickets",
            "headers": [["Idempotency-Key", identity], ["Content-Type", "application/json"]],
            "body": body,
            "scope": "account one",
        }
        asked = {
            "recipient": recipient,
            "identity": identity,
            "request": request,
            "attempt": {"id": "a1", "sends": "one"},
            "origin": {"agent": "parcel-helper", "run": "demonstration", "tool": "issue_ticket"},
        }
        return str(self.post("/operations", asked)["operation"])

    def grant(self, operation: str, *, within: float) -> Any:
        """Wait for the grant that a person gives for a further attempt; raises `Refused` where nobody does."""
        last = time.monotonic() + within
        while True:
            try:
                return self._answer(self._asked(f"/operations/{operation}/grant"))
            except Refused as refused:
                if refused.status != 404 or time.monotonic() > last:
                    raise
                time.sleep(1.0)

    def closing(self, operation: str, *, within: float) -> str:
        """Wait until a person has it closed, and return the id of the operation that does; raises `Refused` if nobody does."""
        last = time.monotonic() + within
        while True:
            standing = self._answer(self._asked(f"/operations/{operation}/standing"))
            found = [one["closed_by"]["operation"] for one in standing["decisions"] if one["closed_by"] is not None]
            if found:
                return str(found[-1])
            if time.monotonic() > last:
                raise Refused(404, {"title": "nobody had it closed"})
            time.sleep(1.0)

    def begin(self, operation: str, attempt: str, *, grant: Mapping[str, Any]) -> None:
        """Begin a further attempt with a grant, which that uses up; raises `Refused`."""
        asked = {"id": attempt, "sends": "one", "scope": "account one"}
        self.post(f"/operations/{operation}/attempts", {**asked, "grant": grant["grant"], "digest": grant["digest"]})

    def report(self, operation: str, attempt: str, seen: Facts) -> None:
        """Report what the agent's socket knows of one attempt, and no more."""
        if seen.reply is None:
            fact = "not_sent" if seen.not_sent else _FACT[seen.ended]
            self.post(f"/operations/{operation}/facts", {"event": attempt, "attempt": attempt, "fact": fact})
            return
        reply = {
            "event": attempt,
            "attempt": attempt,
            "status": seen.reply.status,
            "headers": [[name, value] for name, value in seen.reply.headers.items()],
            "body": base64.b64encode(seen.reply.body).decode(),
        }
        self.post(f"/operations/{operation}/replies", reply)

    def seal(self, operation: str) -> None:
        """Say that all that was sent is on record."""
        self.post(f"/operations/{operation}/seal", {})
