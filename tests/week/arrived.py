"""The oracle of what arrived: what each mail and webhook says, read as its reader reads it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any, Final
from uuid import UUID

from escalation.models import Notice
from tests.week.doing import effect_of
from tests.week.judging import Week
from tests.week.post import Hook, Mail
from tests.week.telling import Telltale
from tests.week.worker import AFTER_SENDING
from tests.week.world import DESK, WEBHOOK

_MANY: Final = re.compile(r"(\d+) operations at ([a-z0-9-]+)")
_ONE: Final = re.compile(rf"{re.escape(DESK)}/operations/(\d+)")


def wrong_with_mails(week: Week, tale: Telltale) -> Iterator[str]:
    """Yield what is wrong with mails: their readers, their words, their links, and how many they are about."""
    about: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for one in tale.told:
        if one.row.notice_id is not None:
            about[one.row.notice_id].add(one.operation)
    notices = {row.told.hex: row for row in tale.notices.values()}
    for mail in week.played.mails:
        notice = notices.get(mail.id)
        if notice is None:
            yield f"the mail {mail.id} is of no notice"
            continue
        yield from _sent(mail, notice)
        for said in _worded(mail, {one: week.numbers[one] for one in about[notice.pk]}, week, count=notice.count):
            yield f"the mail {mail.id} {said}"


def _sent(mail: Mail, notice: Notice) -> Iterator[str]:
    to = notice.address.to
    if mail.readers != (to,) or mail.message["To"] != to:
        yield f"the mail {mail.id} went to {mail.readers}, and was for {to}"
    if mail.at != notice.begun_at:
        yield f"the mail {mail.id} arrived at {mail.at}, and was sent at {notice.begun_at}"


def _worded(mail: Mail, numbers: dict[UUID, int], week: Week, *, count: int) -> Iterator[str]:
    parts = _parts(mail.message)
    if parts is None:
        yield "has not both text and HTML"
        return
    subject = str(mail.message["Subject"])
    if not subject.startswith("[Unresolved"):
        yield f"has the subject {subject!r}"
    for text in parts:
        if count > 1:
            yield from _says_many(text, subject, numbers, week)
        else:
            yield from _says_one(text, numbers, week)


def _parts(message: EmailMessage) -> tuple[str, str] | None:
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    return None if text is None or html is None else (text.get_content(), html.get_content())


def _says_one(text: str, numbers: dict[UUID, int], week: Week) -> Iterator[str]:
    """One operation: its effect, and no link but to its own page."""
    for pk, number in numbers.items():
        if set(_ONE.findall(text)) != {str(number)}:
            yield f"leads to {sorted(set(_ONE.findall(text)))}, and is about {number}"
        if effect_of(week.models[pk].life).replace("'", "") not in text.replace("&#x27;", "").replace("'", ""):
            yield f"doesn't say the effect of {number}"


def _says_many(text: str, subject: str, numbers: dict[UUID, int], week: Week) -> Iterator[str]:
    """Many: how many, where, ten of them by number, and a link to all of that recipient."""
    [recipient] = {week.models[pk].life.recipient.key for pk in numbers}
    found = _MANY.search(subject)
    if found is None or (int(found[1]), found[2]) != (len(numbers), recipient):
        yield f"says {subject!r}, and is about {len(numbers)} at {recipient}"
    named = set(_ONE.findall(text))
    if len(named) != min(10, len(numbers)) or not named <= {str(one) for one in numbers.values()}:
        yield f"names {sorted(named)}"
    if f"{DESK}/?recipient={recipient}" not in text:
        yield "doesn't lead to the queue of its recipient"


def wrong_with_hooks(week: Week, tale: Telltale) -> Iterator[str]:
    """Yield what is wrong with webhooks: each call under one id, each id one text, each signed."""
    by_id: defaultdict[str, list[Hook]] = defaultdict(list)
    for one in week.played.hooks:
        by_id[one.id].append(one)
        if not one.signed:
            yield f"the webhook {one.id} at {one.at} bears no signature that holds"
    taken: Counter[Any] = Counter()
    # Whoever died with the answer in hand left nobody who knows that it was taken.
    died = {f"notice_{UUID(one).hex}" for _, where, one in week.played.kills if where == AFTER_SENDING}
    for name, some in by_id.items():
        answered = [one.answered for one in some]
        yield from _told_again(name, some, answered, died=name in died)
        if 204 in answered or None in answered:
            taken.update(_calls_in(some[0], week))
    wanted = _wanted(week)
    yield from [f"the webhook heard of {call} under {times} ids" for call, times in taken.items() if times > 1]
    yield from [f"the webhook heard of {call}, which nothing called" for call in taken.keys() - wanted]
    yield from [
        f"the webhook is said to have taken {call}, and never heard of it" for call in _said(tale) - taken.keys()
    ]


def _said(tale: Telltale) -> set[tuple[UUID, int, int, int]]:
    """Return the calls that are on record as taken by the webhook."""
    rows = [one for one in tale.told if one.to == WEBHOOK and one.row.ended_as == "taken" and one.row.call is not None]
    return {(one.operation, one.nth, one.row.call.round, one.row.call.step) for one in rows if one.row.call is not None}


def _told_again(name: str, some: list[Hook], answered: list[int | None], *, died: bool) -> Iterator[str]:
    """The same message comes again under its id only where nobody said that it was taken."""
    again = len(answered) - 1 - answered.index(204) if 204 in answered else 0
    if again > int(died):
        yield f"the webhook {name} was sent again after it was taken: {answered}"
    data = [sorted(map(str, one.data["data"].get("calls", []))) for one in some]
    if any(one != data[0] for one in data):
        yield f"the webhook {name} came in other words"


def _calls_in(hook: Hook, week: Week) -> Iterator[tuple[UUID, int, int, int]]:
    for one in hook.data["data"]["calls"]:
        operation, nth = week.nth[one["case"]]
        yield operation, nth, one["round"], one["step"]


def _wanted(week: Week) -> set[tuple[UUID, int, int, int]]:
    return {key for key, one in week.called().items() if one.kind == "webhook"}


__all__ = ["wrong_with_hooks", "wrong_with_mails"]
