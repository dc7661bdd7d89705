"""A server of the SDK's that asks back before it acts; it acts by adding a line to a file: python -m … FILE."""

import sys
from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel

server = MCPServer("asking")


class Agreed(BaseModel):
    """What is asked."""

    place: str


def which() -> Elicit[Agreed]:
    """Ask where."""
    return Elicit("Where?", Agreed)


@server.tool()
def issue_ticket(order: str, agreed: Annotated[Agreed, Resolve(which)]) -> str:
    """Act."""
    with Path(sys.argv[1]).open("a") as done:
        done.write(f"{order} {agreed.place}\n")
    return f"issued at {agreed.place}"


if __name__ == "__main__":
    server.run()
