"""The settings under which the product reaches collection desks: network, credential, and the origin that it is for."""

from collections.abc import Mapping
from typing import Any, Final

from tests.recipients.fixtures import CollectionDesk

CREDENTIAL: Final = "UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN"
# The recipient's key to the name that its contract gives the credential.
CREDENTIALS: Final = {
    "collection-desk": CREDENTIAL,
    "collection-desk-without-keys": "UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WITHOUT_KEYS_TOKEN",
}


def settings_for(addresses: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which these recipients (key to address) may be asked on this machine."""
    found = {"UNRESOLVED_ALLOWED_NETWORKS": " ".join([f"{key}=127.0.0.0/8" for key in addresses])}
    for key, address in addresses.items():
        name = CREDENTIALS[key]
        found |= {name: "credential-of-one", f"{name}_FOR": address, f"{name}_SCOPE": "account one"}
    return found


def reach(desk: CollectionDesk, *, environ: Any, recipient: str = "collection-desk") -> None:
    """Let `recipient`, whose row is there, be asked at `desk`; `environ` is pytest's monkeypatch."""
    from operations.models import Recipient  # after the settings, which Django's modules read

    for name, value in settings_for({recipient: desk.url}).items():
        environ.setenv(name, value)
    Recipient.objects.filter(key=recipient).update(address=desk.url)
