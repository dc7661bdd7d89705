"""An act: what one process does, how it is taken up again after a fault, and what has to be so in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django.test import Client
from django.urls import reverse

from operations import models
from tests.faults.process import Outcome

if TYPE_CHECKING:
    from tests.faults.scenes import Intended
    from tests.faults.stage import Stage


@dataclass(slots=True, kw_only=True)
class Case:
    """One act that is ready to be played. `do` runs in the process that is broken off, `again` after it.

    `polls`: whether the desk asks by itself afterwards. `wrong` says what of this case is not as it has to be.
    """

    stage: Stage
    intended: Intended
    do: Callable[[], Outcome]
    again: Callable[[Outcome | None], Outcome] | None = None
    polls: bool = False
    is_of_a_worker: bool = False
    wrong: Callable[[], Iterator[str]] = lambda: iter(())
    onces: list[UUID] = field(default_factory=list)

    def taken_up(self, last: Outcome | None) -> Outcome:
        """Do it again as whoever had no answer does: the same once more, unless the act knows better."""
        return self.do() if self.again is None else self.again(last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One act by name: `process` is the kind that plays it, web or worker; `prepare` sets its stage."""

    name: str
    process: str
    prepare: Callable[[Stage], Case]


def answered(response: Any) -> Outcome:
    """Return what a process said over HTTP."""
    match = response.resolver_match
    way = "" if match is None else match.view_name
    return Outcome(status=response.status_code, said=response.headers.get("Location", ""), way=way)


@dataclass(slots=True, kw_only=True)
class Pressing:
    """A person at a form: pressed, and after no answer pressed again; after a refusal reloaded and filled in anew.

    `words` gives the form's words as they are on a page that is looked at now. `shown` says whether the page shows that
    it was done under one of these forms' names; where it is None, that is a decision.
    """

    browser: Client
    intended: Intended
    address: str
    words: Callable[[], Mapping[str, Any]]
    args: tuple[Any, ...] = ()
    shown: Callable[[], bool] | None = None
    filled: dict[str, Any] = field(default_factory=dict)
    onces: list[UUID] = field(default_factory=list)

    def reload(self) -> None:
        """Look at the page as it is now, and fill it in."""
        once = uuid4()
        self.onces.append(once)
        self.filled = {**self.words(), "revision": self.intended.row.revision, "once": str(once)}

    def press(self) -> Outcome:
        """Press the button of the form as it was filled in."""
        place = reverse(self.address, args=self.args or (self.intended.row.number,))
        return answered(self.browser.post(place, self.filled))

    def again(self, last: Outcome | None) -> Outcome:
        """Press again; where the page has changed, look whether it was decided before it is filled in anew."""
        if last is None or last.status >= 500:
            found = self.press()
            if found.good:
                return found
        if self._is_done():
            return Outcome(status=200, said="the page shows that it was done")
        self.reload()
        return self.press()

    def _is_done(self) -> bool:
        if self.shown is not None:
            return self.shown()
        return models.Decision.objects.filter(once__in=self.onces).exists()

    def case(self, stage: Stage, **more: Any) -> Case:
        """The form filled in, ready to be pressed."""
        self.reload()
        onces = self.onces if self.shown is None else []
        return Case(stage=stage, intended=self.intended, do=self.press, again=self.again, onces=onces, **more)
