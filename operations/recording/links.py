"""That two calls are one and the same, by a person's word."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from operations import models
from operations.recording.runs import hold


class AlreadyLinked(Exception):
    """One of the calls is the same as another by a person's word; that has to be ended first."""


def link(*, wire: models.Call, model: models.Call, by: str, now: datetime) -> models.CallLink:
    """Write that a call on the wire is a call of the model in the same run; raises `AlreadyLinked`."""
    with transaction.atomic():
        hold(wire.run_id)
        held = models.CallLink.objects.filter(Q(wire=wire) | Q(model=model), ended_at=None)
        same = held.filter(wire=wire, model=model).first()
        if same is not None:
            return same
        if held.exists():
            raise AlreadyLinked(str(wire.pk))
        return models.CallLink.objects.create(wire=wire, model=model, given_at=now, given_by=by)


def unlink(call: models.Call, *, by: str, now: datetime) -> bool:
    """End that a call is the same as another; say whether it was."""
    held = models.CallLink.objects.filter(Q(wire=call) | Q(model=call), ended_at=None)
    return bool(held.update(ended_at=now, ended_by=by))
