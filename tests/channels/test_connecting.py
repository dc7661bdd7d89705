"""What is connected to is what was checked."""

import asyncio
import socket
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import aiohttp
import pytest

from operations.channels.base import Failed
from operations.channels.connecting import connector
from operations.channels.http import open_client
from tests.channels.certificates import certificate
from tests.channels.recipients import LOOPBACK, PATIENT, asked_with, ok, recipient, resolving, run, said

# One loopback address stands for the one that may be connected to, another for all that may not.
ALLOWED, FORBIDDEN = "127.0.0.2", "127.0.0.1"
ONLY_ALLOWED = (ip_network(f"{ALLOWED}/32"),)


def test_a_name_that_moves_to_a_forbidden_address_is_not_followed_there() -> None:
    """DNS rebinding: the first answer passes, the next is where an attacker wants the request."""

    async def going():
        resolve, names = resolving([ALLOWED], [FORBIDDEN])
        async with recipient(said(ok()), host=FORBIDDEN) as there:
            address = f"http://rebinding.example:{there.port}"
            answers = []
            for _ in range(2):  # a client each, so that neither connection nor name is remembered
                async with open_client(limits=PATIENT, resolve=resolve) as client:
                    answers.append(await asked_with(client, address, networks=ONLY_ALLOWED))
            return answers, names, there

    answers, names, there = run(going())
    assert there.connections == 0
    assert [answer.failed for answer in answers] == [Failed.NOT_CONNECTED, Failed.REFUSED_HERE]
    assert names == ["rebinding.example"] * 2  # once a connection: what is checked is what is connected


def test_a_name_with_a_forbidden_address_among_others_is_refused_whole() -> None:
    async def going():
        resolve, _ = resolving([ALLOWED, FORBIDDEN])
        async with recipient(said(ok()), host=ALLOWED) as there:
            async with open_client(limits=PATIENT, resolve=resolve) as client:
                answer = await asked_with(client, f"http://mixed.example:{there.port}", networks=ONLY_ALLOWED)
            return answer, there

    answer, there = run(going())
    assert (answer.failed, there.connections) == (Failed.REFUSED_HERE, 0)
    assert answer.detail.startswith(f"mixed.example is at {FORBIDDEN}, which is not in an allow-listed network")


@pytest.mark.parametrize("found", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "fe80::1"])
def test_a_public_name_at_a_private_address_is_refused(found: str) -> None:
    async def going():
        resolve, _ = resolving([found])
        async with open_client(limits=PATIENT, resolve=resolve) as client:
            return await asked_with(client, "https://desk.example", networks=())

    assert run(going()).failed == Failed.REFUSED_HERE


def test_a_connection_is_not_reused_by_a_recipient_that_may_not_connect_there() -> None:
    async def going():
        resolve, _ = resolving([ALLOWED])
        async with (
            recipient(said(ok()), host=ALLOWED) as there,
            open_client(limits=PATIENT, resolve=resolve) as client,
        ):
            address = f"http://desk.example:{there.port}"
            may = await asked_with(client, address, networks=ONLY_ALLOWED)
            may_not = await asked_with(client, address, networks=(ip_network("10.0.0.0/8"),))
            return may, may_not, there.requests

    may, may_not, requests = run(going())
    assert (may.status, may_not.failed, len(requests)) == (200, Failed.REFUSED_HERE, 1)


def test_the_socket_refuses_what_a_resolver_let_by() -> None:
    """The last check stands on its own, whoever resolved the name."""

    class Lying(aiohttp.abc.AbstractResolver):
        async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC):
            about = {"hostname": host, "port": port, "family": family or socket.AF_INET, "proto": 0, "flags": 0}
            return [about | {"host": found} for found in (FORBIDDEN, "127.0.0.3")]

        async def close(self) -> None:
            pass

    async def going():
        async with recipient(said(ok()), host=FORBIDDEN) as there:
            checked = connector(resolving([])[0], networks=ONLY_ALLOWED, only_networks=True, tls=None)
            checked._resolver = Lying()
            async with aiohttp.ClientSession(connector=checked) as session:
                with pytest.raises(aiohttp.ClientConnectorError):
                    await session.get(f"http://lying.example:{there.port}")
            return there.connections

    assert run(going()) == 0


@pytest.mark.parametrize(
    "address", ["http://desk.example", "https://127.0.0.1", "http://10.0.0.1", "https://2130706433"]
)
def test_what_the_address_alone_forbids_asks_no_name_server(address: str) -> None:
    async def going():
        resolve, names = resolving(["127.0.0.1"])
        async with open_client(limits=PATIENT, resolve=resolve) as client:
            answer = await asked_with(client, address, networks=())
            return answer, names, client.sessions

    answer, names, sessions = run(going())
    assert (answer.failed, names, sessions) == (Failed.REFUSED_HERE, [], {})


def test_a_name_that_is_not_known_is_told() -> None:
    async def going():
        async def unknown(host: str, port: int):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        async with open_client(limits=PATIENT, resolve=unknown) as client:
            return await asked_with(client, "https://desk.example")

    assert run(going()).failed == Failed.NO_NAME


def test_a_name_without_an_address_is_told() -> None:
    async def going():
        async with open_client(limits=PATIENT, resolve=resolving([])[0]) as client:
            return await asked_with(client, "https://desk.example")

    assert run(going()).failed == Failed.NO_NAME


def test_a_name_server_that_never_answers_ends_at_the_connect_limit() -> None:
    async def going():
        async def stalled(host: str, port: int):
            await asyncio.sleep(3600)

        async with open_client(limits=PATIENT, resolve=stalled) as client:
            return await asked_with(client, "https://desk.example", limits=replace(PATIENT, connect_within=0.2))

    assert run(going()).failed == Failed.NOT_CONNECTED


def test_a_port_nobody_listens_on_is_told() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound and not listening: nobody else takes it meanwhile

        async def going():
            async with open_client(limits=PATIENT) as client:
                return await asked_with(client, f"http://127.0.0.1:{held.getsockname()[1]}")

        assert run(going()).failed == Failed.NOT_CONNECTED


def test_the_machines_own_resolver_is_checked_too() -> None:
    async def going():
        async with recipient(said(ok())) as there, open_client(limits=PATIENT) as client:
            refused = await asked_with(client, f"https://localhost:{there.port}", networks=())
            return refused, there

    refused, there = run(going())
    assert (refused.failed, there.connections) == (Failed.REFUSED_HERE, 0)


def over_tls(folder: Path, *, names=("desk.example",), trusted=True, host="desk.example", **made):
    async def going():
        tls = certificate(folder, names=names, **made)
        resolve, _ = resolving(["127.0.0.1"])
        async with (
            recipient(said(ok()), tls=tls.server) as there,
            open_client(limits=PATIENT, resolve=resolve, tls=tls.client if trusted else None) as client,
        ):
            return await asked_with(client, f"https://{host}:{there.port}"), there

    return run(going())


def test_a_certificate_for_another_name_is_refused_before_anything_is_said(tmp_path: Path) -> None:
    answer, there = over_tls(tmp_path, names=("other.example",))
    assert (answer.failed, there.requests) == (Failed.TLS, [])
    assert "desk.example" in answer.detail


def test_a_certificate_of_an_unknown_authority_is_refused(tmp_path: Path) -> None:
    answer, there = over_tls(tmp_path, trusted=False)
    assert (answer.failed, there.requests) == (Failed.TLS, [])


def test_a_certificate_that_ran_out_is_refused(tmp_path: Path) -> None:
    answer, there = over_tls(tmp_path, valid_for=timedelta(days=-1))
    assert (answer.failed, there.requests) == (Failed.TLS, [])


def test_a_certificate_for_the_name_does_not_do_for_the_address(tmp_path: Path) -> None:
    answer, _ = over_tls(tmp_path, host="127.0.0.1")
    assert answer.failed == Failed.TLS


def test_a_server_that_speaks_no_tls_is_told() -> None:
    async def going():
        async def garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(10)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(garbage, "127.0.0.1", 0)
        async with server, open_client(limits=PATIENT) as client:
            return await asked_with(client, f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")

    assert run(going()).failed == Failed.TLS


def test_a_certificate_for_the_name_is_accepted(tmp_path: Path) -> None:
    answer, there = over_tls(tmp_path)
    assert (answer.status, len(there.requests)) == (200, 1)


PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def going():
        async with (
            recipient(said(ok(b"by the proxy"))) as proxy,
            recipient(said(ok(b"itself"))) as there,
        ):
            for name in PROXIES:
                monkeypatch.setenv(name, proxy.address)
            monkeypatch.delenv("NO_PROXY", raising=False)
            monkeypatch.delenv("no_proxy", raising=False)
            async with open_client(limits=PATIENT) as client:
                return await asked_with(client, there.address), proxy.connections

    answer, through_proxy = run(going())
    assert (answer.body, through_proxy) == (b"itself", 0)


def test_credentials_in_a_netrc_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login invented password invented\n")
    monkeypatch.setenv("NETRC", str(netrc))

    async def going():
        async with recipient(said(ok())) as there, open_client(limits=PATIENT) as client:
            await asked_with(client, there.address)
            return there.requests

    assert b"authorization" not in run(going())[0].lower()


def test_a_name_is_reached_where_it_may_be() -> None:
    async def going():
        resolve, names = resolving([FORBIDDEN])
        async with recipient(said(ok())) as there, open_client(limits=PATIENT, resolve=resolve) as client:
            address = f"http://Desk.Example.:{there.port}"
            answer = await asked_with(client, address, networks=LOOPBACK)
            return answer, names, there

    answer, names, there = run(going())
    assert (answer.status, names) == (200, ["desk.example"])
    assert b"Host: desk.example:%d\r\n" % there.port in there.requests[0]
