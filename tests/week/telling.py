"""The oracle of notices: each call told once at each address, when it had to be, and what arrived is what is on record."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from escalation.models import Notice, Telling
from tests.week import world
from tests.week.judging import Week
from tests.week.model import Called, Model
from tests.week.oncall import addresses_of, quiet_until, reader_of
from tests.week.outages import within
from tests.week.worker import AFTER_SENDING, BEFORE_SENDING
from tests.week.world import ABOVE, APART, BACKOFF, LEASE, QUIET, TICK

# When nothing hinders it, what is due is told at the tick itself, or gathered for `APART`; after anything hindered it,
# the longest wait between two tries comes on top, and a lease where a worker died with it.
_AT_ONCE: Final = APART + TICK
_AFTERWARDS: Final = APART + BACKOFF + LEASE + 2 * TICK


@dataclass(slots=True)
class Told:
    """One telling on record, with the notices that were begun for it."""

    row: Telling
    operation: UUID
    nth: int
    to: str


@dataclass(slots=True)
class Telltale:
    """Judges notices; what it finds wrong is in `wrong`."""

    week: Week
    wrong: list[str] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    notices: dict[UUID, Notice] = field(default_factory=dict)
    befell: frozenset[datetime] = frozenset()

    def judge(self) -> list[str]:
        """Return everything that is wrong."""
        # The links by which the addresses were confirmed are of no case; they were needed no more as the week began.
        rows = Telling.objects.filter(case__isnull=False).select_related("address", "call", "case")
        self.told = [
            Told(row, *self.week.nth[row.case_id or 0], "" if row.address is None else row.address.to) for row in rows
        ]
        self.notices = {row.pk: row for row in Notice.objects.select_related("address")}
        played = self.week.played
        self.befell = frozenset(
            [tick for tick, _, _ in played.kills]
            + [one.at for one in played.mails if one.lost]
            + [one.at for one in played.hooks if one.answered is None]
        )
        self._calls()
        self._ends()
        self._settled()
        self._promise()
        self._grouping()
        return self.wrong

    def _calls(self) -> None:
        """Each call is to be told once at each address of whom it calls, and nothing else is."""
        wanted = Counter(
            (pk, one.nth, one.round, one.step, to)
            for pk, model in self.week.models.items()
            for one in model.calls
            for to in addresses_of(one.kind, one.whom, one.at) or [""]
        )
        came = Counter(
            (one.operation, one.nth, one.row.call.round, one.row.call.step, one.to)
            for one in self.told
            if one.row.call is not None
        )
        self._differ("telling", came, wanted)

    def _differ(self, what: str, came: Counter[Any], wanted: Counter[Any]) -> None:
        self.wrong += [f"lost {what}: {one} ({times})" for one, times in (wanted - came).items()]
        self.wrong += [f"extra {what}: {one} ({times})" for one, times in (came - wanted).items()]

    def _ends(self) -> None:
        """Whatever was to be told was told in time, not before its time, and not in somebody's quiet hours."""
        called = self.week.called()
        for one in self.told:
            if one.row.call is None or not one.to:
                continue
            call = called.get((one.operation, one.nth, one.row.call.round, one.row.call.step))
            if call is not None:
                self._one(one, call, self.week.models[one.operation])

    def _one(self, told: Told, call: Called, model: Model) -> None:
        latest, closed = self.latest(told.to, call.at, model), model.cases[call.nth - 1].closed
        row, notice = told.row, None if told.row.notice_id is None else self.notices[told.row.notice_id]
        about = f"{told.operation} case {call.nth} round {call.round} step {call.step} at {told.to}, called {call.at}"
        if row.ended_as in ("taken", "may_have_arrived") and notice is not None:
            if not call.at <= notice.begun_at <= (latest or notice.begun_at):
                self.wrong.append(f"told at {notice.begun_at}, not by {latest}: {about}")
            self._quiet(told, notice, model, about)
        elif row.ended_as == "not_needed":
            if closed is None or (latest is not None and closed > latest):
                self.wrong.append(f"told nobody, and had to by {latest}: {about}")
        elif row.ended_as or (latest is not None and latest < self.week.played.outages.ends):
            self.wrong.append(f"{row.ended_as or 'waits'} and had to be told by {latest}: {about}")

    def _quiet(self, told: Told, notice: Notice, model: Model, about: str) -> None:
        until = quiet_until(QUIET.get(reader_of(told.to)), notice.begun_at)
        if until is not None and not notice.anyway:
            self.wrong.append(f"told at {notice.begun_at}, in quiet hours until {until}: {about}")
        if notice.anyway and until is None:
            self.wrong.append(f"said to be in quiet hours at {notice.begun_at}: {about}")
        if notice.anyway and notice.count == 1 and not presses(model, notice.begun_at, until):
            self.wrong.append(f"in quiet hours at {notice.begun_at}, and nothing ends before {until}: {about}")

    def latest(self, to: str, at: datetime, model: Model) -> datetime | None:
        """Return by when what falls due at an address has to be sent; None: not within the week."""
        away, quiet, hindered = self.week.played.outages, QUIET.get(reader_of(to)), False
        free = timedelta(0)
        while at < away.ends:
            until = quiet_until(quiet, at)
            if until is not None and not presses(model, at, until):
                at, free = max(at, until - TICK), timedelta(0)
            elif not away.sweeps(at) or not self._takes(to, at):
                hindered, free = True, timedelta(0)
            else:
                free += TICK
                if free > (_AFTERWARDS if hindered or self._befell(at) else _AT_ONCE):
                    return at
            at += TICK
        return None

    def _takes(self, to: str, at: datetime) -> bool:
        away = self.week.played.outages
        if to == world.WEBHOOK:
            return not within(away.hook, at)
        return away.takes_mail(at)

    def _befell(self, at: datetime) -> bool:
        """Say whether, around this time, a worker was killed or a reply was lost, to anybody."""
        return any(abs(at - one) <= APART + LEASE for one in self.befell)

    def _settled(self) -> None:
        """Whoever was told is told that nobody is needed any more, once a case and address, and nobody else is."""
        informed = {
            (one.operation, one.nth, one.to)
            for one in self.told
            if one.row.call is not None and (one.row.ended_as in ("taken", "may_have_arrived") or one.row.again)
        }
        came = Counter((one.operation, one.nth, one.to) for one in self.told if one.row.kind == "settled")
        wanted, open_yet = Counter[Any](), set()
        for pk, nth, to in informed:
            closed = self.week.models[pk].cases[nth - 1].closed
            if closed is not None and self.latest("", closed, self.week.models[pk]) is not None:
                wanted[pk, nth, to] = 1
            elif closed is not None:
                open_yet.add((pk, nth, to))
        self._differ("end told", Counter({one: n for one, n in came.items() if one not in open_yet}), wanted)

    def _promise(self) -> None:
        """At most one mail a notice, exactly one where it was taken, none where it was not; likewise a webhook's id."""
        played = self.week.played
        mails = Counter(one.id for one in played.mails)
        lost = {one.id for one in played.mails if one.lost}
        killed = {UUID(notice): where for _, where, notice in played.kills if notice}
        sent = {UUID(notice) for at, where, notice in played.kills if notice and self._was_sent(where, at)}
        for pk, row in self.notices.items():
            if row.address.to == world.WEBHOOK:
                continue
            came = mails.pop(row.told.hex, 0)
            least, most = {"taken": (1, 1), "may_have_arrived": (0, 1)}.get(row.ended_as, (0, 0))
            if row.ended_as == "may_have_arrived":
                least = most = int(row.told.hex in lost or pk in sent)
                if row.told.hex not in lost and killed.get(pk) not in (BEFORE_SENDING, AFTER_SENDING):
                    self.wrong.append(f"notice {pk} may have arrived, and nothing befell it")
            if not row.ended_as and pk in killed:
                most = 1
            if not least <= came <= most:
                self.wrong.append(f"notice {pk} is {row.ended_as or 'on its way'}, and {came} mails arrived")
        self.wrong += [f"a mail {one} of no notice arrived {times} times" for one, times in mails.items()]

    def _was_sent(self, where: int, at: datetime) -> bool:
        """Say whether a worker that died there at this tick had a mail taken: not where the server took none."""
        return where == AFTER_SENDING and self.week.played.outages.takes_mail(at)

    def _grouping(self) -> None:
        """What notices count is what they told; more than three alike are one, three or fewer each their own."""
        count = Counter(one.row.notice_id for one in self.told if one.row.notice_id is not None)
        cases = defaultdict(set)
        for one in self.told:
            cases[one.row.notice_id].add(one.row.case_id)
        alike: defaultdict[Any, list[int]] = defaultdict(list)
        for pk, row in self.notices.items():
            # Of what was not sent, some is over and the rest went into a later notice.
            if pk in count and row.ended_as in ("taken", "may_have_arrived"):
                if row.count != len(cases[pk]):
                    self.wrong.append(f"notice {pk} counts {row.count} operations, and is about {len(cases[pk])}")
                alike[row.address_id, row.recipient_id, row.kind, row.begun_at].append(count[pk])
        for where, counted in alike.items():
            singles, groups = counted.count(1), [one for one in counted if one > 1]
            if any(one <= ABOVE for one in groups) or singles > ABOVE:
                self.wrong.append(f"grouped otherwise than by more than {ABOVE}: {counted} at {where}")


def presses(model: Model, at: datetime, until: datetime | None) -> bool:
    """Say whether something of an operation ends so early that whoever hears of it after quiet hours is too late."""
    life = model.life
    ends = [life.deadline] if life.deadline is not None else []
    if life.sealed and life.recipient.protects is not None:
        ends.append(life.begun + life.recipient.protects)
    return until is not None and any(at < one <= until + life.recipient.lead for one in ends)


__all__ = ["Telltale", "presses"]
