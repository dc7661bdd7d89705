"""What people say of outputs in their application's own words: rules, each kept in every version."""

from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models import Q


class OutputRule(models.Model):
    """One version of a rule; the newest that isn't ended holds. It adds a class to outputs that fit, and changes no record.

    `number` is the rule's in all its versions, `tool` the tool that it is for, "" for every one. `pattern` is text in
    which `*` stands for anything (operations/imports/rules.py), `says` the class of an output that fits.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at, ended_by)")
    kept_once: ClassVar = (("ended_at", "ended_by"),)

    id = models.BigAutoField(primary_key=True)
    number = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    tool = models.CharField(max_length=200, blank=True)
    pattern = models.CharField(max_length=200)
    says = models.CharField(max_length=32)
    set_at = models.DateTimeField()
    set_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["number", "version"], name="a_version_of_a_rule_is_one"),
            models.UniqueConstraint(fields=["number"], condition=Q(ended_at=None), name="one_version_of_a_rule_holds"),
            models.CheckConstraint(
                condition=Q(says__in=["inconclusive", "not_attempted", "claims_result"]),
                name="a_rule_says_what_it_may",
            ),
            models.CheckConstraint(
                condition=~Q(pattern="") & ~Q(set_by="") & Q(number__gte=1, version__gte=1),
                name="a_person_writes_a_rule",
            ),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="output_rule_stays", exclude=["ended_at", "ended_by"]),
            pgtrigger.Protect(name="output_rule_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"rule {self.number}, version {self.version}"


class RulesFollowed(models.Model):
    """How far the lists of runs follow the rules: one row. Changes of rules are counted, a version and its end as one each.

    All runs follow the first `followed` changes; those up to the row `after` follow `towards` of them.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (followed, towards, after)")
    uncovered: ClassVar = (
        "It says how far a list has got that can be made anew; nothing that is known or decided rests on it."
    )

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    followed = models.PositiveBigIntegerField(default=0)
    towards = models.PositiveBigIntegerField(default=0)
    after = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="how_far_the_lists_follow_is_one_row")]

    def __str__(self) -> str:
        return f"{self.followed} changes, {self.towards} up to run {self.after}"
