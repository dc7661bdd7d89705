"""The corners in which the law and the worlds part: each pinned with its smallest record and a world that shows it.

Whoever changes the law there sees the pin fail. Nothing else is excepted from the proof (test_simulated.py).
"""

from operations.core.actions import Action
from operations.core.conflicts import ConflictKind
from operations.core.permitted import Kind, Refusal, permitted
from operations.core.protection import ProtectionReason
from operations.core.standing import FurtherEffect, Standing, infer
from tests.simulator.checks import wrongs
from tests.simulator.exceptions import Corner
from tests.simulator.exhaustive import ALL_TERMS
from tests.simulator.plans import OFF_RECORD, REPEAT
from tests.simulator.recipient import Answers, Closures, Copy, Recipient, Store, Submission, World
from tests.simulator.sayings import sayings
from tests.simulator.scenario import Setting, Stage
from tests.simulator.view import View

CLASSES = {saying.code: saying for saying in sayings(2)}


def judged(setting: Setting, *codes: str) -> tuple[Standing, dict[Action, Refusal | None], set[Corner | None]]:
    """Return what the core says of a record, and the corners which the worlds find there (None: a fault)."""
    stage, said = Stage(setting), tuple([CLASSES[code] for code in codes])
    standing = infer(stage.facts(said), now=stage.timeline.seconds_now)
    verdict = permitted(standing)
    return standing, verdict, {wrong.corner for wrong in wrongs(View(stage, said), standing, verdict)}


def setting_of(pattern: str, terms: str, *, for_good: bool = False, sealed: bool = True) -> Setting:
    return Setting(pattern, ALL_TERMS[terms], for_good=for_good, sealed=sealed)


def effects(*submissions: Submission, store: Store | None = None, closures: Closures | None = None) -> int:
    return len(Recipient(World(submissions, store, closures or Closures())).effects)


def test_a_repeat_under_a_stated_protection_meets_a_copy_that_was_sent_without_one() -> None:
    """semantics.md assumes that copies sent *under* protection arrive before it ends; this one may come later."""
    _, verdict, corners = judged(setting_of("ao", "undocumented"), "kept")
    assert verdict[Action.REPEAT] is None
    assert corners == {Corner.STRAGGLER}
    original = Submission("a1", 10, (Copy(10_002, acts=10_002),))
    repeat = Submission(REPEAT, 30, (Copy(31, acts=31),))
    kept_until = Store(dropped=10_000)
    assert effects(original, store=kept_until) == 1
    assert effects(original, repeat, store=kept_until) == 2


def test_a_further_effect_is_excluded_though_the_recipient_withdrew_the_protection() -> None:
    """`further_effect` goes by the contract's terms, "statements aside": a withdrawal is set aside too."""
    standing, _, corners = judged(setting_of("aoao", "window open"), "lost", "applied")
    assert standing.further_effect is FurtherEffect.EXCLUDED
    assert corners == {Corner.WITHDRAWN}
    first = Submission("a1", 10, (Copy(11, acts=11),))
    second = Submission("a2", 30, (Copy(31, acts=31),))
    assert effects(first, second, store=Store()) == 1
    assert effects(first, second, store=Store(dropped=20)) == 2


def test_a_contradiction_that_a_submission_not_on_record_could_explain() -> None:
    """The exemption of a closure that covers earlier attempts looks at attempts on record alone."""
    standing, _, corners = judged(setting_of("aoo", "none", sealed=False), "closed", "applied")
    assert standing.conflict is ConflictKind.APPLIED_AND_CLOSED
    assert corners == {Corner.UNRECORDED}
    unknown = Submission(OFF_RECORD, 25, (Copy(25, acts=25),), None)
    run = Recipient(World((Submission("a1", 10), unknown), None, Closures((15,), for_good=False)))
    answers = Answers(run)
    assert answers.closed(20)
    assert answers.applied(30)


def test_a_further_effect_is_possible_though_a_closure_covers_all_but_one_attempt() -> None:
    """`live` does not look at closures."""
    standing, _, corners = judged(setting_of("aoao", "none"), "closed", "applied")
    assert standing.further_effect is FurtherEffect.POSSIBLE
    assert corners == {Corner.CLOSED_STILL_COUNTED}
    closed = Submission("a1", 10, (Copy(45, acts=45),))
    applied = Submission("a2", 30, (Copy(31, acts=31),))
    assert effects(closed, applied, closures=Closures((15,), for_good=False)) == 1


def test_a_repeat_is_refused_for_an_attempt_elsewhere_that_a_closure_covers() -> None:
    """`live` does not look at closures, so the scope of an attempt that can't act still shuts the door."""
    standing, verdict, corners = judged(setting_of("aoa", "first in another scope"), "closed")
    refusal = verdict[Action.REPEAT]
    assert refusal is not None
    assert refusal.kind is Kind.HARM
    assert standing.protection_reason is ProtectionReason.SCOPE_DIFFERS
    assert corners == {Corner.CLOSED_ELSEWHERE}
    closed = Submission("a1", 10, (Copy(45, acts=45),), "other scope")
    live = Submission("a2", 30, (Copy(31, acts=31),))
    repeat = Submission(REPEAT, 40, (Copy(41, acts=41),))
    shut = Closures((15,), for_good=False)
    assert effects(closed, live, repeat, store=Store(), closures=shut) == 1


def test_a_closure_for_good_is_taken_to_end_the_operation_whatever_identity_went_out() -> None:
    """An assumption, not a corner: a `closed` is about this operation, so it covers what isn't on record.

    Protection does not assume so (row `record_incomplete`). If a recipient closed only one identity, a submission not
    on record under another would act beside a new operation.
    """
    _, verdict, corners = judged(setting_of("ao", "none", for_good=True, sealed=False), "closed")
    assert verdict[Action.PROPOSE_NEW] is None
    assert corners == set()
    unknown = Submission(OFF_RECORD, 5, (Copy(40, acts=40),), "another identity")
    assert effects(unknown, closures=Closures((15,))) == 0
    assert effects(unknown, closures=Closures((15,), key="k")) == 1
