"""Calls over kept connections, as cheap as Python makes them: the machine belongs to the servers."""

import json
import socket
import time
from collections.abc import Sequence
from threading import Thread
from typing import Any

CONNECTIONS = 8


def post(path: str, body: bytes, *, key: str) -> bytes:
    """One call as it goes over the wire."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _answer(connection: socket.socket) -> tuple[int, bytes]:
    """Return status and body of one answer, which states its length."""
    came = b""
    while b"\r\n\r\n" not in came:
        came += connection.recv(65_536)
    head, _, body = came.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
    while len(body) < length:
        body += connection.recv(1 << 20)
    return int(lines[0].split()[1]), body


def answered(calls: Sequence[bytes], *, port: int, connections: int = CONNECTIONS) -> tuple[float, list[Any]]:
    """Send all calls, each connection the next of its share when the last was answered; seconds, and the bodies.

    Raises RuntimeError with the first answer that is neither 200 nor 201.
    """
    bodies: list[Any] = [None] * len(calls)
    opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]

    def share(number: int) -> None:
        connection = opened[number]
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for place in range(number, len(calls), connections):
            connection.sendall(calls[place])
            bodies[place] = _answer(connection)

    threads = [Thread(target=share, args=(number,)) for number in range(connections)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.perf_counter() - started
    for connection in opened:
        connection.close()
    refused = next((found for found in bodies if found is None or found[0] not in (200, 201)), (200, b""))
    if refused is None or refused[0] not in (200, 201):
        raise RuntimeError(f"refused: {refused}")
    return passed, [json.loads(body) for _, body in bodies]
