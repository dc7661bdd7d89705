"""The server over stdio, for one agent with the key of this process, and over streamable HTTP, for each caller with its own.

Over HTTP this process has no key: whoever calls brings one, and the desk judges it at every call. It keeps nothing
between two calls, so that no session can be taken over.
"""

import asyncio
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import mcp_types as types
import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from unresolved.desk import Desk
from unresolved.mcp import tools
from unresolved.mcp.reporting import Reporter

PATH: Final = "/mcp"
MOST_BYTES: Final = 4 * 1024 * 1024  # as much as the desk takes

ReporterOf = Callable[[ServerRequestContext[Any]], Reporter]
DeskOf = Callable[..., Desk]


def server_of(reporter_of: ReporterOf) -> Server[Any]:
    """Return a server whose calls speak to the desk as `reporter_of` says."""

    async def listed(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return tools.listed()

    async def called(of: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        does = partial(tools.answered, reporter_of(of), asked.name, arguments=asked.arguments)
        return await asyncio.to_thread(does)

    return Server("unresolved", instructions=tools.ABOUT, on_list_tools=listed, on_call_tool=called)


async def over_stdio(desk: Desk) -> None:
    """Serve whoever started this process, with its key, until its input ends."""
    server = server_of(lambda _: Reporter(desk=desk))
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def over_http(desk_of: DeskOf, bound: socket.socket, *, names: Sequence[str]) -> None:
    """Serve on a socket that is bound; `names` are the hosts (with a port, as in `Host`) that it may be called by."""
    config = uvicorn.Config(
        app_of(desk_of, names=names), log_level="warning", access_log=False, lifespan="on", server_header=False
    )
    sys.stderr.write(f"listening on http://{names[0]}{PATH}\n")
    sys.stderr.flush()
    await uvicorn.Server(config).serve(sockets=[bound])


def app_of(desk_of: DeskOf, *, names: Sequence[str]) -> ASGIApp:
    """Return the application: for each caller the desk with its `key`; by these names, from no other site's pages."""
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=list(names), allowed_origins=origins
    )
    server = server_of(lambda of: Reporter(desk=desk_of(key=_key_of(of.request))))
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MOST_BYTES,
        transport_security=security,
    )
    return _WithKey(app)


def key_of(headers: Headers) -> str:
    """Return the bearer key that came with a request, empty where none did."""
    kind, _, key = headers.get("authorization", "").partition(" ")
    key = key.strip()
    return key if kind.lower() == "bearer" and key.isascii() and key.isprintable() else ""


def _key_of(request: Request | None) -> str:
    return "" if request is None else key_of(request.headers)


class _WithKey:
    """Lets nobody in without a key; whether it is a good one the desk says."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not key_of(Headers(scope=scope)):
            refused = {"error": "no_key", "says": "Send a key of the desk: Authorization: Bearer unr_<id>.<secret>."}
            answer = JSONResponse(refused, status_code=401, headers={"WWW-Authenticate": "Bearer"})
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)
