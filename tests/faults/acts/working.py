"""What workers do: they send, look after what was sent, ask, and read by the contract in force."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from escalation.decisions.close_original import close_original
from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.protected_repeat import protected_repeat
from escalation.models import Call, Chain
from escalation.models import Case as Case_
from escalation.tasks import call_chains, wake_cases
from operations import models, tasks
from operations.core.missing import Fact
from tests.escalation.teams.made import chain, team
from tests.faults.acts.deciding import taker
from tests.faults.case import Act, Case
from tests.faults.process import Outcome
from tests.faults.scenes import Intended
from tests.faults.stage import CORRECTED, PAST_EVERY_LEASE, UNKEPT, Stage, publish

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
_open: list[Intended] = []


@contextmanager
def _unannounced() -> Iterator[None]:
    """Nothing is announced to the workers by what is decided meanwhile."""
    hints = transaction.on_commit
    transaction.on_commit = lambda *_, **__: None
    try:
        yield
    finally:
        transaction.on_commit = hints


def _authorised(stage: Stage, made: Intended) -> UUID:
    """The attempt of this desk that a person authorised; nothing announced it."""
    assert made.operation is not None
    with _unannounced():
        row = protected_repeat(made.operation, taker(stage, made, "otto"), executor="desk")
    assert row.attempt_id is not None
    return row.attempt_id


def _sends(stage: Stage, made: Intended) -> Case:
    return _sending(stage, made, _authorised(stage, made))


def send_what_closes(stage: Stage) -> Case:
    """The request was lost on its way; a worker sends what closes the operation."""
    made = Intended(stage).lost(request="lost")
    assert made.operation is not None
    with _unannounced():
        row = close_original(made.operation, taker(stage, made, "otto"), executor="desk")
    assert row.attempt_id is not None
    return _sending(stage, made, row.attempt_id)


def _sending(stage: Stage, made: Intended, attempt: UUID) -> Case:
    def send() -> Outcome:
        tasks.send(str(attempt))
        return Outcome(status=200, way="send")

    return Case(stage=stage, intended=made, do=send, polls=True)


def send_under_protection(stage: Stage) -> Case:
    """The first answer was lost; a worker sends the same again."""
    return _sends(stage, Intended(stage).lost())


def send_and_lose_the_answer(stage: Stage) -> Case:
    """The same, and the second answer is lost as well."""
    made = Intended(stage).lost()
    made.desk.control.tell(key=made.key, reply="lost", ending="reset")
    return _sends(stage, made)


def send_where_nothing_protects(stage: Stage) -> Case:
    """Nothing was sent yet; a worker sends for the first time, and no key would make a second one harmless."""
    return _sends(stage, Intended(stage, UNKEPT).never_left())


def send_what_may_not_go_any_more(stage: Stage) -> Case:
    """It was authorised; before a worker comes to it the recipient says that it happened."""
    made = Intended(stage).lost()
    case = _sends(stage, made)
    made.asked()

    def wrong() -> Iterator[str]:
        if len(made.desk.control.truth(made.key)["passages"]) != 1:
            yield "what was not permitted any more was sent"

    case.wrong = wrong
    return case


def send_and_be_turned_away(stage: Stage) -> Case:
    """The recipient answers that it wants to be left alone for a while."""
    made = Intended(stage).lost()
    made.desk.control.tell(key=made.key, handling="turn_away", status=429)
    case = _sends(stage, made)
    case.polls = False
    return case


def look_after_what_was_sent(stage: Stage) -> Case:
    """A worker died as it sent, its lease ran out: the attempt is ended as unknown, and nothing is sent again."""
    made = Intended(stage).lost()
    attempt = _authorised(stage, made)
    models.Dispatch.objects.filter(attempt_id=attempt).update(claimed_by="a worker that died", leased_until=stage.now())

    def wrong() -> Iterator[str]:
        if models.Dispatch.objects.get(attempt_id=attempt).ended_as != "lapsed":
            yield "the lease ran out, and the attempt is not shown as of unknown outcome"

    return Case(stage=stage, intended=made, do=_sweep, wrong=wrong)


def announce_what_waits(stage: Stage) -> Case:
    """The message of a send was lost; it is announced again."""
    made = Intended(stage).lost()
    _authorised(stage, made)
    return Case(stage=stage, intended=made, do=_sweep, polls=True)


def _sweep() -> Outcome:
    tasks.sweep_sends()
    return Outcome(status=200, way="sweep_sends")


def ask_about_what_is_due(stage: Stage) -> Case:
    """A worker asks the recipient's record, and records what it says."""
    return _asks(stage, Intended(stage).lost())


def ask_a_recipient_for_the_first_time(stage: Stage) -> Case:
    """The same of a recipient that was never asked before."""
    return _asks(stage, Intended(stage, stage.another_recipient()).lost())


def _asks(stage: Stage, made: Intended) -> Case:
    models.Due.objects.filter(operation=made.operation).update(at=stage.now())

    def ask() -> Outcome:
        tasks.poll()
        return Outcome(status=200, way="poll")

    def wrong() -> Iterator[str]:
        if models.Observation.objects.filter(operation=made.operation, channel="record").count() != 1:
            yield "the answer is not on record once"
        if made.row.evidence != "applied":
            yield f"the record says that it happened, and the evidence is {made.row.evidence}"

    return Case(stage=stage, intended=made, do=ask, polls=True, wrong=wrong)


def call_a_person_in_time(stage: Stage) -> Case:
    """The time has come at which somebody has to look."""
    made = Intended(stage).lost()
    models.Due.objects.filter(operation=made.operation).update(call_at=stage.now())

    def call() -> Outcome:
        tasks.call_people()
        return Outcome(status=200, way="call_people")

    def wrong() -> Iterator[str]:
        if models.Due.objects.filter(operation=made.operation, call_at__lte=stage.now()).exists():
            yield "nobody was called"

    return Case(stage=stage, intended=made, do=call, wrong=wrong)


def wake_what_was_put_off(stage: Stage) -> Case:
    """It was left unresolved until a time that has come."""
    made = Intended(stage).lost()
    assert made.operation is not None
    leave_unresolved(
        made.operation,
        taker(stage, made, "mira"),
        fact=Fact.WHETHER_IT_HAPPENED,
        told="Ada",
        look_again_at=stage.now() + PAST_EVERY_LEASE / 2 * SECOND,
        remark="",
    )
    stage.pass_every_lease()

    def wake() -> Outcome:
        wake_cases()
        return Outcome(status=200, way="wake_cases")

    def wrong() -> Iterator[str]:
        if Case_.objects.filter(operation=made.operation, closed_at=None, snoozed_until__isnull=False).exists():
            yield "what was put off did not come back"

    return Case(stage=stage, intended=made, do=wake, wrong=wrong)


def call_by_the_chain(stage: Stage) -> Case:
    """Its first step is due, and no other case's: what is passed is the same every time."""
    made = Intended(stage).lost()
    if not Chain.objects.exists():
        chain(team("Fallback", owns=""), ("pager", 24 * 60))
    models.Due.objects.filter(operation=made.operation).update(call_at=stage.now())
    tasks.call_people()
    Case_.objects.exclude(operation=made.operation).filter(closed_at=None).update(next_call_at=stage.now() + DAY)

    def call() -> Outcome:
        call_chains()
        return Outcome(status=200, way="call_chains")

    def wrong() -> Iterator[str]:
        if Call.objects.filter(case__operation=made.operation).count() != 1:
            yield "its first step was not called once"

    return Case(stage=stage, intended=made, do=call, wrong=wrong)


def read_by_the_contract_in_force(stage: Stage) -> Case:
    """A correction was published; what was learnt is read anew."""
    while _open:
        _settle(_open.pop())
    made = Intended(stage, CORRECTED).lost()
    _open.append(made)
    publish(CORRECTED, now=stage.now())

    def reread() -> Outcome:
        tasks.reread()
        return Outcome(status=200, way="reread")

    def wrong() -> Iterator[str]:
        newest = models.Contract.objects.filter(recipient__key=CORRECTED).latest("version")
        if made.row.judged_by_id != newest.id:
            yield "it is not read by the contract in force"

    return Case(stage=stage, intended=made, do=reread, wrong=wrong)


def _settle(made: Intended) -> None:
    """It is not read anew once more, if it is there still."""
    if models.Operation.objects.filter(identity=made.key).exists():
        made.asked()


ACTS = tuple(
    Act(name=prepare.__name__.replace("_", " "), process="worker", prepare=prepare)
    for prepare in (
        send_under_protection,
        send_and_lose_the_answer,
        send_where_nothing_protects,
        send_what_may_not_go_any_more,
        send_what_closes,
        send_and_be_turned_away,
        look_after_what_was_sent,
        announce_what_waits,
        ask_about_what_is_due,
        ask_a_recipient_for_the_first_time,
        call_a_person_in_time,
        wake_what_was_put_off,
        call_by_the_chain,
        read_by_the_contract_in_force,
    )
)
