"""Keys for programs are ended at the screen; making one prints its secret, which is done on the desk's host."""

from escalation.access.changing import By, NotChanged, changing
from escalation.models import AccessChange
from escalation.models.access_change import Change
from operations.recording.keys import end_key


def end_api_key(key: str, *, by: By) -> None:
    """End a key for good; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        if not end_key(key, now=by.now):
            raise NotChanged("That key was ended already, or never made.")
        AccessChange.objects.create(act=Change.KEY_ENDED.value, key_id=key, at=by.now, by=who)
