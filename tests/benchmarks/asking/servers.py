"""The servers of a desk as `manage.py up` starts them, durable as they are there, without web and worker."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]


@contextmanager
def open_servers() -> Iterator[None]:
    """PostgreSQL with the schema, and the broker, in a data folder of their own; this process is connected as the app."""
    folder = Path(tempfile.mkdtemp(prefix="unresolved-benchmark-"))
    os.environ |= {"UNRESOLVED_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "escalation.settings"}
    from escalation.env import run_folder  # it reads what was just set
    from escalation.running import child, postgres, roles, valkey
    from escalation.running import folder as data

    data.prepare()
    home = postgres.prepare()
    started = [
        child.start(command, run_folder=run_folder(), log_folder=folder / "log")
        for command in (postgres.command(home), valkey.command())
    ]
    try:
        superuser = postgres.superuser_conninfo(home)
        going = all(one.ended() is None for one in started)
        assert postgres.wait_until_ready(superuser, going=lambda: going, within=60)
        assert valkey.wait_until_ready(going=lambda: going)
        roles.prepare_own(superuser)
        migrate = [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity=0"]
        subprocess.run(migrate, cwd=ROOT, check=True, env={**os.environ, "UNRESOLVED_ROLE": "owner"})
        import django

        django.setup()
        yield
    finally:
        for one in reversed(started):
            child.stop(one, run_folder=run_folder())
        records = (folder / "postgres").resolve()
        if records.parent != folder:  # root's PostgreSQL keeps them elsewhere (docs/install.md, As root)
            shutil.rmtree(records.parent, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
