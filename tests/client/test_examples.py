"""The examples run as they stand there, each step a process of its own, at a real desk and a real recipient."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from operations import models
from tests.client import doors
from tests.client.examples import EXAMPLES
from tests.client.settled import settled


@pytest.mark.django_db(transaction=True)
def test_the_agents_sdk_waits_for_a_person_and_goes_on(live_server, desk, tmp_path):
    doors.awake(live_server.url)
    desk.control.tell(key="order-1001", reply="lost")
    addresses = {"DESK_URL": live_server.url, "TICKETS_URL": desk.url, "JOURNAL": str(tmp_path / "ops.db")}
    secrets = {"DESK_KEY": doors.key(), "TICKETS_TOKEN": "credential-of-one"}
    environ = {**os.environ, **addresses, **secrets, "PATIENCE": "30", "PYTHONPATH": str(EXAMPLES.parent)}

    def step(verb: str, stored: Path) -> Any:
        command: list[str | Path] = [sys.executable, EXAMPLES / "openai_agents_collection.py", verb, stored]
        return json.loads(subprocess.check_output(command, env=environ))

    begun = step("begin", tmp_path / "run.json")
    assert begun["waiting"] == ["call_Lb32"]
    settled(str(models.Operation.objects.get().id))
    ended = step("resume", tmp_path / "run.json")
    assert (ended["says"], ended["waiting"]) == ("The ticket is issued.", [])
    assert len(desk.control.truth("order-1001")["passages"]) == 1
