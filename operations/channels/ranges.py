"""Which addresses the desk connects to: the public internet, and what a recipient's allow-listed networks contain."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, TypeAlias

from operations.channels.base import Network

Address: TypeAlias = IPv4Address | IPv6Address

# IANA's registries of special-purpose addresses (RFC 6890), whole blocks: a few addresses in them are reachable, and
# none of those is a recipient. IPv6 is the other way round: global unicast (2000::/3) and nothing else.
NOT_PUBLIC: Final[tuple[tuple[Network, str], ...]] = tuple(
    (ip_network(network), what)
    for network, what in (
        ("0.0.0.0/8", "this host"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "a provider's own (RFC 6598)"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "reserved for protocols"),
        ("192.52.193.0/24", "reserved for protocols"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "reserved for protocols"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("ff00::/8", "multicast"),
        ("2001::/32", "a Teredo tunnel"),
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "a 6to4 tunnel"),
        ("2620:4f:8000::/48", "reserved for protocols"),
        ("3fff::/20", "documentation"),
    )
)
GLOBAL_UNICAST: Final = ip_network("2000::/3")

# Where clouds hand out a machine's credentials. One of them (168.63.129.16) looks public, and some lie in networks that
# are allow-listed for other reasons, so a network opens them only by being that one address.
METADATA: Final = frozenset(
    ip_address(text)
    for text in (
        "168.63.129.16",
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "fe80::a9fe:a9fe",
    )
)

NAT64: Final = ip_network("64:ff9b::/96")
ISATAP: Final = frozenset((0x0000_5EFE, 0x0200_5EFE))


def plain(address: Address) -> Address:
    """The address that is reached: the IPv4 one that an IPv6-mapped (RFC 4291) or NAT64 (RFC 6052) address stands for."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return IPv6Address(int(address))  # without a zone: it names an interface here, never another machine


def why_not(address: Address, *, networks: Iterable[Network], only_networks: bool = False) -> str | None:
    """Why the address may not be connected to, as the end of a sentence ("... is loopback"); None if it may.

    `only_networks`: nothing but the allow-listed networks will do (plain http).
    """
    reached = plain(address)
    listed = [network for network in networks if reached in network]
    if reached in METADATA:
        return None if any(network.num_addresses == 1 for network in listed) else "is a cloud's metadata service"
    if listed:
        return None
    if only_networks:
        return "is not in an allow-listed network, and only there is http without TLS allowed"
    kind = _kind(reached)
    return None if kind is None else f"is not on the public internet ({kind}) and not in an allow-listed network"


def _kind(address: Address) -> str | None:
    for network, what in NOT_PUBLIC:
        if address in network:
            return what
    if isinstance(address, IPv4Address):
        return None
    if address not in GLOBAL_UNICAST:
        return "not global unicast"
    return _isatap(address)


def _isatap(address: IPv6Address) -> str | None:
    """An ISATAP address (RFC 5214) ends in the IPv4 address that its tunnel leads to."""
    if (int(address) >> 32) & 0xFFFF_FFFF not in ISATAP:
        return None
    inner = IPv4Address(int(address) & 0xFFFF_FFFF)
    return "a tunnel" if inner in METADATA or _kind(inner) else None
