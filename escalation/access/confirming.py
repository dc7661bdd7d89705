"""A mail address is written to once whoever reads there has said so: signed in, by a link that was sent there.

What was mistyped is then nobody's mail about this desk's operations, and shows as what it is. The link is signed and counts
for `LASTS`; pressed once, the address is confirmed and no link does anything there any more. An address is never changed
but added anew, so another one is confirmed anew.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction

from escalation.access.changing import NotChanged
from escalation.models import AddressConfirmation, NoticeAddress, Telling, User
from escalation.models.notice import Kind
from escalation.models.notice_address import Way
from escalation.policy import May, why_not

LASTS: Final = timedelta(hours=24)
# How long after a link another may be asked for; how many a day go to one address, whoever asks, and for whom one added.
APART: Final = timedelta(minutes=5)
MOST_TO_ONE: Final = 5
MOST_BY_ONE: Final = 20
ENDED: Final = "This link leads nowhere any more: it is out of date, or its address was removed. Have another one sent."
CONFIRMED: Final = "This address is confirmed already."
OTHERS: Final = "This link is for somebody else. Sign in as whom it was sent to."
_SALT: Final = "unresolved: address of notices"
_DAY: Final = timedelta(days=1)


def link_token(address: NoticeAddress, *, now: datetime) -> str:
    """Return what a link to confirm an address by ends in; it holds no secret of the desk and no address."""
    return Signer(salt=_SALT).sign_object({"address": address.pk, "until": int((now + LASTS).timestamp())})


def ask(address: NoticeAddress, *, now: datetime) -> None:
    """Have a link sent with the next sweep; raises `NotChanged` where that was done just now, or too often."""
    with transaction.atomic():
        User.objects.select_for_update().get(
            pk=address.made_by_id
        )  # two who ask at once are counted one after the other
        if AddressConfirmation.objects.filter(address=address).exists():
            raise NotChanged(CONFIRMED)
        _require_seldom(address, now)
        Telling.objects.create(kind=Kind.CONFIRM, address=address, made_at=now, due_at=now)


def _require_seldom(address: NoticeAddress, now: datetime) -> None:
    links = Telling.objects.filter(kind=Kind.CONFIRM)
    here = links.filter(address=address)
    if here.filter(ended_as="").exists():
        raise NotChanged("A link is on its way there already.")
    last = here.order_by("-made_at").values_list("made_at", flat=True).first()
    if last is not None and last + APART > now:
        raise NotChanged(f"A link was sent there just now. Another can be sent from {_at(last + APART)} on.")
    today = links.filter(made_at__gt=now - _DAY)
    if today.filter(address__to__iexact=address.to).count() >= MOST_TO_ONE:
        raise NotChanged(f"{MOST_TO_ONE} links a day are the most to one address.")
    if today.filter(address__made_by=address.made_by_id).count() >= MOST_BY_ONE:
        raise NotChanged(f"{MOST_BY_ONE} links a day are the most.")


def _at(at: datetime) -> str:
    return f"{at.astimezone(UTC):%H:%M} UTC"


def address_of(token: str, *, person: User, now: datetime) -> NoticeAddress:
    """Return the address that somebody may confirm by a link; raises `NotChanged`, whose sentence says why not."""
    try:
        said = Signer(salt=_SALT).unsign_object(token)
    except (BadSignature, ValueError):
        raise NotChanged(ENDED) from None
    here = NoticeAddress.objects.select_related("person", "team", "confirmation")
    found = here.filter(pk=said["address"], ended_at=None, way=Way.MAIL).first()
    if found is None or now.timestamp() >= said["until"]:
        raise NotChanged(ENDED)
    if not _reads(found, person):
        raise NotChanged(OTHERS)
    if found.is_confirmed:
        raise NotChanged(CONFIRMED)
    return found


def _reads(address: NoticeAddress, person: User) -> bool:
    """Whether somebody may say that they read there: whose it is; of a team everybody in it, and administrators."""
    if address.team is None:
        return address.person_id == person.pk
    if address.team.members.filter(person=person, ended_at=None).exists():
        return True
    return why_not(person, May.ADMINISTER, recipient=None) is None


def confirm(token: str, *, person: User, now: datetime) -> NoticeAddress:
    """Have an address told from now on; raises `NotChanged`. Of any number of calls at once, one does it."""
    address = address_of(token, person=person, now=now)
    try:
        with transaction.atomic():
            AddressConfirmation.objects.create(address=address, at=now, by=person)
    except IntegrityError:
        raise NotChanged(CONFIRMED) from None
    return address
