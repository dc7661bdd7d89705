"""How a result got to the agent it is owed to, step by step."""

from typing import Final

from django.db import models
from django.db.models import Q

from operations.core.worded import Worded
from operations.models.chain import append_only


class Step(Worded):
    """One step of a hand-over; `sentence` says what it shows."""

    COLLECTED = "collected", "The desk gave it out; whether it arrived is not known."
    ACKNOWLEDGED = "acknowledged", "The agent's side says that it has it."
    SENT = (
        "sent",
        "A request to the model was sent with it, and no reply is on record; whether it arrived is not known.",
    )
    CARRIED = "carried", "A request to the model carried it."
    ANSWERED = "answered", "The model answered a request that carried it."


# What evidences that the result arrived; that it was given out, or sent to a model that did not reply, does not.
ARRIVED: Final = (Step.ACKNOWLEDGED.value, Step.CARRIED.value, Step.ANSWERED.value)


class Delivery(models.Model):
    """One step, as somebody evidenced it. `links` says which result: the operation's record as it was with so many links.

    `event` is the reporter's id: the same again changes nothing. `source` is who says so: a key, or the person who
    brought the transcript. `call`, `run` and `request` name them as the agent's side does; they are no identity.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="deliveries")
    step = models.CharField(max_length=16, choices=[(word.value, word.value) for word in Step])
    links = models.PositiveIntegerField()
    event = models.CharField(max_length=128)
    source = models.CharField(max_length=200)
    call = models.CharField(max_length=200, blank=True)
    run = models.CharField(max_length=200, blank=True)
    request = models.CharField(max_length=200, blank=True)
    transcript = models.ForeignKey(
        "operations.Transcript", on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    pointer = models.TextField(blank=True)
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "event"], name="delivery_events_are_used_once"),
            models.CheckConstraint(condition=~Q(event="") & ~Q(source=""), name="somebody_tells_of_a_delivery"),
            models.CheckConstraint(condition=Q(links__gte=1), name="a_delivery_is_of_a_result"),
        ]
        indexes = [
            models.Index(fields=["operation", "links"], name="delivery_arrived", condition=Q(step__in=ARRIVED)),
        ]
        triggers = append_only("delivery")

    def __str__(self) -> str:
        return f"{self.step} of {self.operation_id}"
