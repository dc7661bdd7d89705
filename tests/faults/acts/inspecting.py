"""What people find out: they ask the recipient, or take down what they read and confirm it, in a web process."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

from django.test import Client
from django.urls import reverse

from escalation.decisions.inspection import Taken, take_down
from escalation.models import Inspection
from operations import inspecting, models
from tests.faults.case import Act, Case, answered
from tests.faults.process import Outcome
from tests.faults.scenes import Intended
from tests.faults.stage import Stage

COUNTER = "counter"


def posting(browser: Client, address: str, *args: Any, **words: Any) -> Callable[[], Outcome]:
    """What pressing this button does."""
    return lambda: answered(browser.post(reverse(address, args=args), words))


def ask_the_recipient(stage: Stage) -> Case:
    """A person presses the button that asks the recipient's record."""
    made = Intended(stage).lost()
    browser = stage.browser("mira")
    press = posting(browser, "observe", made.row.number, channel="record")

    def again(_: Outcome | None) -> Outcome:
        known = models.Observation.objects.filter(operation=made.operation, channel="record").exists()
        if known:  # the page shows what was learnt, or says that it wants time between two asks
            return Outcome(status=200, said="the answer is on the page")
        return press()

    def wrong() -> Iterator[str]:
        if made.row.evidence != "applied":
            yield "the recipient was asked, and what it answered is not on record"

    return Case(stage=stage, intended=made, do=press, again=again, wrong=wrong)


def _said(stage: Stage, made: Intended) -> dict[str, Any]:
    number = made.desk.control.tickets(made.key)[0]
    return {"key": made.key, "place": "East", "parcel": made.parcel, "state": "issued", "ticket": number}


def _sheet(made: Intended) -> inspecting.Sheet:
    assert made.operation is not None
    return inspecting.sheet(
        models.Operation.objects.select_related("recipient", "contract").get(id=made.operation), COUNTER
    )


def take_down_what_the_staff_say(stage: Stage) -> Case:
    """One person takes down what the staff read out."""
    made = Intended(stage).lost()
    said, once = _said(stage, made), uuid4()
    fields: dict[str, Any] = {}
    for index, asked in enumerate(_sheet(made).asked):
        value = said[asked.place.rpartition("/")[2]]
        if asked.values:
            fields[f"said{index}"] = str(list(asked.values).index(value))
        else:
            fields[f"said{index}_text"] = value
    words = {**fields, "read_at": f"{stage.now():%Y-%m-%dT%H:%M}", "once": str(once), "notes": "over the counter"}
    press = posting(stage.browser("mira"), "inspect", made.row.number, **words)

    def wrong() -> Iterator[str]:
        if Inspection.objects.filter(operation=made.operation).count() != 1:
            yield "what the staff said was not taken down once"
        if models.Observation.objects.filter(operation=made.operation, channel=COUNTER).exists():
            yield "what one person took down counts already"

    return Case(stage=stage, intended=made, do=press, wrong=wrong)


def taken_down(stage: Stage, made: Intended) -> UUID:
    """An inspection that waits for a second person."""
    assert made.operation is not None
    said = _said(stage, made)
    typed = {asked.place: said[asked.place.rpartition("/")[2]] for asked in _sheet(made).asked}
    taken = Taken(
        channel=COUNTER,
        typed=typed,
        said=[(place, str(value)) for place, value in typed.items()],
        read_at=stage.now(),
        notes="",
        once=uuid4(),
    )
    return take_down(made.operation, taken, person=stage.person("mira"), now=stage.now()).id


def _judged(stage: Stage, *, evidence: str, **words: Any) -> Case:
    made = Intended(stage).lost()
    inspection = taken_down(stage, made)
    press = posting(stage.browser("omar"), "inspection", made.row.number, inspection, **words)

    def again(_: Outcome | None) -> Outcome:
        found = press()  # what was decided already is told as such
        return Outcome(status=200, said="it was decided already") if found.status == 409 else found

    def wrong() -> Iterator[str]:
        row = Inspection.objects.get(id=inspection)
        if (row.confirmed_at is None) == (row.rejected_at is None):
            yield "the inspection was neither confirmed nor put aside"
        if made.row.evidence != evidence:
            yield f"after the inspection was judged the evidence is {made.row.evidence}, not {evidence}"

    return Case(stage=stage, intended=made, do=press, again=again, wrong=wrong)


def confirm_what_another_took_down(stage: Stage) -> Case:
    """A second person read the same."""
    return _judged(stage, evidence="applied", act="confirm", read_it="on")


def reject_what_another_took_down(stage: Stage) -> Case:
    """A second person read something else."""
    return _judged(stage, evidence="unknown", act="reject", because="It says something else.")


ACTS = tuple(
    Act(name=prepare.__name__.replace("_", " "), process="web", prepare=prepare)
    for prepare in (
        ask_the_recipient,
        take_down_what_the_staff_say,
        confirm_what_another_took_down,
        reject_what_another_took_down,
    )
)
