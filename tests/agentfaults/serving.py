"""The desk as a process of its own: the real application on real PostgreSQL behind a socket, killed and begun anew."""

import gc
import logging
import os
import signal
import socket
from wsgiref.simple_server import WSGIServer

from django.core.servers.basehttp import WSGIRequestHandler

from escalation.wsgi import application
from tests.faults.acts.agents import call, register_in_a_batch
from tests.faults.process import leave_the_parents_connection
from tests.faults.stage import Stage, visitor


class _Quiet(WSGIRequestHandler):
    disable_nagle_algorithm = True  # its head and its body are two writes, and nobody is to wait between them

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its own name
        """Say nothing."""


class DeskProcess:
    """One desk after the other on one port; nobody listens there while none is up."""

    def __init__(self) -> None:
        self.pid = 0
        self.port = 0
        self.begin()

    def begin(self) -> None:
        """A desk is there; if none was."""
        if self.is_up:
            return
        listener = socket.create_server(("127.0.0.1", self.port), backlog=32)
        self.port = listener.getsockname()[1]
        self.pid = os.fork()
        if self.pid == 0:
            _serve(listener)
        listener.close()

    @property
    def is_up(self) -> bool:
        """Whether it lives; one that was killed by somebody else is noticed here."""
        if self.pid and os.waitpid(self.pid, os.WNOHANG)[0] == self.pid:
            self.pid = 0
        return self.pid != 0

    def kill(self) -> None:
        """It is gone in the middle of whatever it did; if it was there."""
        if self.is_up:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0


def warm(stage: Stage) -> None:
    """What a desk's process has read after its first minutes is read before it is forked: addresses, programs, the door."""
    case = register_in_a_batch(stage)
    assert case.do().good
    said = {"recipient": case.intended.recipient, "identity": case.intended.key}
    assert call(stage, "/batch", {"items": [{"kind": "seal", **said}]}).good
    assert [*case.wrong()] == []
    headers = {"Authorization": f"Bearer {stage.keys['program']}"}
    for path in ("", "/grant"):
        visitor().get(f"/api/v1/operations/{case.intended.operation}{path}", headers=headers)
    call(stage, f"/operations/{case.intended.operation}/result", {"call": "", "run": ""})
    gc.collect()
    gc.freeze()  # what is there by now is every fork's, and stays


def _serve(listener: socket.socket) -> None:
    """Answer one call after the other, on one connection to the database, until it is killed."""
    try:
        logging.disable(logging.CRITICAL)
        gc.disable()
        leave_the_parents_connection()
        server = WSGIServer(("127.0.0.1", 0), _Quiet, bind_and_activate=False)
        server.socket.close()
        server.socket = listener
        server.server_address = listener.getsockname()
        server.server_name, server.server_port = "localhost", server.server_address[1]
        server.setup_environ()
        server.set_app(application)
        server.serve_forever(poll_interval=60.0)
    finally:
        os._exit(1)
