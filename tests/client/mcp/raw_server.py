"""A server that says what a file holds and keeps what it hears, byte by byte; it knows nothing of JSON.

python -m tests.client.mcp.raw_server SAYS HEARD. With SAYS `-` it answers each line `N TEXT` hears nothing of.
"""

import os
import sys
from pathlib import Path


def main(says: str, heard: str) -> None:
    os.write(1, Path(says).read_bytes())
    with Path(heard).open("wb", buffering=0) as kept:
        while data := os.read(0, 65_536):
            kept.write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
