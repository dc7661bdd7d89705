"""The code of docs/integrate/langgraph.md runs as it stands there, at a real desk; a person settles what it waits for."""

from typing import Any

import pytest

from tests.client.parcels import tickets
from tests.client.settled import settled
from tests.client.test_docs import at_the_desk, run

__all__ = ["at_the_desk"]


@pytest.mark.django_db(transaction=True)
def test_ten_minutes_to_a_guarded_node(at_the_desk, desk, capsys):
    desk.control.tell(key="order-4001", reply="lost")

    def person(block: int, known: dict[str, Any]) -> None:
        if block == 4:  # the thread waits for a person, who is at the desk
            settled(known["stopped"].value["operation"])

    run("langgraph.md", meanwhile=person)
    assert '"next": "applied"' in capsys.readouterr().out
    assert (tickets(desk, "order-4001"), len(desk.control.truth("order-4001")["passages"])) == (1, 1)
