"""What every act stands on: two recipients in processes of their own, a broker that can be killed, people, and a clock."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import psycopg
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.client import ClientHandler
from django.utils import timezone

from escalation.models import RiskLimit, RoleGrant, User
from escalation.policy import Role
from escalation.proof import LINK, Proof, Way
from escalation.running import child, valkey
from operations import models
from operations.contracts.loading import document_of, library_text
from operations.keys import create_key
from tests.celery_broker import broker_at
from tests.recipients.opened import CollectionDesk, reached
from tests.recipients.process import desk_process
from tests.recipients.reached import LISTENS_BY, settings_for, settings_to_listen

KEPT: Final = "collection-desk"
UNKEPT: Final = "collection-desk-without-keys"
CORRECTED: Final = "corrected-desk"  # the first desk under another name, whose contract is corrected again and again
CLOSING: Final = "collection-desk-closing"  # the first desk as the recipient of what closes an operation there
_NETWORKS: Final = "UNRESOLVED_ALLOWED_NETWORKS"
TERMS: Final = {
    KEPT: '{"keeps_for": 86400, "after": "runs_as_new"}',
    UNKEPT: '{"mechanism": "none"}',
}
PEOPLE: Final = {
    "mira": Role.REVIEWER,
    "omar": Role.REVIEWER,
    "otto": Role.OPERATOR,
    "olga": Role.OPERATOR,
    "lena": Role.AUTHORISER,
    "ida": Role.RISK_OWNER,
}
_WHO_PROVED: Final = "account_authentication_methods_user"  # django-allauth's own name for it
PAST_EVERY_LEASE: Final = 80.0  # seconds; the longest lease is 75


def visitor() -> Client:
    """A browser or a program that is not signed in; what goes wrong in the desk is an answer to it."""
    client = Client(raise_request_exception=False, SERVER_NAME="localhost")
    client.handler = _handler()
    return client


@cache
def _handler() -> ClientHandler:
    """The desk as its web process has it once it has begun to serve: one for all, not one a browser."""
    handler = ClientHandler(enforce_csrf_checks=False)
    handler.load_middleware()
    return handler


class Clock:
    """This machine's clock, moved on and never back."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> datetime:
        """The time now, aware."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead)


@dataclass(slots=True)
class Broker:
    """A broker of its own, which can be killed and started anew, empty."""

    folder: Path
    running: Any = None

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"unix://{self.folder / 'valkey.sock'}"

    def start(self) -> None:
        """It is there, without a message."""
        words = [str(valkey.program()), "--port", "0", "--unixsocket", str(self.folder / "valkey.sock")]
        words += ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        command = child.Command(name="broker-of-faults", words=words, folder=self.folder)
        self.running = child.start(command, run_folder=self.folder, log_folder=self.folder)
        with _setting("REDIS_URL", self.url):
            assert valkey.wait_until_ready(going=lambda: self.running.ended() is None)

    def kill(self) -> None:
        """It is gone in the middle of whatever it did."""
        self.running.process.kill()
        self.running.process.wait()

    def end(self) -> None:
        """It is gone for good."""
        child.stop(self.running, run_folder=self.folder)


@dataclass(slots=True, kw_only=True)
class Stage:
    """Where acts are played. `crashes`: the database server is ours, and may be killed as a whole, and emptied."""

    desks: dict[str, CollectionDesk]
    ports: tuple[int, ...]
    broker: Broker
    keys: dict[str, str]
    secret: str
    crashes: bool = False
    clock: Clock = field(default_factory=Clock)
    number: int = 0

    def now(self) -> datetime:
        """The time now."""
        return self.clock.now()

    def another(self) -> int:
        """A number that nothing here has yet."""
        self.number += 1
        return self.number

    def another_recipient(self) -> str:
        """The first desk under a name that nobody knew before."""
        key = f"{CORRECTED}-{self.another()}"
        self.desks[key] = self.desks[KEPT]
        os.environ[_NETWORKS] += f" {key}=127.0.0.0/8"
        _recipients({key: self.desks[KEPT]}, now=self.now())
        return key

    def pass_every_lease(self) -> None:
        """Time goes by for everybody."""
        self.clock.ahead += PAST_EVERY_LEASE
        for key in TERMS:
            self.desks[key].control.advance(PAST_EVERY_LEASE)

    def person(self, name: str) -> User:
        """Somebody who holds a role."""
        return User.objects.get(username=name)

    def browser(self, name: str) -> Client:
        """Somebody's browser, just signed in."""
        browser = visitor()
        browser.force_login(self.person(name))
        session = browser.session
        session[AUTHENTICATION_METHODS_SESSION_KEY] = [{"method": LINK, "at": self.now().timestamp()}]
        session[_WHO_PROVED] = str(self.person(name).pk)
        session.save()
        return browser

    def proof(self, name: str) -> Proof:
        """That somebody just proved who they are."""
        return Proof(person=self.person(name).pk, way=Way.LINK, at=self.now())


@contextmanager
def _setting(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def _clock_in_place(clock: Clock) -> Iterator[None]:
    """Everything that asks what time it is asks this clock; forks take it along."""
    before = timezone.now  # noqa: TID251  # it is replaced
    timezone.now = clock.now  # noqa: TID251  # likewise
    try:
        yield
    finally:
        timezone.now = before  # noqa: TID251  # likewise


@contextmanager
def _broker_in_place(broker: Broker) -> Iterator[None]:
    before = settings.REDIS_URL
    broker.start()
    settings.REDIS_URL = broker.url
    try:
        with broker_at(broker.url):
            yield
    finally:
        settings.REDIS_URL = before
        broker.end()


@contextmanager
def stage(*, crashes: bool = False) -> Iterator[Stage]:
    """Set the stage on the database that this process is connected to, which holds nothing yet."""
    with ExitStack() as open_here:
        folder = Path(open_here.enter_context(tempfile.TemporaryDirectory(prefix="faults-")))
        broker, clock = Broker(folder), Clock()
        open_here.enter_context(_clock_in_place(clock))
        open_here.enter_context(_broker_in_place(broker))
        opened = {key: open_here.enter_context(desk_process("--terms", terms)).opened for key, terms in TERMS.items()}
        desks = {key: reached(one) for key, one in opened.items()}
        desks |= {CORRECTED: desks[KEPT], CLOSING: desks[KEPT]}
        environ = settings_for({key: desks[key].url for key in (*TERMS, CLOSING)}) | settings_to_listen(KEPT)
        for name, value in environ.items():
            open_here.enter_context(_setting(name, value))
        _recipients(desks, now=clock.now())
        _people(now=clock.now())
        for text in (library_text(KEPT), library_text(UNKEPT), f"{library_text(KEPT).rstrip()}\n# corrected\n"):
            document_of(text)  # read once, so that no fork has to
        ports = tuple([int(one.url.rpartition(":")[2]) for one in opened.values()])
        yield Stage(
            desks=desks,
            ports=ports,
            broker=broker,
            keys={"program": _key("transport", "collect", now=clock.now()), "model": _key("agent", now=clock.now())},
            secret=environ[LISTENS_BY],
            crashes=crashes,
            clock=clock,
        )


def _recipients(desks: dict[str, CollectionDesk], *, now: datetime) -> None:
    for key, desk in desks.items():
        models.Recipient.objects.create(key=key, name=key, address=desk.url, created_at=now)
        publish(key, now=now)


def publish(key: str, *, now: datetime) -> None:
    """Another version of a recipient's contract is in force; of two texts in turn, so that both are known already."""
    recipient = models.Recipient.objects.get(key=key)
    version = recipient.contracts.count() + 1
    text = library_text(KEPT if key.startswith(CORRECTED) else key)
    models.Contract.objects.create(
        recipient=recipient,
        version=version,
        document=text if version % 2 else f"{text.rstrip()}\n# corrected\n",
        digest="0" * 64,
        created_at=now,
        published_at=now,
    )


def _people(*, now: datetime) -> None:
    for name, role in PEOPLE.items():
        person = get_user_model().objects.create_user(name)
        RoleGrant.objects.create(person=person, role=role.value, recipient=None, given_at=now)
    by = User.objects.get(username="mira")
    for most, currency in ((Decimal(1000), "EUR"), (None, "")):  # None: for risks that are stated in words
        RiskLimit.objects.create(role=Role.RISK_OWNER.value, most=most, currency=currency, set_at=now, set_by=by)


def _key(*scopes: str, now: datetime) -> str:
    return create_key("faults", scopes=scopes, recipients=[KEPT, UNKEPT], now=now, lasts=timedelta(days=3650))


def second_connection() -> psycopg.Connection[Any]:
    """A connection to the same database, as the same role, beside Django's."""
    params = connection.get_connection_params()
    for name in ("cursor_factory", "context", "prepare_threshold", "server_side_binding"):
        params.pop(name, None)
    return psycopg.connect(**params, autocommit=True)
