"""What the agent of these tests asks for, without anything of the desk's own code."""

from unresolved import Contract, Header, Request


def tickets_contract() -> Contract:
    """The collection desk, as an agent names it."""
    return Contract(recipient="desk", carrier=Header("Idempotency-Key"), scope="desk/one")


def asked(*, parcel: str = "Cedar", place: str = "East") -> Request:
    """One collection ticket."""
    return Request.json("POST", f"/desks/{place}/tickets", {"parcel": parcel})
