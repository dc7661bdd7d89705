"""`python -m unresolved mcp --desk URL`: the server over stdio, or with `--http HOST:PORT` over streamable HTTP."""

import argparse
import asyncio
import ipaddress
import socket
import sys
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from unresolved.desk import Desk
from unresolved.mcp.serving import over_http, over_stdio

_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")


def run(asked: argparse.Namespace, key: str | None) -> int:
    """Serve until the input ends or somebody ends it; returns the exit status."""
    try:
        if asked.http is not None:
            asyncio.run(_http(asked))
            return 0
    except (OSError, ValueError) as error:
        return _wrong(str(error))
    except KeyboardInterrupt:
        return 0
    if key is None:
        return _wrong("set UNRESOLVED_KEY or UNRESOLVED_KEY_FILE, to a key of scope agent")
    asyncio.run(over_stdio(Desk(url=asked.desk, key=key, patience=asked.patience)))
    return 0


async def _http(asked: argparse.Namespace) -> None:
    host, port = _address(asked.http)
    if not _is_loopback(host) and not asked.allow_host:
        raise ValueError("name the hosts that it may be called by with --allow-host, or listen on 127.0.0.1")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as bound:
        port = bound.getsockname()[1]
        own = [f"{name}:{port}" for name in dict.fromkeys([_written(host), *_LOOPBACK])] if _is_loopback(host) else []
        desk_of = partial(Desk, url=asked.desk, patience=asked.patience)
        await over_http(desk_of, bound, names=[*own, *asked.allow_host])


def _address(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.port is None:
        raise ValueError("--http takes HOST:PORT")
    return parts.hostname, parts.port


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _wrong(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 2
