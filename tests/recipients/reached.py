"""The settings under which the product reaches collection desks: network, credential, and the origin that it is for."""

import base64
import secrets
from collections.abc import Mapping
from typing import Any, Final

from tests.recipients.opened import CollectionDesk

CREDENTIAL: Final = "UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN"
# The recipient's key to the name that its contract gives the credential.
CREDENTIALS: Final = {
    "collection-desk": CREDENTIAL,
    "collection-desk-closing": CREDENTIAL,
    "collection-desk-without-keys": "UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WITHOUT_KEYS_TOKEN",
}
LISTENS_BY: Final = "UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WEBHOOK_SECRET"


def settings_for(addresses: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which these recipients (key to address) may be asked on this machine."""
    found = {"UNRESOLVED_ALLOWED_NETWORKS": " ".join([f"{key}=127.0.0.0/8" for key in addresses])}
    for key, address in addresses.items():
        name = CREDENTIALS[key]
        found |= {name: "credential-of-one", f"{name}_FOR": address, f"{name}_SCOPE": "account one"}
    return found


def settings_to_listen(recipient: str = "collection-desk") -> dict[str, str]:
    """Return the environment in which this recipient's events are believed: a secret of this run."""
    secret = base64.b64encode(secrets.token_bytes(24)).decode()
    return {LISTENS_BY: f"whsec_{secret}", f"{LISTENS_BY}_FROM": recipient}


def reach(desk: CollectionDesk, *, environ: Any, recipient: str = "collection-desk") -> None:
    """Let `recipient`, whose row is there, be asked at `desk`; `environ` is pytest's monkeypatch."""
    from operations.models import Recipient  # after the settings, which Django's modules read

    for name, value in settings_for({recipient: desk.url}).items():
        environ.setenv(name, value)
    Recipient.objects.filter(key=recipient).update(address=desk.url)
