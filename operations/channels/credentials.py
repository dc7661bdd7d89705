"""A recipient's secrets and private networks come from the environment, by reference; a secret goes to one origin only.

For a contract that names `COLLECTION_DESK_TOKEN` there are

    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN       the secret, or
    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN_FILE  the file that holds it
    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN_FOR   the origin it may be sent to, as https://desk.example
    UNRESOLVED_CREDENTIAL_COLLECTION_DESK_TOKEN_SCOPE the scope that operations name which went out with it, if the
                                                      desk may send with it, too

The origin is required: people who may edit a contract or an address must not be able to have the secret sent elsewhere.
"""

import base64
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Final, Literal, TypeAlias

from operations.channels.base import Credential, Network
from operations.channels.guard import Refused, place
from operations.channels.outgoing import check_credential_header, check_header
from operations.channels.received import SHORTEST_SECRET

Environ: TypeAlias = Mapping[str, str]
# bearer: `Bearer X` (RFC 6750). basic: X is `user:password` (RFC 7617). token: `token X`. raw: X is the header's value.
Form: TypeAlias = Literal["bearer", "basic", "token", "raw"]

PREFIX: Final = "UNRESOLVED_CREDENTIAL_"
NETWORKS: Final = "UNRESOLVED_ALLOWED_NETWORKS"
TAKEN: Final = ("_FOR", "_FILE", "_SCOPE")
LONGEST_FILE: Final = 16 * 1024
WIDEST: Final = 8

_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,127}")
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class NoCredential(LookupError):
    """The credential can't be used as it is set up: the message is a sentence that names the setting, never the value."""


class NetworksUnreadable(ValueError):
    """UNRESOLVED_ALLOWED_NETWORKS can't be read: the message names the entry. Nothing is allowed until it is mended."""


def credential(name: str, *, address: str, header: str, form: Form, environ: Environ) -> Credential:
    """The credential of that name as the header that carries it to the recipient at `address`. Raises NoCredential."""
    if not _NAME.fullmatch(name) or name.endswith(TAKEN):
        raise NoCredential(
            f"A credential's name has capital letters, digits and _, and doesn't end in {', '.join(TAKEN)}."
        )
    _check_origin(name, address=address, environ=environ)
    secret = secret_text(name, environ=environ)
    if len(secret) < SHORTEST_SECRET:
        raise NoCredential(f"The secret in {PREFIX}{name} is shorter than {SHORTEST_SECRET} characters.")
    value = _formed(secret, form=form, name=name)
    try:
        check_credential_header(header)
        check_header(header, value)
    except Refused:
        raise NoCredential(
            f"The secret in {PREFIX}{name} or the header for it holds a character that neither may."
        ) from None
    return Credential(header=header, value=value)


def scope_of(name: str, *, environ: Environ) -> str:
    """The scope (account, credential, region) that sending with this credential is in. Raises NoCredential.

    Whoever runs the desk says it: only they know that the credential is of the account that an agent calls by that name.
    """
    found = environ.get(f"{PREFIX}{name}_SCOPE", "")
    if not found:
        raise NoCredential(f"{PREFIX}{name}_SCOPE isn't set: it names the scope that this desk sends in with it.")
    return found


def networks(recipient_key: str, *, environ: Environ) -> tuple[Network, ...]:
    """The private networks that may be connected to for this recipient; without an entry, none.

    The setting reads `collection-desk=127.0.0.0/8 other=10.1.2.0/24`; a recipient may have several entries. An entry
    that can't be read makes all of them unusable, whoever asks: a setting is read as a whole. Raises NetworksUnreadable.
    """
    entries = [_entry(text) for text in environ.get(NETWORKS, "").split()]
    return tuple(network for key, network in entries if key == recipient_key)


def _entry(text: str) -> tuple[str, Network]:
    key, equals, written = text.partition("=")
    if not equals or not _KEY.fullmatch(key):
        raise NetworksUnreadable(f'{NETWORKS} has "{text}"; an entry reads recipient=network, as desk=10.1.2.0/24.')
    return key, network_of(written, setting=NETWORKS, entry=text)


def network_of(written: str, *, setting: str, entry: str) -> Network:
    """The network that is written in an entry of a setting. Raises NetworksUnreadable."""
    try:
        network = ip_network(written)
    except ValueError:
        raise NetworksUnreadable(f'{setting} has "{entry}"; "{written}" isn\'t a network, as 10.1.2.0/24.') from None
    if network.prefixlen < WIDEST:
        raise NetworksUnreadable(f'{setting} has "{entry}"; a network may not be wider than /{WIDEST}.')
    return network


def _check_origin(name: str, *, address: str, environ: Environ) -> None:
    setting = f"{PREFIX}{name}_FOR"
    written = environ.get(setting, "").strip()
    if not written:
        raise NoCredential(f"{setting} isn't set: it names the origin that the credential may be sent to.")
    try:
        wanted = place(written)
    except Refused as refused:
        raise NoCredential(f"{setting} isn't an origin. {refused}") from None
    if wanted.prefix:
        raise NoCredential(f"{setting} isn't an origin: it has a path.")
    try:
        reached = place(address)
    except Refused as refused:
        raise NoCredential(f"The recipient's address can't be read. {refused}") from None
    if reached.origin != wanted.origin:
        raise NoCredential(
            f"{PREFIX}{name} may be sent to {wanted.origin} only, and the recipient is at {reached.origin}."
        )


def secret_text(name: str, *, environ: Environ, prefix: str = PREFIX) -> str:
    """The secret that a setting or its file holds, without the space around it. Raises NoCredential."""
    setting, file_setting = prefix + name, f"{prefix}{name}_FILE"
    value, path = environ.get(setting, ""), environ.get(file_setting, "")
    if value and path:
        raise NoCredential(f"Both {setting} and {file_setting} are set; one of them is stale.")
    if not value and not path:
        raise NoCredential(f"Neither {setting} nor {file_setting} is set.")
    return value.strip() if value else _from_file(path, setting=file_setting)


def _from_file(path: str, *, setting: str) -> str:
    try:
        with Path(path).open("rb") as file:
            held = file.read(LONGEST_FILE + 1)
        if len(held) <= LONGEST_FILE:
            return held.decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise NoCredential(f"The file that {setting} names can't be read as text.") from None
    raise NoCredential(f"The file that {setting} names is longer than {LONGEST_FILE} bytes.")


def _formed(secret: str, *, form: Form, name: str) -> str:
    if form == "raw":
        return secret
    if form != "basic":
        return f"{'Bearer' if form == 'bearer' else 'token'} {secret}"
    if ":" not in secret:
        raise NoCredential(f"The secret in {PREFIX}{name} isn't user:password.")
    return "Basic " + base64.b64encode(secret.encode()).decode("ascii")
