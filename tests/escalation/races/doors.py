"""Every door that the product has, as a person goes through it: looked at, filled in, sent. Found, not listed.

A door is a view whose module has a `DoorPage` and its own name; one that is added is raced without a line here, as long
as its form can be filled in by the kinds of its fields. What needs more is in `_ALSO`. The doors that are no `DoorPage`
of their own (asking, taking down, a second person's word) stand below by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

from django import forms
from django.test import Client
from django.urls import URLPattern, reverse

from escalation.models.protected_repeat import AGENT, DESK
from escalation.urls import urlpatterns
from escalation.views.door import CARRIED, DoorPage
from operations.core.actions import Action
from operations.core.closing import Closing
from tests.escalation.building import Made
from tests.escalation.races.gates import Act, Ended
from tests.escalation.races.stage import Stage, now
from tests.escalation.successors import typed as proposed_request

TYPED: Final = "typed by hand"
RISK, ACCEPTED, TAKEN_DOWN = "a waiting risk", "an accepted risk", "a waiting inspection"
Words = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Door:
    """One way through one door.

    `action` is the core's, None where a door asks the core nothing. `needs` is what must be there before (of those that
    need the same, one at most finds it). `compares`: the door decides on the revision that was looked at. `moves`: what
    it writes is a new revision. `types`: its page has a line of text.
    """

    name: str
    looked: Callable[[Stage, Client, Made], Act]
    action: Action | Closing | None = None
    needs: str = ""
    compares: bool = True
    moves: bool = True
    types: bool = False

    def prepare(self, stage: Stage, made: Made) -> None:
        """Bring about what the door needs beside the state of the operation."""
        if self.needs:
            {RISK: stage.waiting_risk, ACCEPTED: stage.accepted_risk, TAKEN_DOWN: stage.waiting_inspection}[self.needs](
                made
            )

    def __str__(self) -> str:
        return self.name


def _pages() -> Iterator[tuple[str, DoorPage]]:
    """Yield the doors of the product by the names of their addresses."""
    for pattern in urlpatterns:
        if not isinstance(pattern, URLPattern):
            continue
        module = sys.modules[pattern.callback.__module__]
        page = next((one for one in vars(module).values() if isinstance(one, DoorPage)), None)
        if page is not None and module.__name__.endswith(f".{pattern.name}"):
            yield str(pattern.name), page


def _filled(name: str, field: forms.Field) -> Any:
    """Return what somebody types into a field of its kind, None for what may stay empty."""
    if isinstance(field, forms.ChoiceField):
        return next((value for value, _ in list(field.choices) if value), None)  # type: ignore[arg-type]  # it is a list
    if isinstance(field, forms.BooleanField):
        return "on"
    if isinstance(field, forms.DateTimeField):
        return f"{now() + timedelta(days=2):%Y-%m-%dT%H:%M}"
    if isinstance(field, forms.DateField):
        return f"{now() + timedelta(days=3):%Y-%m-%d}"
    return f"{TYPED}: {name}" if isinstance(field, forms.CharField) else None


def _words(client: Client, address: str) -> dict[str, Any]:
    """Return a door's whole form as somebody fills it in who looks at it now."""
    form = client.get(address).context["form"]
    found = {name: _filled(name, field) for name, field in form.fields.items() if name not in CARRIED}
    carried = {name: form.initial[name] for name in CARRIED}
    return {**{name: value for name, value in found.items() if value is not None}, **carried}


def _request(made: Made) -> dict[str, Any]:
    """What the form of a new operation carries, compared with its original."""
    words = proposed_request(made, f"{made.identity}-new-{uuid4().hex[:6]}")
    return {**words, "authority": f"{TYPED}: authority"}


# What a form needs beyond the kinds of its fields.
_ALSO: Final[Mapping[str, Callable[[Made], Words]]] = {
    "new_operation": _request,
    "business_exception": lambda _: {"amount": "250", "currency": "EUR", "words": ""},
}
_WITHOUT_TEXT: Final = {"protected_repeat", "close_original"}
_WAYS: Final[Mapping[str, Mapping[str, Words]]] = {
    name: {f"{name} by this desk": {"executor": DESK}, f"{name} by the agent": {"executor": AGENT}}
    for name in ("protected_repeat", "close_original")
}


def _sent(client: Client, address: str, words: Words) -> Act:
    def act() -> Ended:
        answer = client.post(address, words)
        return Ended(answer.status_code == 302, answer.text, answer.status_code)

    return act


def _door_page(name: str, also: Words) -> Callable[[Stage, Client, Made], Act]:
    def looked(_: Stage, client: Client, made: Made) -> Act:
        address = reverse(name, args=[made.number])
        words = {**_words(client, address), **_ALSO.get(name, lambda _: {})(made), **also}
        return _sent(client, address, words)

    return looked


def _judged(act: str) -> Callable[[Stage, Client, Made], Act]:
    def looked(stage: Stage, client: Client, made: Made) -> Act:
        words = {"act": act, "remark": f"{TYPED}: remark", "revision": made.row.revision, "once": uuid4(), "read": "on"}
        words["understood"] = "on"
        return _sent(client, reverse("approve_exception", args=[stage.waiting_risk(made).pk]), words)

    return looked


def _asks(_: Stage, client: Client, made: Made) -> Act:
    return _sent(client, reverse("observe", args=[made.number]), {"channel": "record"})


def _takes_down(_: Stage, client: Client, made: Made) -> Act:
    address = reverse("inspect", args=[made.number])
    lines = client.get(address).context["form"].lines()
    echoed = {"key": made.identity, "place": "East", "parcel": made.parcel, "ticket": "T-1"}
    words: dict[str, Any] = {"once": uuid4(), "read_at": f"{now() - timedelta(minutes=1):%Y-%m-%dT%H:%M}", "notes": ""}
    for line in lines:
        name = line.asked.place.rpartition("/")[2]
        words |= {line.name: "0"} if line.asked.values else {f"{line.name}_text": echoed[name]}
    return _sent(client, address, words)


def _of_an_inspection(words: Words) -> Callable[[Stage, Client, Made], Act]:
    def looked(stage: Stage, client: Client, made: Made) -> Act:
        row = stage.waiting_inspection(made)
        return _sent(client, reverse("inspection", args=[made.number, row.id]), words)

    return looked


def doors() -> list[Door]:
    """Return every way through every door."""
    found = [
        Door(way, _door_page(name, also), action=page.action, types=name not in _WITHOUT_TEXT)
        for name, page in _pages()
        for way, also in _WAYS.get(name, {name: {}}).items()
    ]
    new = next(one for one in found if one.name == "new_operation")
    return [
        *found,
        Door("new_operation by an accepted risk", new.looked, Action.EXCEPT, needs=ACCEPTED, types=True),
        Door("approve_exception", _judged("approve"), Action.EXCEPT, needs=RISK, types=True),
        Door("decline_exception", _judged("decline"), Action.EXCEPT, needs=RISK, types=True),
        Door("observe", _asks, compares=False),
        Door("inspect", _takes_down, compares=False, moves=False),
        Door(
            "confirm_inspection",
            _of_an_inspection({"act": "confirm", "read_it": "on"}),
            needs=TAKEN_DOWN,
            compares=False,
        ),
        Door(
            "reject_inspection",
            _of_an_inspection({"act": "reject", "because": TYPED}),
            needs=TAKEN_DOWN,
            compares=False,
            moves=False,
            types=True,
        ),
    ]
