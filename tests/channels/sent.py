"""One request, sent to recipients on loopback that behave as a test has them, each on a connection of its own."""

import asyncio
import socket
import struct
from datetime import UTC, datetime
from typing import Any

from operations.channels.base import Credential, Reach
from operations.channels.sending import Limits, Sent, send
from operations.channels.wire import Request, written
from tests.channels.recipients import LOOPBACK, Behave, recipient, said
from tests.channels.recipients import Recipient as Seen

BODY = b'{"parcel":  "Cedar"}'  # two spaces: it is nobody's to tidy up
REQUEST = Request(
    method="POST",
    target="/desks/East/tickets?a=%2f",
    headers=(("idempotency-key", "order-1"), ("Content-Type", "application/json")),
    body=BODY,
)
SECRET = Credential(header="Authorization", value="Bearer credential-of-one")
PATIENT = Limits(connect_within=30, write_within=30, answer_within=30, most_bytes=4096)
MOST = 64 * 1024 * 1024


def now() -> datetime:
    return datetime.now(UTC)


def never_late() -> str | None:
    return None


def sent_to(there: Seen, request: Request = REQUEST, **more: Any) -> Sent:
    reach = more.pop("reach", Reach(address=there.address, networks=LOOPBACK, credential=SECRET))
    values: dict[str, Any] = {"clock": now, "too_late": never_late, "limits": PATIENT, **more}
    return send(written(request, reach=reach), reach=reach, **values)


def exchange(
    behave: Behave | bytes,
    request: Request = REQUEST,
    **more: Any,
) -> tuple[Sent, Seen]:
    """Send to a recipient that behaves so, once."""
    behaviour = said(behave, then_close=True) if isinstance(behave, bytes) else behave

    async def going() -> tuple[Sent, Seen]:
        async with recipient(behaviour) as there:
            found = await asyncio.to_thread(sent_to, there, request, **more)
            await asyncio.sleep(0.05)  # whatever would be sent again has the time to come
            return found, there

    return asyncio.run(going())


async def reads_and_closes(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.close()


def tear(writer: asyncio.StreamWriter) -> None:
    """End a connection with a reset."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def reads_and_resets(request: bytes, writer: asyncio.StreamWriter) -> None:
    tear(writer)


async def reads_and_waits(request: bytes, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)
