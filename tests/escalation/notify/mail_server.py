"""A real SMTP server on loopback that keeps what it is given."""

from asyncio.base_events import Server as Listening
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as Kept


class Server(Kept):
    """Keeps what it was given; says what it is told to say."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Any] = []
        self.readers: list[list[str]] = []
        self.to_address = self.to_message = ""

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _: Any) -> str:  # noqa: N802
        if self.to_address:
            return self.to_address
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.to_message:
            return self.to_message
        self.readers.append(list(envelope.rcpt_tos))
        return str(await super().handle_DATA(server, session, envelope))

    def prepare_message(self, _session: Any, envelope: Any) -> Any:
        return message_from_bytes(envelope.content, policy=policy.default)

    def handle_message(self, message: Any) -> None:
        self.kept.append(message)


class OnAnyPort(Controller):
    """Asks its own socket which port it was given, before it is tried."""

    def _trigger_server(self) -> None:
        assert isinstance(self.server, Listening)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def smtp(handler: Server) -> Iterator[int]:
    controller = OnAnyPort(handler, hostname="127.0.0.1", port=0)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def at(settings: Any, port: int) -> None:
    settings.MAIL_IS_SENT = True
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
