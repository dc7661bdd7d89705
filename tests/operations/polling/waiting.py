"""Operations whose outcome is open, at a recipient that can be asked."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from operations import models
from operations.binding import binding_of
from operations.contracts.loading import library_text
from operations.core.facts import Sends
from operations.core.representation import Representation
from operations.recording import Intent, Origin, Registered, register_many
from tests.operations.rows import BY
from tests.recipients.reached import CREDENTIAL

PACING = "pacing: {min_interval: 5, longest_wait: 300, per_second: 50, at_once: 8, source: in_use}"


def text(*, per_second: float = 10_000, at_once: int = 100, min_interval: float = 5) -> str:
    """The collection desk's contract with another pacing."""
    stated = library_text("collection-desk")
    assert PACING in stated
    paced = f"min_interval: {min_interval}, longest_wait: {max(300, min_interval)}, per_second: {per_second}, at_once: {at_once}"
    return stated.replace(PACING, f"pacing: {{{paced}, source: in_use}}")


def settings_at(*addresses: str) -> dict[str, str]:
    """The environment in which recipients called desk, desk-2, ... may be asked at addresses of this machine."""
    keys = ["desk", *[f"desk-{number}" for number in range(2, 10)]]
    return {
        "UNRESOLVED_ALLOWED_NETWORKS": " ".join([f"{key}=127.0.0.0/8" for key in keys]),
        CREDENTIAL: "credential-of-one",
        f"{CREDENTIAL}_FOR": addresses[0],
    }


def recipient(at: str, *, key: str = "desk", environ: Any = None, **paced: Any) -> models.Contract:
    """A recipient at an address, with its contract in force; `environ` is pytest's monkeypatch."""
    now = datetime.now(UTC)
    row = models.Recipient.objects.create(key=key, name=f"Desk {key}", address=at, created_at=now)
    if environ is not None:
        for name, value in settings_at(at).items():
            environ.setenv(name, value)
    return models.Contract.objects.create(
        recipient=row, version=1, document=text(**paced), digest="0" * 64, created_at=now, published_at=now
    )


def request(number: int) -> Representation:
    """The request for one ticket for parcel number so and so."""
    key = f"order-{number}"
    return Representation(
        method="POST",
        target="/desks/East/tickets",
        headers=(("idempotency-key", key), ("content-type", "application/json")),
        body=f'{{"parcel": "parcel-{number}"}}'.encode(),
        arguments=f'{{"parcel": "parcel-{number}", "place": "East"}}'.encode(),
        scope="desk/main",
        identity=key,
    )


def waiting(
    contract: models.Contract,
    numbers: Iterable[int],
    *,
    begun_at: datetime | None = None,
    deadline: datetime | None = None,
) -> list[UUID]:
    """Operations that were sent a minute ago without a reply, so that they are due."""
    now = datetime.now(UTC)
    begun_at = begun_at or now - timedelta(minutes=1)
    intent = Intent(attempt="a1", sends=Sends.ONE, scope="desk/main", begun_at=begun_at)
    wanted = [(binding_of(contract, request(number), origin=Origin(), deadline=deadline), intent) for number in numbers]
    found = register_many(wanted, now=begun_at, by=BY)
    assert all(isinstance(one, Registered) for one in found)
    return [one.operation_id for one in found if isinstance(one, Registered)]
