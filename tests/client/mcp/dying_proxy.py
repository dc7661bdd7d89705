"""The proxy as a process that ends by SIGKILL at a named point of a call: python -m tests.client.mcp.dying_proxy POINT …"""

import os
import signal
import sys

from unresolved.__main__ import main


def passed(step: str, *, point: str) -> None:
    """End as a machine that lost its power does."""
    if step == point:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    point = sys.argv[1]
    sys.exit(main(["mcp-proxy", *sys.argv[2:]], passing=lambda step: passed(step, point=point)))
