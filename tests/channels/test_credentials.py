"""Which secret goes where, and which private networks are open to whom."""

import base64
from ipaddress import ip_network
from pathlib import Path

import pytest

from operations.channels.credentials import NetworksUnreadable, NoCredential, credential, networks

SECRET = "invented-0123456789"  # noqa: S105 - as the name says
NAME = "COLLECTION_DESK_TOKEN"
VALUE, FILE, FOR = (f"UNRESOLVED_CREDENTIAL_{NAME}{end}" for end in ("", "_FILE", "_FOR"))
SET_UP = {VALUE: SECRET, FOR: "https://desk.example"}


def value_of(
    environ: dict[str, str], *, name: str = NAME, address: str = "https://desk.example/v1", form="bearer"
) -> str:
    return credential(name, address=address, header="Authorization", form=form, environ=environ).value


@pytest.mark.parametrize(
    "address",
    [
        "https://other.example",
        "https://desk.example.evil.example",
        "https://desk.example:8443",
        "http://desk.example",
        "https://sub.desk.example",
        "https://desk.example@evil.example",
        "https://evil.example/https://desk.example",
        "",
    ],
)
def test_a_secret_goes_to_no_other_origin(address: str) -> None:
    with pytest.raises(NoCredential) as refused:
        value_of(SET_UP, address=address)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({}, FOR),
        ({VALUE: SECRET}, FOR),
        ({VALUE: SECRET, FOR: ""}, FOR),
        ({VALUE: SECRET, FOR: "desk.example"}, FOR),
        ({VALUE: SECRET, FOR: "*"}, FOR),
        ({VALUE: SECRET, FOR: "https://desk.example/v1"}, FOR),
        ({FOR: "https://desk.example"}, VALUE),
        ({VALUE: "", FOR: "https://desk.example"}, VALUE),
        ({VALUE: "short", FOR: "https://desk.example"}, VALUE),
        ({VALUE: SECRET, FILE: "/a/file", FOR: "https://desk.example"}, FILE),
        ({FILE: "/nowhere/at/all", FOR: "https://desk.example"}, FILE),
        ({VALUE: f"{SECRET}\r\nX-A: b", FOR: "https://desk.example"}, VALUE),
        ({VALUE: f"{SECRET}é", FOR: "https://desk.example"}, VALUE),
    ],
)
def test_a_credential_that_is_not_set_up_is_told_by_its_setting(environ: dict[str, str], says: str) -> None:
    with pytest.raises(NoCredential) as refused:
        value_of(environ)
    assert says in str(refused.value)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("name", ["", "lower", "A-B", "A_FOR", "A_FILE", "9A", "A B", "../A", "A" * 129])
def test_a_name_that_could_mean_another_setting_is_refused(name: str) -> None:
    with pytest.raises(NoCredential):
        value_of(
            {f"UNRESOLVED_CREDENTIAL_{name}": SECRET, f"UNRESOLVED_CREDENTIAL_{name}_FOR": "https://desk.example"},
            name=name,
        )


@pytest.mark.parametrize("header", ["", "Host", "Content-Length", "X A", "X-A: b\r\nX-C", "X-HTTP-Method-Override"])
def test_a_header_that_can_not_carry_a_credential_is_refused(header: str) -> None:
    with pytest.raises(NoCredential) as refused:
        credential(NAME, address="https://desk.example", header=header, form="raw", environ=SET_UP)
    assert SECRET not in str(refused.value)


def test_a_basic_credential_without_a_colon_is_refused() -> None:
    with pytest.raises(NoCredential) as refused:
        value_of(SET_UP, form="basic")
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("held", "says"), [(b"\xff\xfe secret of bytes", "can't be read as text"), (b"a" * 20_000, "is longer than")]
)
def test_a_file_that_holds_no_secret_is_refused(tmp_path: Path, held: bytes, says: str) -> None:
    path = tmp_path / "token"
    path.write_bytes(held)
    with pytest.raises(NoCredential, match=says):
        value_of({FILE: str(path), FOR: "https://desk.example"})


@pytest.mark.parametrize(
    ("form", "value"),
    [("bearer", f"Bearer {SECRET}"), ("token", f"token {SECRET}"), ("raw", SECRET)],
)
def test_a_secret_takes_the_form_that_is_asked_for(form, value: str) -> None:
    assert value_of(SET_UP, form=form) == value


def test_a_basic_credential_is_encoded() -> None:
    value = value_of(SET_UP | {VALUE: f"user:{SECRET}"}, form="basic")
    assert base64.b64decode(value.removeprefix("Basic ")) == f"user:{SECRET}".encode()


def test_a_secret_is_read_from_its_file_without_the_line_end(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(f"{SECRET}\n")
    assert value_of({FILE: str(path), FOR: "https://desk.example"}) == f"Bearer {SECRET}"


@pytest.mark.parametrize("origin", ["https://desk.example", "HTTPS://Desk.Example:443/", "https://desk.example."])
def test_an_origin_is_compared_as_it_is_reached(origin: str) -> None:
    assert value_of(SET_UP | {FOR: origin}) == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    "entry",
    [
        "desk",
        "desk=",
        "=10.0.0.0/8",
        "desk=10.1.2.3/24",
        "desk=ten",
        "desk=10.0.0.0/99",
        "de sk=10.0.0.0/8",
        "*=10.0.0.0/8",
        "desk=0.0.0.0/0",
        "desk=::/0",
        "desk=10.0.0.0/7",
        "desk=10.0.0.0/8,192.168.0.0/16",
        "desk==10.0.0.0/8",
        "desk=2130706433",
    ],
)
def test_an_entry_that_can_not_be_read_opens_nothing_for_anyone(entry: str) -> None:
    with pytest.raises(NetworksUnreadable) as refused:
        networks("other", environ={"UNRESOLVED_ALLOWED_NETWORKS": f"other=10.1.0.0/16 {entry}"})
    assert entry.split()[0] in str(refused.value)


@pytest.mark.parametrize(
    "environ", [{}, {"UNRESOLVED_ALLOWED_NETWORKS": ""}, {"UNRESOLVED_ALLOWED_NETWORKS": "a=10.0.0.0/8"}]
)
def test_without_an_entry_of_its_own_a_recipient_has_no_private_network(environ: dict[str, str]) -> None:
    assert networks("desk", environ=environ) == ()


def test_a_recipient_has_the_networks_of_its_entries() -> None:
    environ = {"UNRESOLVED_ALLOWED_NETWORKS": "desk=127.0.0.0/8 other=10.1.2.0/24 desk=fd00::/8  desk=10.0.0.7"}
    assert networks("desk", environ=environ) == (
        ip_network("127.0.0.0/8"),
        ip_network("fd00::/8"),
        ip_network("10.0.0.7/32"),
    )
