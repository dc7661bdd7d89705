"""What may be connected to and asked for: a place below a recipient's own address, in one spelling, and nothing else.

An address is written by an operator and a target by whoever writes contracts or sends requests; neither is believed.
What reads in more than one way is refused rather than interpreted: whoever connects might read it the other way.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import unquote_to_bytes

import idna

from operations.channels.base import Network
from operations.channels.ranges import why_not

PORTS: Final = {"https": 443, "http": 80}
LONGEST_ADDRESS: Final = 500
LONGEST_TARGET: Final = 8_000

_ADDRESS: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<place>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)", re.DOTALL
)
_BRACKETED: Final = re.compile(r"\[(?P<host>[0-9A-Fa-f:.]+)\](?::(?P<port>[0-9]{1,5}))?")
_NAMED: Final = re.compile(r"(?P<host>[^\[\]:@%]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_TARGET: Final = re.compile(r"[\x21\x22\x24-\x5b\x5d-\x7e]*")  # printable ASCII without space, # and backslash


class Refused(ValueError):
    """Nothing leaves: the message is a sentence that says what is wrong with the address, the target or a header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A recipient's address in its one spelling. `host` is a lower-case ASCII name, or an IP address without brackets."""

    scheme: str
    host: str
    port: int
    prefix: str

    @property
    def origin(self) -> str:
        """Scheme, host and port as RFC 6454 section 6.2 writes them: a scheme's own port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")


@lru_cache(maxsize=4096)
def place(address: str) -> Place:
    """Read a recipient's address: http or https, a host, perhaps a port and a path. Raises Refused."""
    if not 0 < len(address) <= LONGEST_ADDRESS:
        raise Refused(f"An address has 1 to {LONGEST_ADDRESS} characters; this one has {len(address)}.")
    if any(char == "\\" or char.isspace() or unicodedata.category(char)[0] == "C" for char in address):
        raise Refused("The address holds a space, a backslash or a character that isn't shown.")
    parts = _ADDRESS.fullmatch(address)
    if parts is None or parts["scheme"].lower() not in PORTS:
        raise Refused("An address begins with https:// (or http://, in an allow-listed network).")
    if parts["rest"]:
        raise Refused("An address has no query and no fragment; they belong to what is asked.")
    host, port = _host_and_port(parts["place"])
    scheme = parts["scheme"].lower()
    prefix = parts["path"].rstrip("/")
    _check_path(prefix)
    return Place(scheme=scheme, host=host, port=PORTS[scheme] if port is None else port, prefix=prefix)


def below(where: Place, *, target: str) -> str:
    """The URL of a target below a recipient's address: never another host, never above the address's path.

    `target` begins with `/` or `?`, or is empty (the address itself). Raises Refused.
    """
    if len(target) > LONGEST_TARGET:
        raise Refused(f"The target is longer than {LONGEST_TARGET} characters.")
    if not _TARGET.fullmatch(target):
        raise Refused("The target holds a space, a backslash, a # or a character outside of ASCII.")
    if target and target[0] not in "/?":
        raise Refused("The target begins with / or with ?.")
    if target.startswith("//"):
        raise Refused("The target begins with //, which names another host.")
    path, question_mark, query = target.partition("?")
    _check_path(path)
    if _STRAY_PERCENT.search(query):
        raise Refused("The target's query holds a % that no two hexadecimal digits follow.")
    return where.origin + ((where.prefix + path) or "/") + question_mark + query


def check_literal(where: Place, *, networks: tuple[Network, ...]) -> None:
    """Raise Refused for a host that is an address which may not be connected to; a name is judged when it is resolved."""
    sentence = _literal_refusal(where, networks)
    if sentence is not None:
        raise Refused(sentence)


@lru_cache(maxsize=4096)
def _literal_refusal(where: Place, networks: tuple[Network, ...]) -> str | None:
    try:
        address = ip_address(where.host)
    except ValueError:
        if where.scheme == "http" and not networks:
            return "http without TLS is for allow-listed networks, and this recipient has none."
        return None
    reason = why_not(address, networks=networks, only_networks=where.scheme == "http")
    return None if reason is None else f"{where.host} {reason}."


def _host_and_port(text: str) -> tuple[str, int | None]:
    if "@" in text:
        raise Refused("An address holds no user name or password; credentials are settings.")
    parts = _BRACKETED.fullmatch(text) or _NAMED.fullmatch(text)
    if parts is None:
        raise Refused("The address has no host that can be read: a name or an IP address, then perhaps a port.")
    port = None if parts["port"] is None else int(parts["port"])
    if port is not None and not 0 < port < 65_536:
        raise Refused("The address's port isn't between 1 and 65535.")
    return (_ipv6(parts["host"]) if text.startswith("[") else _name_or_ipv4(parts["host"])), port


def _ipv6(text: str) -> str:
    try:
        return str(IPv6Address(text))
    except ValueError:
        raise Refused("What stands in brackets isn't an IPv6 address.") from None


def _name_or_ipv4(text: str) -> str:
    """One spelling of a host. What ends in a number is an IPv4 address to a resolver (127.1, 0x7f000001, 2130706433)."""
    host = _ascii(text).removesuffix(".")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise Refused("The host is a number; write the IP address as four decimal numbers.") from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise Refused("The host isn't a name that can be resolved.")
    return host


def _ascii(text: str) -> str:
    """The name as the resolver is asked for it (RFC 5891, mapped by UTS 46): full-width digits become digits here."""
    if text.isascii():
        return text.lower()
    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode("ascii").lower()
    except idna.IDNAError:
        raise Refused("The host isn't a name that can be resolved.") from None


def _check_path(path: str) -> None:
    """Refuse a path that somebody could read as another one, however often they decode it."""
    if not _TARGET.fullmatch(path):
        raise Refused("A path holds a character that has to be percent-encoded.")
    if _STRAY_PERCENT.search(path):
        raise Refused("A path holds a % that no two hexadecimal digits follow.")
    raw = path.encode("ascii")
    while True:
        if any(segment.partition(b";")[0] in (b".", b"..") for segment in raw.split(b"/")):
            raise Refused("A path holds a segment of dots (. or ..), which leads out of the recipient's address.")
        decoded = unquote_to_bytes(raw)
        if decoded == raw:
            return
        if decoded.count(b"/") > raw.count(b"/") or re.search(rb"[\x00-\x1f\x7f\\]", decoded):
            raise Refused("A path holds an encoded slash, backslash or control character.")
        raw = decoded
