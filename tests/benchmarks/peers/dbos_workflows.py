"""The peer of a registration that is durable before its send: a DBOS workflow of one step, on the same PostgreSQL.

A process of its own. It reads, a line each, JSON lists of registrations; it runs one workflow for each, under the
registration's identity, in as many threads as the load has connections, and answers with the seconds that took. There is
no HTTP, no key and no check in it, in the peer's favour.
"""

# ruff: noqa: E402  # the folder of the peers comes before what is in it

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.benchmarks.peers import enter

enter()

from dbos import DBOS, SetWorkflowID


@DBOS.step()
def send(asked: dict[str, Any]) -> str:
    """Stands for the send; what it returns is kept."""
    return str(asked["identity"])


@DBOS.workflow()
def operation(asked: dict[str, Any]) -> str:
    """One intended effect."""
    return send(asked)


def run(asked: dict[str, Any]) -> None:
    """The workflow of one registration; the same identity again would be the same workflow."""
    with SetWorkflowID(asked["identity"]):
        operation(asked)


def main(url: str, threads: int) -> None:
    """Serve rounds until there are no more."""
    quiet = {"run_admin_server": False, "log_level": "ERROR"}
    DBOS(config={"name": "benchmark", "system_database_url": url, "sys_db_pool_size": 2 * threads, **quiet})
    DBOS.launch()
    with ThreadPoolExecutor(threads) as pool:
        print("ready", flush=True)
        for line in sys.stdin:
            asked = json.loads(line)
            started = time.perf_counter()
            list(pool.map(run, asked))
            print(time.perf_counter() - started, flush=True)
    DBOS.destroy()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
