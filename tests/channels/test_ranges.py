"""Which addresses may be connected to."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.channels.ranges import METADATA, NOT_PUBLIC, plain, why_not

FORBIDDEN = [
    ("0.0.0.0", "unspecified"),  # noqa: S104 - refused, not bound
    ("0.1.2.3", "this host"),
    ("10.0.0.1", "private"),
    ("100.64.0.1", "a provider's own"),
    ("100.127.255.255", "a provider's own, its last"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback, all of it"),
    ("169.254.1.1", "link-local"),
    ("172.16.0.1", "private, its first"),
    ("172.31.255.255", "private, its last"),
    ("192.0.0.8", "reserved for protocols"),
    ("192.0.2.1", "documentation"),
    ("192.88.99.1", "6to4 relays"),
    ("192.168.1.1", "private"),
    ("198.18.0.1", "benchmarking"),
    ("198.19.255.255", "benchmarking, its last"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.255", "multicast, its last"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "broadcast"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::127.0.0.1", "IPv4-compatible, deprecated"),
    ("::ffff:10.0.0.1", "IPv6-mapped private"),
    ("::ffff:0:127.0.0.1", "IPv4-translated"),
    ("64:ff9b::7f00:1", "NAT64 of loopback"),
    ("64:ff9b::a9fe:a9fe", "NAT64 of metadata"),
    ("64:ff9b:1::808:808", "local-use NAT64"),
    ("100::1", "discard-only"),
    ("2001::1", "Teredo"),
    ("2001:0:7f00:1::", "Teredo through loopback"),
    ("2001:2::1", "benchmarking"),
    ("2001:20::1", "ORCHIDv2"),
    ("2001:db8::1", "documentation"),
    ("2002:7f00:1::", "6to4 of loopback"),
    ("2002:808:808::1", "6to4 of a public address"),
    ("2a00:1450::5efe:7f00:1", "ISATAP of loopback"),
    ("2a00:1450::200:5efe:a9fe:a9fe", "ISATAP of metadata"),
    ("3fff::1", "documentation"),
    ("5f00::1", "segment routing"),
    ("4000::1", "not assigned"),
    ("fc00::1", "private"),
    ("fdff::1", "private, its last"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local with a zone"),
    ("fec0::1", "site-local, deprecated"),
    ("ff02::1", "multicast"),
]
PUBLIC = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize(("text", "what"), FORBIDDEN)
def test_what_is_not_the_public_internet_is_refused(text: str, what: str) -> None:
    assert why_not(ip_address(text), networks=()) is not None


@pytest.mark.parametrize("address", sorted(METADATA, key=str), ids=str)
def test_a_metadata_service_is_refused_in_an_allow_listed_network(address: IPv4Address | IPv6Address) -> None:
    around = ip_network(f"{address}/{address.max_prefixlen - 8}", strict=False)
    assert why_not(address, networks=(around,)) == "is a cloud's metadata service"


def test_a_metadata_service_is_refused_as_an_ipv6_mapped_address() -> None:
    assert why_not(ip_address("::ffff:169.254.169.254"), networks=(ip_network("169.254.0.0/16"),)) is not None


@pytest.mark.parametrize("text", PUBLIC)
def test_plain_http_is_refused_outside_of_allow_listed_networks(text: str) -> None:
    assert why_not(ip_address(text), networks=(ip_network("10.0.0.0/8"),), only_networks=True) is not None


@given(st.ip_addresses())
def test_whatever_the_standard_library_calls_not_global_is_refused(address: IPv4Address | IPv6Address) -> None:
    if not plain(address).is_global or plain(address).is_multicast:
        assert why_not(address, networks=()) is not None


@given(st.sampled_from([network for network, _ in NOT_PUBLIC]).flatmap(lambda net: st.ip_addresses(network=net)))
def test_every_address_of_a_forbidden_range_is_refused(address: IPv4Address | IPv6Address) -> None:
    assert why_not(address, networks=()) is not None


@pytest.mark.parametrize("text", PUBLIC)
def test_the_public_internet_is_reached(text: str) -> None:
    assert why_not(ip_address(text), networks=()) is None


def test_an_allow_listed_network_opens_its_own_addresses_and_no_others() -> None:
    networks = (ip_network("10.1.2.0/24"),)
    assert why_not(ip_address("10.1.2.3"), networks=networks) is None
    assert why_not(ip_address("::ffff:10.1.2.3"), networks=networks, only_networks=True) is None
    assert why_not(ip_address("10.1.3.3"), networks=networks) is not None


def test_a_metadata_address_is_opened_by_being_named_itself() -> None:
    assert why_not(ip_address("169.254.170.2"), networks=(ip_network("169.254.170.2/32"),)) is None
