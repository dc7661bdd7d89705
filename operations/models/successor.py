"""Another operation that a person authorised to carry an operation's intent."""

from django.db import models
from django.db.models import F, Q

from operations.core.facts import SuccessorState
from operations.core.standing import Situation
from operations.models.chain import DIGEST_BYTES, append_only


class Successor(models.Model):
    """That `successor` carries the intent of `operation` (the original) from now on, by one decision; linked, never merged.

    It is a link of the original's chain and changes nothing else of the original. Whether it is open or ended without
    effect is the successor's own standing to say.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="successors")
    successor = models.OneToOneField("operations.Operation", on_delete=models.PROTECT, related_name="predecessor")
    decision = models.OneToOneField("operations.Decision", on_delete=models.PROTECT, related_name="successor")
    named_at = models.DateTimeField()
    named_by = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "position"], name="successor_has_its_place_in_the_chain"),
            models.CheckConstraint(condition=~Q(successor=F("operation")), name="a_successor_is_another_operation"),
            models.CheckConstraint(condition=~Q(named_by=""), name="a_person_names_a_successor"),
        ]
        triggers = append_only("successor")

    def __str__(self) -> str:
        return f"{self.successor_id} in place of {self.operation_id}"

    @property
    def state(self) -> SuccessorState:
        """Whether the successor is open, or ended without effect: closed for good, and so is what carries it on.

        Where nothing can act it has not ended: what was never sent, or was refused, is sent by the next attempt. Would
        that reopen the original, both could be sent (semantics.md, Permitted actions).
        """
        ended = self.successor.situation == Situation.CLOSED
        if ended and all(one.state is SuccessorState.NO_EFFECT for one in self.successor.successors.all()):
            return SuccessorState.NO_EFFECT
        return SuccessorState.OPEN

    @property
    def given_back(self) -> bool:
        """Whether the original carries the intent again, so that nothing more is sent in its place.

        The successor was closed for good; or the original happened after all, or is said to have since, which was not
        known when this was decided.
        """
        if self.successor.situation == Situation.CLOSED or self.operation.situation == Situation.APPLIED:
            return True
        return self.operation.situation == Situation.CONFLICT and self.decision.standing["conflict_kind"] is None
