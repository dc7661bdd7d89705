"""What an address and a target may say."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operations.channels.base import Network
from operations.channels.guard import Refused, below, check_literal, place

DESK = place("https://desk.example/v1")

REFUSED_ADDRESSES = [
    "",
    "desk.example",
    "//desk.example",
    "https:/desk.example",
    "https:desk.example",
    "https://",
    "https:///path",
    "https://:443",
    "ftp://desk.example",
    "file:///etc/passwd",
    "gopher://desk.example",
    "unix:///run/x.sock",
    "https://user@desk.example",
    "https://user:password@desk.example",
    "https://desk.example@169.254.169.254",
    "https://desk.example#@169.254.169.254",
    "https://desk.example?x=1",
    "https://desk.example/#a",
    "https://desk.example\\@169.254.169.254",
    "https://desk.example/a\\..\\b",
    " https://desk.example",
    "https://desk.example ",
    "https://desk.exa\tmple",
    "https://desk.example\r\nX: y",
    "https://desk.example\x00",
    "https://desk\u200b.example",
    "https://desk\u00a0.example",
    "https://desk.example:0",
    "https://desk.example:65536",
    "https://desk.example:",
    "https://desk.example:https",
    "https://desk.example:443:443",
    "https://desk..example",
    "https://.desk.example",
    "https://-desk.example",
    "https://desk.example..",
    "https://" + "a" * 64 + ".example",
    "https://" + ".".join(["a" * 60] * 5),
    "https://desk.example/" + "a" * 500,
    "https://desk%2eexample",
    "https://127.0.0.1%00.desk.example",
    "https://[::1",
    "https://::1",
    "https://[::1%25eth0]",
    "https://[fe80::1%eth0]",
    "https://[::1]x",
    "https://[v1.a]",
    "https://[desk.example]",
    "https://desk.example/../x",
    "https://desk.example/%2e%2e/x",
    "https://desk.example/a%",
    "https://desk.example/é",
    "https://desk.ex\uff0fample",  # a full-width slash
    "https://desk.ex\u2100ample",  # maps to a/c
]

REFUSED_TARGETS = [
    "receipts",
    "https://other.example/x",
    "//other.example/x",
    "@other.example",
    ".evil.example",
    ":8080/x",
    "/a\\b",
    "\\\\other.example",
    "/a b",
    "/a\tb",
    "/a\r\nHost: other.example",
    "/a#b",
    "/é",
    "/a\x00",
    "/..",
    "/../v2",
    "/a/../../v2",
    "/./a",
    "/a/.",
    "/%2e%2e/v2",
    "/%2E./v2",
    "/%252e%252e/v2",
    "/%25252e%25252e/v2",
    "/..;/admin",
    "/..;x=y/admin",
    "/a%2fb",
    "/a%2Fb",
    "/a%252fb",
    "/a%5cb",
    "/a%5c..%5cb",
    "/a%0d%0aX:%20y",
    "/a%00",
    "/a%",
    "/a%zz",
    "/a?b=%",
    "/" + "a" * 8000,
]


@pytest.mark.parametrize("address", REFUSED_ADDRESSES)
def test_an_address_that_could_be_read_in_two_ways_is_refused(address: str) -> None:
    with pytest.raises(Refused):
        place(address)


@pytest.mark.parametrize("target", REFUSED_TARGETS)
def test_a_target_that_could_lead_elsewhere_is_refused(target: str) -> None:
    with pytest.raises(Refused):
        below(DESK, target=target)


@given(st.text(max_size=40))
def test_whatever_is_not_refused_stays_below_the_address(target: str) -> None:
    try:
        url = below(DESK, target=target)
    except Refused:
        return
    assert url == "https://desk.example/v1" + target
    assert not any(char.isspace() for char in url)


SPELLINGS: dict[str, Callable[[IPv4Address], str]] = {
    "as it is": lambda address: str(address),
    "one number": lambda address: str(int(address)),
    "one hexadecimal number": lambda address: hex(int(address)),
    "one octal number": lambda address: f"0{int(address):o}",
    "two parts": lambda address: f"{int(address) >> 24}.{int(address) & 0xFFFFFF}",
    "three parts": lambda address: f"{int(address) >> 24}.{int(address) >> 16 & 0xFF}.{int(address) & 0xFFFF}",
    "octal parts": lambda address: ".".join(f"0{part:o}" for part in address.packed),
    "hexadecimal parts": lambda address: ".".join(hex(part) for part in address.packed),
    "capital hexadecimal parts": lambda address: ".".join(hex(part).upper() for part in address.packed),
    "zeros in front": lambda address: ".".join(f"{part:04d}" for part in address.packed),
    "a trailing dot": lambda address: f"{address}.",
    "full-width digits": lambda address: "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in str(address)),
    "ideographic dots": lambda address: str(address).replace(".", "\u3002"),
    "percent-encoded": lambda address: "".join(f"%{ord(char):02x}" for char in str(address)),
    "mapped": lambda address: f"[::ffff:{address}]",
    "mapped in hexadecimal": lambda address: f"[::ffff:{int(address) >> 16:x}:{int(address) & 0xFFFF:x}]",
    "mapped in full": lambda address: f"[0000:0000:0000:0000:0000:FFFF:{address}]",
    "compatible": lambda address: f"[::{address}]",
    "translated": lambda address: f"[::ffff:0:{address}]",
    "NAT64": lambda address: f"[64:ff9b::{address}]",
    "local NAT64": lambda address: f"[64:ff9b:1::{address}]",
    "6to4": lambda address: f"[2002:{int(address) >> 16:x}:{int(address) & 0xFFFF:x}::]",
    "Teredo": lambda address: f"[2001::{address}]",
    "ISATAP": lambda address: f"[2a00:1450::5efe:{address}]",
    "with a zone": lambda address: f"[::ffff:{address}%25lo]",
    "with a port": lambda address: f"{address}:8443",
    "with user info": lambda address: f"desk.example@{address}",
}
FORBIDDEN = st.sampled_from(
    ["10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "0.0.0.0/8"]
).flatmap(lambda network: st.ip_addresses(network=network))


def reached(address: str, *, networks: tuple[Network, ...] = ()) -> str:
    where = place(address)
    check_literal(where, networks=networks)
    return where.host


@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(max_examples=30)
@given(FORBIDDEN | st.just(IPv4Address("169.254.169.254")))
def test_no_spelling_of_a_forbidden_address_gets_by(spelling: str, address: IPv4Address) -> None:
    with pytest.raises(Refused):
        reached(f"https://{SPELLINGS[spelling](address)}/")


@given(FORBIDDEN, st.sampled_from(sorted(SPELLINGS)))
def test_a_spelling_that_is_read_at_all_is_read_as_the_address_it_stands_for(
    address: IPv4Address, spelling: str
) -> None:
    try:
        host = reached(f"https://{SPELLINGS[spelling](address)}/", networks=(ip_network(f"{address}/32"),))
    except Refused:
        return
    assert host in (str(address), f"::ffff:{int(address) >> 16:x}:{int(address) & 0xFFFF:x}") or host.startswith(
        "64:ff9b::"
    )


IPV6_SPELLINGS: dict[str, Callable[[IPv6Address], str]] = {
    "short": str,
    "in full": lambda address: address.exploded,
    "in capitals": lambda address: address.exploded.upper(),
    "without leading zeros": lambda address: ":".join(f"{int(group, 16):x}" for group in address.exploded.split(":")),
    "ending in four numbers": lambda address: (
        ":".join(address.exploded.split(":")[:6]) + ":" + str(IPv4Address(int(address) & 0xFFFFFFFF))
    ),
}
FORBIDDEN_IPV6 = st.sampled_from(
    ["::1/128", "::/128", "fc00::/7", "fe80::/10", "ff00::/8", "2001:db8::/32", "2002::/16", "fd00:ec2::254/128"]
).flatmap(lambda network: st.ip_addresses(network=network))


@pytest.mark.parametrize("spelling", IPV6_SPELLINGS)
@settings(max_examples=30)
@given(FORBIDDEN_IPV6)
def test_no_spelling_of_a_forbidden_ipv6_address_gets_by(spelling: str, address: IPv6Address) -> None:
    with pytest.raises(Refused, match=r"is not on the public internet|metadata"):
        reached(f"https://[{IPV6_SPELLINGS[spelling](address)}]/")


@pytest.mark.parametrize("address", ["http://8.8.8.8", "http://desk.example"])
def test_http_without_tls_is_refused_without_an_allow_listed_network(address: str) -> None:
    with pytest.raises(Refused):
        reached(address)


def test_http_without_tls_is_refused_beside_the_allow_listed_network() -> None:
    with pytest.raises(Refused):
        reached("http://10.1.3.1", networks=(ip_network("10.1.2.0/24"),))


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://desk.example", "https://desk.example"),
        ("HTTPS://Desk.Example.:443/", "https://desk.example"),
        ("https://desk.example:8443/v1/", "https://desk.example:8443"),
        ("http://desk.example:80", "http://desk.example"),
        ("https://desk.example:80", "https://desk.example:80"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://a_b.example", "https://a_b.example"),
        ("https://8.8.8.8", "https://8.8.8.8"),
        ("https://[2606:4700:0:0::1111]", "https://[2606:4700::1111]"),
    ],
)
def test_an_address_has_one_spelling(address: str, origin: str) -> None:
    assert place(address).origin == origin


@pytest.mark.parametrize(
    ("address", "target", "url"),
    [
        ("https://desk.example", "", "https://desk.example/"),
        ("https://desk.example", "?a=b", "https://desk.example/?a=b"),
        ("https://desk.example/v1/", "/x", "https://desk.example/v1/x"),
        ("https://desk.example/v1", "", "https://desk.example/v1"),
        ("https://desk.example/v1", "/a/...?at=../..//%2f", "https://desk.example/v1/a/...?at=../..//%2f"),
        ("https://desk.example/v1", "/100%25", "https://desk.example/v1/100%25"),
        ("https://desk.example/v1", "/a:b@c;d=e,f'(g)*!$&+", "https://desk.example/v1/a:b@c;d=e,f'(g)*!$&+"),
    ],
)
def test_a_target_is_joined_below_the_address(address: str, target: str, url: str) -> None:
    assert below(place(address), target=target) == url
