"""A contract is written as a draft, by one person at a time, and published by somebody who saw what it changes.

The shape of every decision (design.md, rule 3): lock, compare the revision with what the person saw, require the
permission, write. What a draft may become is the loader's to say, which refuses what would be used and can't.
"""

import logging
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django.db import transaction
from kombu.exceptions import OperationalError

from escalation.decisions.refused import NotAllowed, StaleView
from escalation.decisions.taking import require_proof
from escalation.models import ContractDraft, User
from escalation.policy import May, why_not
from escalation.proof import Proof
from operations import tasks
from operations.recording import publishing

if TYPE_CHECKING:
    from operations.models import Contract

log: Final = logging.getLogger(__name__)


def may_edit_contract(person: User, *, recipient: int | None) -> str | None:
    """Return None, or the sentence that says why this person may not write or publish the contract of a recipient.

    `recipient` is a row id; None is a recipient that is still to be made.
    """
    return why_not(person, May.EDIT_CONTRACT, recipient=recipient)


def _require(person: User, *, recipient: int | None) -> None:
    refused = may_edit_contract(person, recipient=recipient)
    if refused is not None:
        raise NotAllowed(refused)


def begin_contract_draft(
    recipient: str, *, name: str, text: str, begun_from: str, person: User, known: int | None, now: datetime
) -> "Contract":
    """Begin the next version of a recipient's contract (`known` is its row id, None for a new one).

    Raises `NotAllowed` and publishing's `DraftExists`; then nothing is written.
    """
    _require(person, recipient=known)
    with transaction.atomic():
        contract = publishing.begin_draft(recipient, name=name, text=text, now=now)
        ContractDraft.objects.create(
            contract=contract,
            begun_from=begun_from,
            begun_at=now,
            begun_by=person,
            revision=1,
            edited_at=now,
            edited_by=person,
        )
        return contract


def _held(contract_id: int, *, revision: int, person: User) -> tuple["Contract", ContractDraft]:
    """Return a draft and what is known of its writing, both locked, for who saw it at this revision."""
    contract = publishing.lock_draft(contract_id)
    _require(person, recipient=contract.recipient_id)
    draft = ContractDraft.objects.select_for_update().get(contract=contract)
    if draft.revision != revision:
        raise StaleView(f"seen at revision {revision}, now {draft.revision}")
    return contract, draft


def write_contract_draft(contract_id: int, *, text: str, revision: int, person: User, now: datetime) -> ContractDraft:
    """Give a draft another text. The same text again changes nothing.

    Raises `NotAllowed`, `StaleView` and publishing's `NoSuchDraft`; then nothing is written.
    """
    with transaction.atomic():
        contract, draft = _held(contract_id, revision=revision, person=person)
        if contract.document == text:
            return draft
        publishing.write_draft(contract, text)
        draft.revision += 1
        draft.edited_at, draft.edited_by = now, person
        draft.save(update_fields=["revision", "edited_at", "edited_by"])
        return draft


def publish_contract(
    contract_id: int, *, revision: int, person: User, now: datetime, proof: Proof | None
) -> "Contract":
    """Publish a draft as the recipient's version in force; open operations are read by it from then on.

    Raises `NotAllowed`, `NotFresh`, `StaleView`, publishing's `NoSuchDraft`, and the loader's `ContractRefused` and `Draft`; then
    nothing is written.
    """
    with transaction.atomic():
        contract, draft = _held(contract_id, revision=revision, person=person)
        require_proof(person, May.EDIT_CONTRACT, proof=proof, now=now)
        transaction.on_commit(announce_published)
        published = publishing.publish_draft(contract, now=now)
        draft.published_at, draft.published_by = now, person
        draft.save(update_fields=["published_at", "published_by"])
        return published


def announce_published() -> None:
    """A hint to the workers to read open operations anew at once; without a broker the sweep begins a little later.

    One that is being written to waits for nobody: the worker waits for its lock, and reads it as soon as it is released.
    """
    try:
        tasks.reread.apply_async(retry=False)
    except OperationalError as error:
        log.warning("a published contract wasn't announced, the sweep will read by it: %s", error)
