"""What people say of tools: whether a protected effect can come of calling them."""

from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models import Q

from operations.core.worded import Worded


class ToolKind(Worded):
    """What can come of calling a tool; `sentence` says it to people."""

    READS = "reads", "It only reads: its calls are not listed."
    NO_PROTECTED_EFFECT = (
        "no_protected_effect",
        "Nothing protected comes of it: a call is done once its output arrived.",
    )
    PROTECTED_EFFECT = "protected_effect", "A protected effect can come of it."


class Tool(models.Model):
    """One statement of a person about a tool, known by its name; the newest that isn't ended holds.

    A tool's own hints (`readOnlyHint`) are a stranger's words: they fill in a form, and `hint` keeps what they said.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at, ended_by)")
    kept_once: ClassVar = (("ended_at", "ended_by"),)

    id = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=32, choices=[(word.value, word.value) for word in ToolKind])
    hint = models.CharField(max_length=200, blank=True)
    set_at = models.DateTimeField()
    set_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=Q(ended_at=None), name="one_word_holds_of_a_tool"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(set_by=""), name="a_person_says_it_of_a_tool"),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="tool_stays", exclude=["ended_at", "ended_by"]),
            pgtrigger.Protect(name="tool_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}"
