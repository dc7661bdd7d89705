"""The servers of a desk as `manage.py up` starts them, durable as they are there, without web and worker."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]


@dataclass(slots=True)
class Servers:
    """What runs, by name; the broker can be killed and started anew, empty."""

    start: Callable[[Any], Any]
    running: dict[str, Any] = field(default_factory=dict)

    def kill_the_broker(self) -> None:
        """It is gone in the middle of whatever it did."""
        self.running["valkey"].process.kill()
        self.running["valkey"].process.wait()

    def start_the_broker(self) -> None:
        """Another one is there, without a message."""
        from escalation.running import valkey

        self.running["valkey"] = self.start(valkey.command())
        assert valkey.wait_until_ready(going=lambda: self.running["valkey"].ended() is None)


@contextmanager
def open_servers(*, options: dict[str, str] | None = None) -> Iterator[Servers]:
    """PostgreSQL with the schema, and the broker, in a data folder of their own; this process is connected as the app.

    `options` are PostgreSQL's own, for a run that needs others.
    """
    folder = Path(tempfile.mkdtemp(prefix="unresolved-benchmark-"))
    os.environ |= {"UNRESOLVED_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "escalation.settings"}
    from escalation.env import run_folder  # it reads what was just set
    from escalation.running import child, postgres, roles
    from escalation.running import folder as data

    data.prepare()
    home = postgres.prepare()
    servers = Servers(start=partial(child.start, run_folder=run_folder(), log_folder=folder / "log"))
    servers.running = {"postgres": servers.start(postgres.command(home, options=options))}
    try:
        superuser = postgres.superuser_conninfo(home)
        going = servers.running["postgres"].ended
        assert postgres.wait_until_ready(superuser, going=lambda: going() is None, within=60)
        servers.start_the_broker()
        roles.prepare_own(superuser)
        migrate = [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity=0"]
        subprocess.run(migrate, cwd=ROOT, check=True, env={**os.environ, "UNRESOLVED_ROLE": "owner"})
        import django

        django.setup()
        yield servers
    finally:
        for one in reversed(servers.running.values()):
            child.stop(one, run_folder=run_folder())
        records = (folder / "postgres").resolve()
        if records.parent != folder:  # root's PostgreSQL keeps them elsewhere (docs/install.md, As root)
            shutil.rmtree(records.parent, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
