"""`manage.py demo`: the whole desk with a demonstration recipient, and an agent that lost its replies."""

from escalation.management.commands.up import Command as Up
from escalation.running.desk import Address
from escalation.running.supervisor import Supervisor, python_command

DESKS = {"collection-desk": "Collection desk", "collection-desk-without-keys": "Collection desk without keys"}


class Command(Up):
    """As `up`, and then an agent asks two collection desks for tickets through the agents' door."""

    help = "Start the desk with a demonstration: two collection desks and an agent that does not always hear back."

    def opened(self, desk: Supervisor, address: Address) -> None:
        """Make the recipients and a key for the agent, and let it begin."""
        for key, name in DESKS.items():
            words = ("manage.py", "publish_contract", key, key, f"--name={name}")
            desk.run_once(python_command("publish", *words))
        recipients = [f"--recipient={key}" for key in DESKS]
        asked = ("manage.py", "create_api_key", "demonstration", "--scope=transport", "--expires-in=1", *recipients)
        printed = desk.run_once(python_command("agents-key", *asked)).split()
        more = {"UNRESOLVED_DEMO_KEY": next(word for word in printed if word.startswith("unr_"))}
        desk.keep(
            python_command(
                "demonstration", "-m", "tests.recipients.demo", f"--at={address.url}", more=more, within=10.0
            )
        )
        desk.say(
            "An agent is asking two collection desks for tickets; what it does not know is in the queue in a moment."
        )
