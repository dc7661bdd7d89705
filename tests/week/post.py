"""Where notices arrive: a real mail server and a receiver of webhooks on loopback, which can be stopped and fail."""

import hashlib
import hmac
import json
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.escalation.notify.mail_server import OnAnyPort
from tests.week.world import SECRET

Now = Callable[[], datetime]


@dataclass(frozen=True, kw_only=True)
class Mail:
    """One mail that the server took; of one that was `lost`, whoever sent it never read the reply."""

    at: datetime
    readers: tuple[str, ...]
    content: bytes
    lost: bool = False

    @cached_property
    def message(self) -> EmailMessage:
        """It, read only when it is judged: whoever sent it waits for the reply."""
        parsed = message_from_bytes(self.content, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    @property
    def id(self) -> str:
        """The part of its Message-ID that names the notice."""
        return str(self.message["Message-ID"]).strip("<>").partition("@")[0]


@dataclass(slots=True)
class MailServer:
    """Takes mail while it is up; `declines` says 4yz; the replies to the next `loses` mails never arrive."""

    now: Now
    kept: list[Mail] = field(default_factory=list)
    declines: bool = False
    loses: int = 0
    declined: int = 0
    port: int = 0
    _listening: Any = None

    @property
    def is_up(self) -> bool:
        """Whether it listens."""
        return self._listening is not None

    def sockets(self) -> list[int]:
        """What it listens at, by number."""
        return [one.fileno() for one in self._listening.server.sockets] if self.is_up else []

    def start(self) -> None:
        """It listens, at the port it had before."""
        self._listening = OnAnyPort(self, hostname="127.0.0.1", port=self.port)
        self._listening.start()
        self.port = self._listening.port

    def stop(self) -> None:
        """Whoever connects is refused."""
        if self._listening is not None:
            self._listening.stop()
            self._listening = None

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _: Any) -> str:  # noqa: N802
        """aiosmtpd asks whether this reader is known; every other refusal is said already here."""
        if self.declines and self.declined % 2:
            self.declined += 1
            return "450 4.2.0 Try later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        """aiosmtpd hands over a whole mail; what is said here decides whose it is."""
        if self.declines:
            self.declined += 1
            return "451 4.3.0 Try later"
        lost = self.loses > 0
        self.kept.append(Mail(at=self.now(), readers=tuple(envelope.rcpt_tos), content=envelope.content, lost=lost))
        if lost:
            self.loses -= 1
            server.transport.abort()
        return "250 OK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """One webhook that arrived: under which id, whether its signature holds, its whole text, and what it was answered."""

    at: datetime
    id: str
    signed: bool
    text: str
    answered: int | None

    @property
    def data(self) -> dict[str, Any]:
        """Its JSON."""
        found: dict[str, Any] = json.loads(self.text)
        return found


@dataclass(slots=True)
class Receiver:
    """Takes webhooks; `answers` is the status it gives, and the next `loses` it takes and closes without any."""

    now: Now
    kept: list[Hook] = field(default_factory=list)
    answers: int = 204
    loses: int = 0
    _listening: Any = None

    def start(self) -> str:
        """It listens; the address is returned."""
        receiver = self

        class Taking(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # http.server's own name
                receiver.take(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # likewise
                """Nobody reads it."""

        self._listening = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
        threading.Thread(target=self._listening.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._listening.server_address[1]}/hooks/room"

    def sockets(self) -> list[int]:
        """What it listens at, by number."""
        return [self._listening.fileno()]

    def stop(self) -> None:
        """It listens no more."""
        self._listening.shutdown()
        self._listening.server_close()

    def take(self, came: BaseHTTPRequestHandler) -> None:
        """Keep one call, and answer it."""
        text = came.rfile.read(int(came.headers["content-length"])).decode()
        found, now = {name.lower(): value for name, value in came.headers.items()}, self.now()
        signed = _is_signed(found, text, now=now)
        lost = self.loses > 0 and self.answers == 204
        answered = None if lost else self.answers
        self.kept.append(Hook(at=now, id=found.get("webhook-id", ""), signed=signed, text=text, answered=answered))
        if lost:
            self.loses -= 1
            came.close_connection = True
            return
        came.send_response(self.answers)
        came.send_header("content-length", "0")
        came.end_headers()


def _is_signed(found: dict[str, str], text: str, *, now: datetime) -> bool:
    """Say whether a call bears the signature that Standard Webhooks asks for, made within five minutes."""
    at = found.get("webhook-timestamp", "0")
    signed = f"{found.get('webhook-id', '')}.{at}.{text}".encode()
    wanted = b64encode(hmac.new(b64decode(SECRET), signed, hashlib.sha256).digest()).decode()
    fresh = abs(now.timestamp() - int(at)) <= timedelta(minutes=5).total_seconds()
    return fresh and f"v1,{wanted}" in found.get("webhook-signature", "").split()
