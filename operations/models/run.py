"""Runs of agents, and the records of them that people brought in."""

from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models import Q

from operations.models.chain import append_only


class Run(models.Model):
    """One run of an agent: several records of it are read as one. Its calls are provenance, never an identity.

    `recipient` is the one that its calls go to, None where there are several: then only whoever may read every
    recipient reads it. `name` is what a person calls it.
    """

    id = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=200)
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, null=True, related_name="runs")
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(name="") & ~Q(created_by=""), name="a_run_has_a_name"),
        ]
        triggers = append_only("run")

    def __str__(self) -> str:
        return f"run {self.pk}: {self.name}"


class Transcript(models.Model):
    """One record of a run, as it was read: `digest` is SHA-256 of the bytes that came, the same bytes are kept once a run.

    `content` is the record as strict JSON (in lines where it came in lines), without what was dropped from it before
    anything was kept; compressed with zlib. `dropped` is a list of [pointer, rule], `left_out` are sentences: what of it
    is not read. `read_with` is the record that it was read together with: a state with the log of its requests. Its
    authority is that of a runtime's record at most (docs/imports.md).
    """

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="transcripts")
    digest = models.CharField(max_length=64)
    name = models.CharField(max_length=200, blank=True)
    format = models.CharField(max_length=32)
    bytes = models.PositiveIntegerField(help_text="How many came.")
    content = models.BinaryField()
    dropped = models.JSONField()
    dropped_count = models.PositiveIntegerField()
    left_out = models.JSONField()
    read_with = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    received_at = models.DateTimeField()
    received_by = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "digest"], name="the_same_bytes_are_kept_once"),
            models.CheckConstraint(condition=~Q(received_by=""), name="somebody_brings_a_transcript"),
        ]
        indexes = [models.Index(fields=["digest"], name="transcript_digest")]
        triggers = append_only("transcript")

    def __str__(self) -> str:
        return f"{self.format} {self.digest[:12]}"


class Upload(models.Model):
    """A record that somebody looks at before it is kept, without what was dropped from it; gone after a day."""

    app_may: ClassVar = ("SELECT", "INSERT", "DELETE")
    uncovered: ClassVar = "It is looked at before it is kept, and forgotten within a day; nothing rests on it."

    id = models.UUIDField(primary_key=True)
    digest = models.CharField(max_length=64)
    name = models.CharField(max_length=200, blank=True)
    bytes = models.PositiveIntegerField()
    content = models.BinaryField()
    dropped = models.JSONField()
    dropped_count = models.PositiveIntegerField()
    received_at = models.DateTimeField()
    received_by = models.CharField(max_length=200)

    class Meta:
        indexes = [models.Index(fields=["received_at"], name="upload_received")]

    def __str__(self) -> str:
        return f"upload {self.id}"


class Call(models.Model):
    """One tool call of a run, known by scope and call id; what is known of it is read from what its records show.

    `key` is a digest of scope and call id, which may be of any length. Below it stands what is judged anew whenever a
    record is added: `place` is its place among the calls of the run, `open` whether anything of it is unresolved by the
    records alone, `harmless_is_done` whether nothing would be if its tool has no protected effect.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (place, tool, open, harmless_is_done, reasons)")

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="calls")
    key = models.CharField(max_length=64)
    scope = models.TextField(blank=True)
    call_id = models.TextField()
    created_at = models.DateTimeField()

    place = models.PositiveIntegerField()
    tool = models.CharField(max_length=200, blank=True)
    open = models.BooleanField()
    harmless_is_done = models.BooleanField()
    reasons = models.JSONField(help_text="A list of words, each perhaps with the call that it is about.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="a_call_is_known_once_a_run")]
        indexes = [
            models.Index(fields=["run", "place"], name="call_place"),
            models.Index(fields=["run", "place"], name="call_open", condition=Q(open=True)),
        ]
        triggers = [
            pgtrigger.ReadOnly(
                name="call_stays_what_it_is", exclude=["place", "tool", "open", "harmless_is_done", "reasons"]
            ),
            pgtrigger.Protect(name="call_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"call {self.call_id} of run {self.run_id}"


class Showing(models.Model):
    """What one record shows of one call: its facts with pointers into the record, as `imports.keeping` writes them.

    A later record may show more, and never erases this one.
    """

    id = models.BigAutoField(primary_key=True)
    transcript = models.ForeignKey(Transcript, on_delete=models.PROTECT, related_name="showings")
    call = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="showings")
    facts = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["transcript", "call"], name="a_record_shows_a_call_once"),
        ]
        triggers = append_only("showing")

    def __str__(self) -> str:
        return f"{self.call_id} in {self.transcript_id}"


class CallBinding(models.Model):
    """That a person says which operation a call belongs to. It is provenance: it settles nothing of the operation."""

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at, ended_by)")
    kept_once: ClassVar = (("ended_at", "ended_by"),)

    id = models.BigAutoField(primary_key=True)
    call = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="bindings")
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="calls")
    given_at = models.DateTimeField()
    given_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["call"], condition=Q(ended_at=None), name="a_call_belongs_to_one_operation"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by="") | Q(ended_at__isnull=False) & ~Q(ended_by=""),
                name="somebody_ends_a_binding",
            ),
            models.CheckConstraint(condition=~Q(given_by=""), name="a_person_binds_a_call"),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="call_binding_stays", exclude=["ended_at", "ended_by"]),
            pgtrigger.Protect(name="call_binding_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"call {self.call_id} belongs to {self.operation_id}"


class CallLink(models.Model):
    """That a person says a call on the wire and a call of the model are one and the same. It settles nothing."""

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at, ended_by)")
    kept_once: ClassVar = (("ended_at", "ended_by"),)

    id = models.BigAutoField(primary_key=True)
    wire = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="links_to_the_model")
    model = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="links_to_the_wire")
    given_at = models.DateTimeField()
    given_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["wire"], condition=Q(ended_at=None), name="a_wire_call_is_one_call"),
            models.UniqueConstraint(fields=["model"], condition=Q(ended_at=None), name="a_models_call_is_one_call"),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by="") | Q(ended_at__isnull=False) & ~Q(ended_by=""),
                name="somebody_ends_a_link",
            ),
            models.CheckConstraint(condition=~Q(given_by="") & ~Q(wire=models.F("model")), name="a_person_links_calls"),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="call_link_stays", exclude=["ended_at", "ended_by"]),
            pgtrigger.Protect(name="call_link_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"call {self.wire_id} is call {self.model_id}"
