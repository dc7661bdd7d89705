"""From nothing to an open desk, in order; and back to nothing, in the opposite order."""

import http.client
import json
import secrets
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from escalation.env import broker_is_given, data_folder, database_is_given, environment, run_folder
from escalation.running import child, folder, postgres, roles, valkey
from escalation.running.refused import CannotStart, Stopped
from escalation.running.supervisor import Supervisor, python_command, signals_to

# The order in which what a killed desk left is ended: whoever uses a server before the server.
NAMES = (
    "demonstration",
    "agents-key",
    "publish",
    "web",
    "beat",
    "worker",
    "dispatch",
    "administrator",
    "migrate",
    valkey.NAME,
    postgres.NAME,
)
WEB_WITHIN = 60.0  # seconds until the web must answer
WORKER_WITHIN = 30.0  # seconds that a task may take to end at a stop
THREADS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the web listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The address that a browser on this machine opens."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - not bound here
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def public_url(self) -> str:
        """The address that people are told."""
        return environment.str("UNRESOLVED_URL", default="").rstrip("/") or self.url


def nothing_more(_desk: Supervisor, _address: Address) -> None:
    """An open desk needs nothing more."""


def run(
    address: Address, *, say: Callable[[str], None], opened: Callable[[Supervisor, Address], None] = nothing_more
) -> None:
    """The desk is open at `address` until somebody asks it to stop; then nothing of it runs. `opened` is called once.

    Raises `CannotStart` with one sentence that says what to do; nothing of it runs then either.
    """
    desk = Supervisor(say=say)
    with signals_to(desk.asked_to_stop), folder.held(folder=data_folder()):
        try:
            _open(desk, address)
            opened(desk, address)
            desk.watch()
        except Stopped:
            pass
        finally:
            desk.stop()
    say("Stopped.")


def _open(desk: Supervisor, address: Address) -> None:
    _clear(desk)
    _refuse_busy(address)
    _start_database(desk)
    _start_broker(desk)
    desk.run_once(python_command("migrate", "manage.py", "migrate", "--noinput", role="owner", within=60.0))
    _start_processes(desk, address)
    link = desk.run_once(
        python_command("administrator", "manage.py", "sign_in_link", "--first", f"--at={address.public_url}")
    )
    desk.say(f"Unresolved is open at {address.public_url} (Ctrl-C stops it).")
    if link:
        desk.say(link)


def _clear(desk: Supervisor) -> None:
    folder.prepare()
    for name in NAMES:
        how = signal.SIGINT if name == postgres.NAME else signal.SIGTERM
        if child.end_left_behind(name, run_folder=run_folder(), stop_signal=how, within=WORKER_WITHIN):
            desk.say(f"Ended {name}, which an earlier desk had left behind.")


def _refuse_busy(address: Address) -> None:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CannotStart(
                f"The desk can't listen on {address.host}, port {address.port} ({reason.lower()}): stop what listens"
                " there, or choose another with --port."
            ) from error


def _start_database(desk: Supervisor) -> None:
    if database_is_given():
        roles.prepare_given()
        return
    home = postgres.prepare()
    if postgres.end_left_behind(home):
        desk.say("Ended PostgreSQL, which an earlier desk had left behind.")
    desk.keep(postgres.command(home))
    superuser = postgres.superuser_conninfo(home)
    desk.must(postgres.wait_until_ready(superuser, going=desk.going), name=postgres.NAME)
    roles.prepare_own(superuser)


def _start_broker(desk: Supervisor) -> None:
    if not broker_is_given():
        desk.keep(valkey.command())
        desk.must(valkey.wait_until_ready(going=desk.going), name=valkey.NAME)
    elif not valkey.answers():
        raise CannotStart("The server of REDIS_URL does not answer: mend the address or start the server.")


def _start_processes(desk: Supervisor, address: Address) -> None:
    celery = ("-m", "celery", "--app", "escalation.celery")
    worker = ("worker", "--loglevel=INFO", "--without-gossip", "--without-mingle")
    desk.keep(python_command("worker", *celery, *worker, "--concurrency=2", "--queues=celery", within=WORKER_WITHIN))
    # What is sent never waits for a recipient that is slow to be asked: its window may be about to end.
    alone = ("--concurrency=1", "--queues=dispatch", "--hostname=dispatch@%h")
    desk.keep(python_command("dispatch", *celery, *worker, *alone, within=WORKER_WITHIN))
    desk.keep(python_command("beat", *celery, "beat", f"--schedule={run_folder() / 'beat'}", "--pidfile="))
    instance = secrets.token_hex(8)
    listen = (f"--host={address.host}", f"--port={address.port}", f"--blocking-threads={THREADS}", "--workers=1")
    granian = ("-m", "granian", "--interface=wsgi", "--no-ws", "--respawn-failed-workers", *listen)
    env = {"UNRESOLVED_INSTANCE": instance, "DATABASE_POOL_SIZE": str(THREADS)}
    desk.keep(python_command("web", *granian, "escalation.wsgi:application", more=env))
    desk.must(_web_answers(address, instance=instance, going=desk.going), name="web")


def _web_answers(address: Address, *, instance: str, going: Callable[[], bool]) -> bool:
    """True once our own web answers: another program on the same port has another instance id, or none."""
    last = time.monotonic() + WEB_WITHIN
    while going() and time.monotonic() < last:
        if _instance_at(address) == instance:
            return True
        time.sleep(0.1)
    return False


def _instance_at(address: Address) -> str | None:
    host = address.url.removeprefix("http://").rpartition(":")[0].strip("[]")
    connection = http.client.HTTPConnection(host, address.port, timeout=2)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        answer = json.loads(connection.getresponse().read())
        return str(answer["instance"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()
