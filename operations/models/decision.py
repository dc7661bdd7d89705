"""What people decided about an operation, as links of its chain."""

from django.db import models
from django.db.models import Q

from operations.core.actions import Action
from operations.core.closing import Closing
from operations.models.chain import DIGEST_BYTES, append_only


class Decision(models.Model):
    """One decision of one signed-in person, on the standing that it stood on; what comes of it is other rows' to say.

    `door` names the page it was taken on, `action` what the core was asked and had to permit. `revision` is the
    operation's as the person saw it, `standing` the answer of semantics.md as inferred again under the lock. `content`
    is what was decided, word for word. `once` is the form's: the same form sent twice decides once.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="decisions")
    door = models.CharField(max_length=32)
    action = models.CharField(max_length=32, choices=[(word.value, word.value) for word in (*Action, *Closing)])
    once = models.UUIDField()
    revision = models.PositiveBigIntegerField()
    standing = models.JSONField()
    content = models.JSONField()
    decided_at = models.DateTimeField()
    decided_by = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "once"], name="a_form_decides_once"),
            models.UniqueConstraint(fields=["operation", "position"], name="decision_has_its_place_in_the_chain"),
            models.CheckConstraint(condition=~Q(decided_by=""), name="a_person_decides"),
        ]
        triggers = append_only("decision")

    def __str__(self) -> str:
        return f"{self.door} by {self.decided_by}"
