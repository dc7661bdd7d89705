"""What a test says to a collection desk's control."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from tests.recipients.client import WAIT, send

Json = Any  # what control says, as truth.py and control.py write it


class ControlRefused(Exception):
    """Control could not do it; the sentence says why."""


class DeskControl:
    """One method a word of control (collection_desk/README.md)."""

    def __init__(self, url: str, *, token: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def say(self, method: str, path: str, said: Mapping[str, Any] | None = None) -> Json:
        """Say anything to control, and return its result; raises ControlRefused."""
        body = b"" if said is None else json.dumps(said).encode()
        facts = send(method, self._url + path, headers=self._headers, body=body, within=6 * WAIT)
        if facts.reply is None:
            raise ControlRefused(f"No answer: {facts.ended}.")
        told = json.loads(facts.reply.body)
        if facts.reply.status != 200:
            raise ControlRefused(told["title"])
        return told["result"]

    # Setting the stage.

    def tell(self, **instruction: Any) -> None:
        """Say what to do with the next request that fits."""
        self.say("POST", "/programme", instruction)

    def programme(self) -> Json:
        """What was said and not yet done."""
        return self.say("GET", "/programme")

    def clear(self) -> None:
        """Forget what was said and not yet done."""
        self.say("DELETE", "/programme")

    def terms(self, **changes: Any) -> Json:
        """The desk's terms, after some changes."""
        return self.say("PATCH", "/terms", changes) if changes else self.say("GET", "/terms")

    def advance(self, seconds: float) -> Json:
        """Move the desk's clock forward, and return its time."""
        return self.say("POST", "/clock", {"advance": seconds})["now"]

    # What is held.

    def held(self, key: str | None = None, *, within: float = WAIT) -> Json:
        """Wait for something (of this key) to be held, and return all that is."""
        asked = {"within": str(within), **({"key": key} if key is not None else {})}
        return self.say("GET", f"/holds?{urlencode(asked)}")

    def release(self, passage: str) -> Json:
        """Let a held message go on; returns what its sender gets."""
        return self.say("POST", f"/holds/{passage}/release")

    def lose(self, passage: str) -> Json:
        """Let a held message get lost."""
        return self.say("POST", f"/holds/{passage}/lose")

    def copy(self, passage: str) -> Json:
        """Let a copy of an earlier request arrive; returns what the desk answers to it."""
        return self.say("POST", f"/passages/{passage}/copy")

    def finish(self, passage: str, *, handling: str = "issue") -> None:
        """End what was accepted for later."""
        self.say("POST", f"/pending/{passage}/finish", {"handling": handling})

    # The desk's own doings.

    def collect(self, number: str) -> None:
        """Hand a parcel over."""
        self.say("POST", f"/tickets/{number}/collect")

    def forget(self, key: str, *, account: str = "one") -> None:
        """Forget a key before its time."""
        self.say("POST", f"/keys/{quote(key, safe='')}/forget", {"account": account})

    def catch_up(self) -> None:
        """Bring a held index up to date."""
        self.say("POST", "/search/catch_up")

    # Status events.

    def events(self) -> Json:
        """Every status event with how often it was sent."""
        return self.say("GET", "/events")

    def aim(self, url: str, *, secret: str, mode: str = "held") -> None:
        """Send status events there."""
        self.say("PUT", "/events/target", {"url": url, "secret": secret, "mode": mode})

    def deliver(self, *events: str, stamped: str = "now") -> Json:
        """Send these events in this order."""
        return self.say("POST", "/events/deliver", {"events": list(events), "stamped": stamped})

    # The truth.

    def truth(self, key: str | None = None) -> Json:
        """Everything that is so (of the requests that carried this key)."""
        return self.say("GET", "/truth" if key is None else f"/truth?{urlencode({'key': key})}")

    def tickets(self, key: str) -> list[str]:
        """The numbers of the tickets that were issued for requests with this key."""
        return [ticket["number"] for ticket in self.truth(key)["tickets"]]

    def did(self, key: str) -> list[str]:
        """What was done with the requests that carried this key, oldest first."""
        return [act["did"] for act in self.truth(key)["acts"]]
