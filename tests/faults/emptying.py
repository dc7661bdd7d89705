"""The lane's own database is emptied now and then: sweeps look at all that is open, and what earlier trials left is no trial's."""

import psycopg

from escalation.env import owner_url


def empty() -> None:
    """Every operation and whatever belongs to one is gone; recipients, contracts, people, keys and chains stay.

    Only the owner may do that, and only on a server of the run's own. Numbers go on counting, so that nothing that a
    process knows by its number comes to mean something else.
    """
    with psycopg.connect(owner_url(), autocommit=True) as owner:
        owner.execute("TRUNCATE operations_operation CASCADE")
