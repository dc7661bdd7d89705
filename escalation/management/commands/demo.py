"""`manage.py demo`: the whole desk with a demonstration recipient, and an agent that lost its replies."""

import os
import socket
from datetime import timedelta
from typing import Any, Final

from django.conf import settings

from escalation.env import data_folder
from escalation.management.commands.up import Command as Up
from escalation.running.desk import Address
from escalation.running.supervisor import Supervisor, python_command

# The request that closes an operation is an operation of its own, at the same desk.
CLOSES: Final = {"collection-desk": ("collection-desk-closing", "Collection desk, closing")}
DESKS: Final = {
    "collection-desk": "Collection desk",
    "collection-desk-without-keys": "Collection desk without keys",
}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Command(Up):
    """As `up`, and then an agent asks two collection desks for tickets through the agents' door."""

    help = "Start the desk with a demonstration: two collection desks and an agent that does not always hear back."

    def handle(self, *args: Any, **options: Any) -> None:
        """Say where the recipients will be, so that every process of the desk may ask them; then run."""
        from tests.recipients.reached import settings_for, settings_to_listen  # nothing else needs them

        self.ports = {key: _free_port() for key in DESKS}
        addresses = {key: self._at(key) for key in DESKS}
        addresses |= {closing: self._at(key) for key, (closing, _) in CLOSES.items()}
        os.environ.update(settings_for(addresses) | settings_to_listen())
        super().handle(*args, **options)

    def _at(self, key: str) -> str:
        return f"http://127.0.0.1:{self.ports[key]}"

    def opened(self, desk: Supervisor, address: Address) -> None:
        """Make the recipients and a key for the agent, and let it begin."""
        described = [(key, key, name) for key, name in DESKS.items()]
        described += [(key, closing, name) for key, (closing, name) in CLOSES.items()]
        for key, contract, name in described:
            publish = ("manage.py", "publish_contract", contract, contract, f"--name={name}", f"--at={self._at(key)}")
            desk.run_once(python_command("publish", *publish))
        recipients = [f"--recipient={contract}" for _, contract, _ in described]
        asked = ("manage.py", "create_api_key", "demonstration", "--scope=transport", "--expires-in=1", *recipients)
        printed = desk.run_once(python_command("agents-key", *asked)).split()
        more = {"UNRESOLVED_DEMO_KEY": next(word for word in printed if word.startswith("unr_"))}
        ports = [f"--port={key}={port}" for key, port in self.ports.items()]
        words = ("-m", "tests.recipients.demo", f"--at={address.url}", *ports)
        desk.keep(python_command("demonstration", *words, more=more, within=10.0))
        desk.say(
            "An agent is asking two collection desks for tickets; what it does not know is in the queue in a moment."
        )
        minutes = settings.PROOF_LASTS // timedelta(minutes=1)
        desk.say(
            f"The sign-in link proves who you are for {minutes} minutes; set a password when it asks for one, and you can"
            " prove it again."
        )
        desk.say(
            f"What the agent and the staff at the counter say is in {data_folder() / 'log' / 'demonstration.log'}."
        )
