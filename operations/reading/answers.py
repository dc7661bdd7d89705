"""What came with an answer besides what it says, the longest part of a record, is brought for those that are shown."""

from collections.abc import Iterable
from typing import Final

from operations import models

_ANSWERS: Final = ("payload", "headers")
# What of readings with their observations no page shows before it is fetched.
DEFERRED: Final = ("digest", "observation__digest", *[f"observation__{name}" for name in _ANSWERS])


def fetch_answers(readings: Iterable[models.Reading]) -> None:
    """Bring the payloads and headers of what these readings read, in one statement."""
    rows = {row.observation_id: row.observation for row in readings}
    for pk, *values in models.Observation.objects.filter(pk__in=rows).values_list("pk", *_ANSWERS):
        for name, value in zip(_ANSWERS, values, strict=True):
            setattr(rows[pk], name, value)
