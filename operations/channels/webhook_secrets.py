"""The secrets that prove a recipient's messages come from the environment, by reference; each is one recipient's only.

For a contract that names `COLLECTION_DESK_WEBHOOK_SECRET` there are

    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WEBHOOK_SECRET            the secret, or ..._FILE, the file that holds it
    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WEBHOOK_SECRET_NEXT       another that proves as well while secrets change
    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WEBHOOK_SECRET_PREVIOUS   likewise; each of the two may be a _FILE, too
    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WEBHOOK_SECRET_FROM       the key of the recipient whose messages it proves

The last is required: who may edit a contract must not be able to have one recipient speak for another.
"""

import re
from typing import Final

from operations.channels.credentials import PREFIX, Environ, NoCredential, secret_text
from operations.channels.received import SHORTEST_SECRET
from operations.channels.webhook import Scheme, Secret, SecretUnusable, check_secret

ROTATED: Final = ("", "_NEXT", "_PREVIOUS")

_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,127}")
_TAKEN: Final = ("_FOR", "_FROM", "_FILE", "_NEXT", "_PREVIOUS")


def secrets_of(name: str, *, recipient: str, scheme: Scheme, environ: Environ) -> tuple[Secret, ...]:
    """The secrets of that name that prove messages of this recipient (its key), at least one. Raises NoCredential."""
    if not _NAME.fullmatch(name) or name.endswith(_TAKEN):
        raise NoCredential(
            f"A secret's name has capital letters, digits and _, and doesn't end in {', '.join(_TAKEN)}."
        )
    _check_recipient(name, recipient=recipient, environ=environ)
    others = [name + end for end in ROTATED[1:] if _is_set(name + end, environ)]
    return tuple([_secret(one, scheme=scheme, environ=environ) for one in (name, *others)])


def _check_recipient(name: str, *, recipient: str, environ: Environ) -> None:
    setting = f"{PREFIX}{name}_FROM"
    wanted = environ.get(setting, "").strip()
    if not wanted:
        raise NoCredential(f"{setting} isn't set: it names the recipient whose messages the secret proves.")
    if wanted != recipient:
        raise NoCredential(f"{PREFIX}{name} proves messages of {wanted} only, not of {recipient}.")


def _is_set(name: str, environ: Environ) -> bool:
    return any(environ.get(f"{PREFIX}{name}{end}") for end in ("", "_FILE"))


def _secret(name: str, *, scheme: Scheme, environ: Environ) -> Secret:
    found = Secret(name=f"{PREFIX}{name}", value=secret_text(name, environ=environ))
    if len(found.value) < SHORTEST_SECRET:
        raise NoCredential(f"The secret in {found.name} is shorter than {SHORTEST_SECRET} characters.")
    try:
        check_secret(found, scheme=scheme)
    except SecretUnusable as error:
        raise NoCredential(str(error)) from None
    return Secret(name=name, value=found.value)
