"""The week is played minute by minute: what happens happens at its own second, and then the desk's tasks run, if they can."""

import heapq
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from kombu.exceptions import OperationalError

from escalation.tasks import call_chains, tell_people, wake_cases
from operations.tasks import call_people
from tests.celery_broker import broker_at
from tests.faults.stage import Broker
from tests.week import doing, outages, rows, world
from tests.week.clock import Clock, in_place
from tests.week.outages import Outages, within
from tests.week.post import Hook, Mail, MailServer, Receiver
from tests.week.script import Drawing, Life
from tests.week.worker import Order, Workers

TASKS: Final = (call_people, wake_cases, call_chains, tell_people)
Tell = Callable[[str], Any]
# Sorted by time; of what happens at one time, in the order in which it was drawn.
Happening = tuple[datetime, int, Callable[[], None]]
_SETTINGS: Final = {
    "PUBLIC_URL": world.DESK,
    "MAIL_IS_SENT": True,
    "EMAIL_HOST": "127.0.0.1",
    "EMAIL_HOST_USER": "",
    "EMAIL_HOST_PASSWORD": "",
    "EMAIL_USE_TLS": False,
    "EMAIL_USE_SSL": False,
    "CALL_AHEAD_FOR": {one.key: one.lead.total_seconds() for one in world.RECIPIENTS.values()},
    "NOTICES": {
        "above": world.ABOVE,
        "apart": world.APART,
        "ahead": world.AHEAD,
        "ahead_for": {one.key: one.lead for one in world.RECIPIENTS.values()},
    },
}


@dataclass(slots=True, kw_only=True)
class Played:
    """A week that was played: what was drawn, what came of what people tried, and what arrived."""

    lives: list[Life]
    outages: Outages
    doing: doing.Doing
    mails: list[Mail]
    hooks: list[Hook]
    kills: list[tuple[datetime, int, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    declined: int = 0
    swept: int = 0
    unpublished: int = 0


@dataclass(slots=True, kw_only=True)
class Stage:
    """What the week is played on."""

    clock: Clock
    broker: Broker
    mail: MailServer
    hook: Receiver
    workers: Workers


@contextmanager
def stage() -> Iterator[Stage]:
    """Set the stage on the database that this process is connected to, which holds nothing yet."""
    with ExitStack() as here:
        clock = Clock(world.T0)
        here.enter_context(in_place(clock))
        broker = Broker(Path(here.enter_context(tempfile.TemporaryDirectory(prefix="week-"))))
        broker.start()
        here.callback(broker.end)
        here.enter_context(broker_at(broker.url))
        here.enter_context(_patience())
        mail, hook = MailServer(clock.now), Receiver(clock.now)
        mail.start()
        here.callback(mail.stop)
        here.enter_context(_set({**_SETTINGS, "EMAIL_PORT": mail.port}))
        here.enter_context(_environment(hook.start()))
        here.callback(hook.stop)
        workers = Workers(Order(), listening=lambda: mail.sockets() + hook.sockets())
        here.callback(workers.be, 0)
        doing.forget()
        rows.set_up(now=world.T0)
        yield Stage(clock=clock, broker=broker, mail=mail, hook=hook, workers=workers)


@contextmanager
def _set(values: dict[str, Any]) -> Iterator[None]:
    before = {name: getattr(settings, name) for name in values if hasattr(settings, name)}
    for name, value in values.items():
        setattr(settings, name, value)
    try:
        yield
    finally:
        for name in values:
            if name in before:
                setattr(settings, name, before[name])
            else:
                delattr(settings, name)


@contextmanager
def _environment(hook: str) -> Iterator[None]:
    named = f"UNRESOLVED_NOTICE_{world.WEBHOOK}"
    given = {named: hook, f"{named}_SECRET": f"whsec_{world.SECRET}", "UNRESOLVED_NETWORKS_OF_NOTICES": "127.0.0.0/8"}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def _patience() -> Iterator[None]:
    """What a killed worker had taken comes back by this machine's clock, which is not the week's: a sweep comes first."""
    from escalation.celery import app

    before = app.conf.broker_transport_options
    app.conf.broker_transport_options = {**before, "visibility_timeout": 86_400}
    try:
        yield
    finally:
        app.conf.broker_transport_options = before


class Playing:
    """Plays one week on a stage."""

    def __init__(self, here: Stage, *, seed: int, operations: int, days: float, calm: float) -> None:
        self.here = here
        self.played = Played(
            lives=Drawing(seed, operations=operations, days=days, calm=calm).lives(),
            outages=outages.drawn(seed, days=days),
            doing=doing.Doing({}, {}),
            mails=here.mail.kept,
            hooks=here.hook.kept,
        )
        self._to_come = self._happenings()
        heapq.heapify(self._to_come)

    def _happenings(self) -> list[Happening]:
        done, found = self.played.doing, list[Happening]()

        def add(at: datetime, do: Callable[[], None]) -> None:
            found.append((at, len(found), do))

        for begun, some in groupby(self.played.lives, key=lambda one: one.begun):
            together = list(some)
            add(begun, lambda together=together: done.register(together))  # type: ignore[misc]
        for at, change in rows.later():
            add(at, lambda at=at, change=change: change(at))  # type: ignore[misc]
        for life in self.played.lives:
            for place, event in enumerate(life.events):
                add(event.at, lambda life=life, place=place: done.do(life, place))  # type: ignore[misc]
        return found

    def play(self, tell: Tell) -> Played:
        """Play it to its end."""
        played = self.played
        for count, tick in enumerate(played.outages.ticks()):
            self._happen(tick)
            self.here.clock.stand_at(tick)
            self._weather(tick)
            if played.outages.sweeps(tick) and _anything_is_due(tick):
                self._sweep(tick)
            if count % 360 == 0:
                tell(f"{tick:%a %H:%M}: {len(played.doing.ids)} operations, {len(played.mails)} mails")
        self._happen(played.outages.ends)
        played.errors = self.here.workers.errors
        played.declined = self.here.mail.declined
        return played

    def _happen(self, tick: datetime) -> None:
        while self._to_come and self._to_come[0][0] <= tick:
            at, _, do = heapq.heappop(self._to_come)
            self.here.clock.stand_at(at)
            do()

    def _weather(self, tick: datetime) -> None:
        """Have everything be there, or away, as it is at this tick."""
        away, here = self.played.outages, self.here
        if tick in away.kills:
            here.workers.order.give(away.kills[tick])
        self._broker(away=within(away.broker, tick))
        self._mail(away=within(away.mail, tick))
        here.mail.declines = within(away.declines, tick)
        here.hook.answers = 503 if within(away.hook, tick) else 204
        here.hook.loses += int(tick in away.unanswered)
        here.mail.loses += int(tick in away.losses)
        if away.sweeps(tick):
            here.workers.be(2 if within(away.two, tick) else 1)
        elif within(away.worker, tick):
            here.workers.be(0)

    def _broker(self, *, away: bool) -> None:
        running = self.here.broker.running.ended() is None
        if away and running:
            self.here.broker.kill()
            self._nothing_is_published()
        elif not away and not running:
            self.here.broker.start()

    def _nothing_is_published(self) -> None:
        try:
            call_chains.apply_async(retry=False)
        except OperationalError:
            self.played.unpublished += 1

    def _mail(self, *, away: bool) -> None:
        if away and self.here.mail.is_up:
            self.here.mail.stop()
        elif not away and not self.here.mail.is_up:
            self.here.mail.start()

    def _sweep(self, tick: datetime) -> None:
        """Have every task run as often as it comes by within the minute, until a worker does so without dying."""
        workers, away = self.here.workers, self.played.outages
        while not self._once(two=within(away.two, tick)):
            self._died(tick)
        for _ in range(10):
            if not _is_to_be_told(tick) or not away.takes_mail(tick):
                break
            workers.do([tell_people])
        self.played.swept += 1

    def _once(self, *, two: bool) -> bool:
        workers = self.here.workers
        if not two:
            return workers.do(TASKS)
        return all(workers.do([one], times=2) for one in TASKS)  # where one fails, the rest is not begun

    def _died(self, tick: datetime) -> None:
        workers = self.here.workers
        self.played.kills += [(tick, where, notice) for where, notice in workers.killed]
        workers.killed.clear()
        workers.be(2 if within(self.played.outages.two, tick) else 1)


_DUE: Final = """
    SELECT EXISTS (SELECT FROM operations_due WHERE call_at <= %(now)s)
        OR EXISTS (SELECT FROM escalation_case WHERE closed_at IS NULL AND next_call_at <= %(now)s)
        OR EXISTS (SELECT FROM escalation_case WHERE closed_at IS NULL AND snoozed_until <= %(now)s)
        OR EXISTS (SELECT FROM escalation_totell)
        OR EXISTS (SELECT FROM escalation_telling WHERE due_at <= %(now)s)
        OR EXISTS (SELECT FROM escalation_notice WHERE ended_at IS NULL)
"""
_TELL: Final = "SELECT EXISTS (SELECT FROM escalation_telling WHERE due_at <= %(now)s)"


def _asked(statement: str, now: datetime) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"now": now})
        return bool(cursor.fetchone()[0])


def _anything_is_due(now: datetime) -> bool:
    """Whether a sweep could find anything: most minutes of a small week have nothing, and are passed over."""
    return _asked(_DUE, now)


def _is_to_be_told(now: datetime) -> bool:
    return _asked(_TELL, now)
