"""The settings under which the product reaches a collection desk of a test: its address, its network, its credential."""

from typing import Any

from tests.recipients.fixtures import CollectionDesk

CREDENTIAL = "UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN"


def settings_for(*recipients: str, at: str) -> dict[str, str]:
    """Return the environment in which these recipients may be asked at one address."""
    return {
        "UNRESOLVED_ALLOWED_NETWORKS": " ".join([f"{key}=127.0.0.0/8" for key in recipients]),
        CREDENTIAL: "credential-of-one",
        f"{CREDENTIAL}_FOR": at,
    }


def reach(desk: CollectionDesk, *, environ: Any, recipient: str = "collection-desk") -> None:
    """Let `recipient`, whose row is there, be asked at `desk`; `environ` is pytest's monkeypatch."""
    from operations.models import Recipient  # after the settings, which Django's modules read

    for name, value in settings_for(recipient, at=desk.url).items():
        environ.setenv(name, value)
    Recipient.objects.filter(key=recipient).update(address=desk.url)
