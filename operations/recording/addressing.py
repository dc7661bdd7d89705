"""Where a recipient is asked is one address, checked in form before it is kept; whether it may be connected to is the
guard's to say at every ask (operations.channels.guard)."""

from operations import models
from operations.channels.guard import Refused, place


class AddressRefused(ValueError):
    """This is no address that the desk could ask at; the message is a sentence."""


class NoSuchRecipient(Exception):
    """No recipient has this key."""


def set_address(recipient: str, *, address: str) -> None:
    """Keep where a recipient (its key) is asked; an empty address stops the asking.

    Raises `AddressRefused` and `NoSuchRecipient`; then nothing is written.
    """
    if address:
        try:
            place(address)
        except Refused as refused:
            raise AddressRefused(str(refused)) from refused
    if not models.Recipient.objects.filter(key=recipient).update(address=address):
        raise NoSuchRecipient(recipient)
