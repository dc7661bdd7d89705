"""What is known the moment an operation has its first attempt and nothing else, inferred once for its contract.

The record of a new operation is not complete, and nobody has said anything of it: no row of the tables that could hold
then looks at the clock (semantics.md, Protection, rows 1 to 3). Were there one, test_first_standing.py would say so.
"""

from functools import lru_cache
from typing import Any, TypeAlias

from operations import models, reading
from operations.contracts.loading import terms_of
from operations.core.facts import Attempt, Facts, Operation, Sends
from operations.core.standing import Standing, infer

Found: TypeAlias = tuple[Standing, list[list[Any]]]


def first_standing(contract: models.Contract, *, identity_known: bool, sends: Sends) -> Found:
    """Return what `core.infer` says of one attempt, whenever it began, and the missing facts as a row keeps them.

    The standing equals the core's in everything that is compared; the facts that it was weighed from are another
    attempt's. The missing facts are shared: whoever changes them makes a copy.
    """
    return _inferred(contract.document, identity_known, sends)


@lru_cache(maxsize=1024)
def _inferred(document: str, identity_known: bool, sends: Sends) -> Found:  # noqa: FBT001  # part of its key
    first = Attempt(at=0, id="first", sends=sends)
    operation = Operation(identity_known=identity_known)
    standing = infer(Facts(contract=terms_of(document), operation=operation, events=(first,)), now=0)
    return standing, reading.gaps(standing)
