"""Administrators say which programs are told, and have something sent again; each change is one line of the record.

What a subscription is never changes: whoever wants it otherwise ends it and makes another. Its keys do, two at a time.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from django.db import IntegrityError, transaction

from escalation.access.changing import By, NotChanged, changing
from escalation.decisions.taking import require_may
from escalation.models import OutboxDue, OutboxEvent, Subscription, SubscriptionChange, SubscriptionKey, User
from escalation.models.outbox import TEST
from escalation.models.subscription import SLOTS, EventKind, SubscriptionAct
from escalation.outbox.finishing import stop
from escalation.outbox.nudging import nudge
from escalation.policy import May

MOST: Final = 50
_NONE: Final = "There is no such subscription any more."
_NO_KEY: Final = "It is signed with no such key."
_RESTING: Final = "Nothing is sent there now: let it go on first."


def make(
    by: By, *, name: str, address: str, events: Sequence[EventKind], recipients: Sequence[int] | None, key: str
) -> Subscription:
    """Have a program told from now on; raises as `changing` does, and `NotChanged`. `recipients` None: of every one."""
    with changing(by) as who:
        if Subscription.objects.filter(ended_at=None).count() >= MOST:
            raise NotChanged(f"{MOST} subscriptions are the most; end one first.")
        made = {"made_at": by.now, "made_by": who}
        try:
            with transaction.atomic():
                row = Subscription.objects.create(
                    name=name,
                    address=address,
                    events=[one.value for one in events],
                    recipients=None if recipients is None else sorted(recipients),
                    **made,
                )
        except IntegrityError:
            raise NotChanged("There is a subscription of that name.") from None
        SubscriptionKey.objects.create(subscription=row, name=key, slot=SLOTS[0], **made)
        _note(SubscriptionAct.MADE, row, f"At {address}, signed with {key}.", by=by)
        return row


@contextmanager
def _held(pk: int, by: By) -> Iterator[Subscription]:
    with changing(by):
        row = Subscription.objects.select_for_update(no_key=True).filter(pk=pk, ended_at=None).first()
        if row is None:
            raise NotChanged(_NONE)
        yield row


def end(pk: int, *, by: By) -> Subscription:
    """Have a program told nothing more; what waits for it is not told. Raises `NotChanged`."""
    with _held(pk, by) as row:
        Subscription.objects.filter(pk=pk).update(ended_at=by.now, ended_by=by.person)
        stop(row, now=by.now)
        _note(SubscriptionAct.ENDED, row, "", by=by)
        return row


def pause(pk: int, *, by: By) -> Subscription:
    """Have nothing sent to a program until it is let go on; what comes meanwhile waits. Raises `NotChanged`."""
    with _held(pk, by) as row:
        if row.paused_at is not None:
            raise NotChanged("It is paused already.")
        Subscription.objects.filter(pk=pk).update(paused_at=by.now, paused_by=by.person)
        _note(SubscriptionAct.PAUSED, row, "", by=by)
        return row


def resume(pk: int, *, by: By) -> Subscription:
    """Let a program be told again that was paused, that answered 410 or that is left alone. Raises `NotChanged`."""
    with _held(pk, by) as row:
        if row.paused_at is None and row.gone_at is None and not row.failures:
            raise NotChanged("It goes on already.")
        going = {"paused_at": None, "paused_by": None, "gone_at": None}
        Subscription.objects.filter(pk=pk).update(failures=0, failing_since=None, rests_until=None, **going)
        OutboxDue.objects.filter(subscription=row, lease=None, at__gt=by.now).update(at=by.now)
        _note(SubscriptionAct.RESUMED, row, "", by=by)
        transaction.on_commit(nudge, robust=True)
        return row


def add_key(pk: int, name: str, *, by: By) -> Subscription:
    """Have messages signed with one more key, beside the one there is; raises `NotChanged`."""
    with _held(pk, by) as row:
        there = dict(row.keys.filter(ended_at=None).values_list("slot", "name"))
        free = [slot for slot in SLOTS if slot not in there]
        if name in there.values():
            raise NotChanged("It is signed with that key already.")
        if not free:
            raise NotChanged("Two keys sign already; stop signing with one of them first.")
        SubscriptionKey.objects.create(subscription=row, name=name, slot=free[0], made_at=by.now, made_by=by.person)
        _note(SubscriptionAct.KEY_ADDED, row, name, by=by)
        return row


def end_key(pk: int, key: int, *, by: By) -> Subscription:
    """Have messages signed with a key no more; the last one stays. Raises `NotChanged`."""
    with _held(pk, by) as row:
        keys = row.keys.filter(ended_at=None)
        found = keys.filter(pk=key).first()
        if found is None:
            raise NotChanged(_NO_KEY)
        if keys.count() < len(SLOTS):
            raise NotChanged("It is the only key; add the new one first.")
        keys.filter(pk=key).update(ended_at=by.now, ended_by=by.person)
        _note(SubscriptionAct.KEY_ENDED, row, found.name, by=by)
        return row


@contextmanager
def _sending(pk: int, by: By) -> Iterator[Subscription]:
    """A message that is sent once more, or a test, tells nobody anything new: it takes no fresh proof."""
    with transaction.atomic():
        require_may(User.objects.get(pk=by.person.pk), May.ADMINISTER, recipient=None)
        row = Subscription.objects.select_for_update(no_key=True).filter(pk=pk, ended_at=None).first()
        if row is None:
            raise NotChanged(_NONE)
        if row.paused_at is not None or row.gone_at is not None:
            raise NotChanged(_RESTING)
        yield row
        transaction.on_commit(nudge, robust=True)


def ask_for_test(pk: int, *, by: By) -> None:
    """Have a test sent to a program with the next sweep; raises `NotAllowed` and `NotChanged`."""
    with _sending(pk, by) as row:
        if OutboxDue.objects.filter(subscription=row, operation=None).exists():
            raise NotChanged("A test is on its way already.")
        event = OutboxEvent.objects.create(subscription=row, kind=TEST, cause="test", about={}, made_at=by.now)
        OutboxDue.objects.create(event=event, subscription=row, at=by.now, since=by.now)
        _note(SubscriptionAct.TESTED, row, "", by=by)


def send_again(pk: int, event: int, *, by: By) -> None:
    """Have an event that is over sent once more, under the same id; raises `NotAllowed` and `NotChanged`."""
    with _sending(pk, by) as row:
        found = OutboxEvent.objects.filter(pk=event, subscription=row, ended_at__isnull=False).first()
        if found is None:
            raise NotChanged("There is no such event, or it is on its way already.")
        OutboxEvent.objects.filter(pk=event).update(ended_at=None, ended_as="")
        OutboxDue.objects.create(
            event=found, subscription=row, operation_id=found.operation_id, at=by.now, since=by.now, again=True
        )
        _note(SubscriptionAct.SENT_AGAIN, row, f"event_{found.key.hex}", by=by)


def _note(act: SubscriptionAct, row: Subscription, said: str, *, by: By) -> None:
    SubscriptionChange.objects.create(act=act.value, subscription=row, said=said, at=by.now, by=by.person)
