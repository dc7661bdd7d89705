"""What has to be broken off: every way in, every door, every step of a send, every function that writes; from the code.

What the code has and no act passes is missing, and a run with anything missing has failed.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Final

from django.test import RequestFactory
from django.urls import URLPattern

from tests.faults.points import ROOT
from tests.faults.process import Ran

_SIGNING_IN: Final = "people sign in, prove who they are, or change how they do"
_SIGN_IN: Final = (
    "account_change_password account_login account_reauthenticate account_set_password mfa_activate_totp"
    " mfa_add_webauthn mfa_authenticate mfa_deactivate_totp mfa_generate_recovery_codes mfa_login_webauthn"
    " mfa_reauthenticate mfa_reauthenticate_webauthn mfa_remove_webauthn usersessions_list"
    " sign_in sign_in_by_link sign_out"
)
_MINDING: Final = "who looks after a case is said; it changes no fact and decides nothing"
_MIND: Final = "case_take case_give_back case_hand_over case_seen case_put_off case_note"
_WRITE_CONTRACTS: Final = (
    "begin_draft contract_draft contract_draft_text contract_draft_rules contract_draft_rule new_contract"
)
_RECORDS: Final = (
    "what a runtime's record shows; an operation is opened there by the same function as at the agents' door, whose steps"
    " are broken off, and is bound to its call in the same transaction"
)
_HANDED: Final = "who was told what; it says nothing of the effect, and is one row, written once"
# Ways in that are no door: nothing about an operation is decided, sent or learnt there.
NO_DOORS: Final[Mapping[str, str]] = {
    **{f"view {name}": _SIGNING_IN for name in _SIGN_IN.split()},
    **{f"view {name}": _MINDING for name in _MIND.split()},
    **{f"view {name}": "contracts are written, not operations" for name in _WRITE_CONTRACTS.split()},
    "view queue_many": "what is done about many at once is safe: who looks after a case, and sooner asks by the schedule",
    "view queue_views": "an address is kept under a name; no operation is touched",
    "view queue_all": "the view of queue_many, for all that the queue is narrowed to",
    "view notice_addresses": "where teams are told; no operation is touched",
    "view confirm_address": "where somebody is told; no operation is touched",
    "view reached": "where somebody is told, and when not; no operation is touched",
    "task escalation.tasks.tell_people": "tells people what stands; no operation is touched, and its own breaks are tested",
    "task escalation.tasks.tell_programs": "tells programs what stands; no operation is touched, and its own breaks are tested",
    "task escalation.tasks.forget_told": "forgets what programs were told long ago",
    "view subscription": "which programs are told; no operation is touched",
    "view subscriptions": "which programs are told; no operation is touched",
    "view keys": "keys of programs; no operation is touched",
    "view people": "who may do what is set; no operation is touched",
    "view person": "who may do what is set; no operation is touched",
    "view publish_contract": "one row is published; what follows from it is operations.tasks.reread",
    **{f"view {name}": _RECORDS for name in ("runs", "run_upload", "run_call", "tools", "output_rules")},
    "task operations.tasks.judge_outputs": "lists of runs are judged anew, which can be done again; no operation is touched",
    "api collect_result": _HANDED,
    "api tell_delivery": _HANDED,
    "view rehearsal": "a rehearsal plays against a desk of its own and writes no operation",
    "view recipient": "asking is paused or goes on; no operation is touched",
    "view team": "whom cases call is set; no operation is touched",
    "view teams": "whom cases call is set; no operation is touched",
    "view rota": "whom cases call is set; no operation is touched",
    "view rules": "who may do what is set; no operation is touched",
    "view hook_channel": "the view of hook, under the name of a channel",
    "task escalation.rehearsing.tasks.rehearse": "a rehearsal plays against a desk of its own and writes no operation",
    "task escalation.tasks.export_checkpoint": "reads every chain and writes a file",
    "task escalation.tasks.sum_days": "sums what cases tell, which can be summed again; no operation is touched",
    "task escalation.tasks.forget_ended_sessions": "forgets sessions",
}
# Functions that write and that no act passes, with why; each name has to be there.
_CONTRACTS: Final = "contracts are written, not operations"
_READS: Final = "reads or locks, and writes nothing"
_RUNS: Final = "what a runtime's records show of calls; no operation is touched"
NO_STEPS: Final[Mapping[str, str]] = {
    "escalation.decisions.contract_draft.announce_published": "a hint that may be lost: the sweep reads anew, as an act does",
    "escalation.decisions.contract_draft.begin_contract_draft": _CONTRACTS,
    "escalation.decisions.contract_draft.publish_contract": _CONTRACTS,
    "escalation.decisions.contract_draft.write_contract_draft": _CONTRACTS,
    "escalation.decisions.rules._added": "who may do what is set; no operation is touched",
    "escalation.decisions.rules.end": "who may do what is set; no operation is touched",
    "operations.recording.addressing.set_address": "where a recipient is found; no operation is touched",
    "operations.recording.asked._write": "the way out where one answer can't be stored; its steps are Recording's own",
    "operations.recording.checkpointing.keep": "the row of an exported file; no operation is touched",
    "operations.recording.hastening.hasten": "the schedule moves; what is asked then is an act of its own",
    "operations.recording.delivering._keep": _HANDED,
    "operations.recording.held._first_received": _READS,
    "operations.recording.keys.add_key": "keys of programs; no operation is touched",
    "operations.recording.keys.end_key": "keys of programs; no operation is touched",
    "operations.recording.keys.key_named": _READS,
    "operations.recording.links.link": _RUNS,
    "operations.recording.links.unlink": _RUNS,
    "operations.recording.messages.note_refused": "counts a message of which nothing is kept",
    "operations.recording.output_rules._ended": _RUNS,
    "operations.recording.output_rules._hold": _READS,
    "operations.recording.output_rules.behind": _RUNS,
    "operations.recording.output_rules.followed": _RUNS,
    "operations.recording.output_rules.write": _RUNS,
    "operations.recording.pacing._own": "asking is paused by a person; no operation is touched",
    "operations.recording.pacing.pause": "asking is paused by a person; no operation is touched",
    "operations.recording.pacing.reset": "asking goes on by a person's word; no operation is touched",
    "operations.recording.publishing._recipient": _CONTRACTS,
    "operations.recording.publishing.begin_draft": _CONTRACTS,
    "operations.recording.publishing.publish": _CONTRACTS,
    "operations.recording.publishing.publish_draft": _CONTRACTS,
    "operations.recording.publishing.write_draft": _CONTRACTS,
    "operations.recording.registering.lock_subjects": _READS,
    "operations.recording.registering.open_about": _READS,
    "operations.recording.registering_many._asked": _READS,
    "operations.recording.runs.add": _RUNS,
    "operations.recording.runs.bind": _RUNS,
    "operations.recording.runs.forget": _RUNS,
    "operations.recording.runs.hold": _READS,
    "operations.recording.runs.say_of_tool": _RUNS,
    "operations.recording.runs.show": _RUNS,
    "operations.recording.runs.stage": _RUNS,
    "operations.recording.runs.start": _RUNS,
    "operations.recording.runs.unbind": _RUNS,
    "operations.tasks.judge_outputs": "lists of runs are judged anew, which can be done again; no operation is touched",
}
WRITERS: Final = (
    "operations/recording",
    "operations/dispatch",
    "operations/listening",
    "operations/polling",
    "operations/channels/sending.py",
    "operations/channels/connection.py",
    "operations/tasks.py",
    "escalation/decisions",
)
_WRITES: Final = {
    "save",
    "create",
    "bulk_create",
    "get_or_create",
    "update_or_create",
    "delete",
    "execute",
    "apply_async",
    "delay",
    "copy",
    "connect",
    "send",
    "sendall",
}


@cache
def required() -> dict[str, str]:
    """Return everything that an act has to pass, with where it is found."""
    found: dict[str, str] = {}
    found |= {f"door {name}": where for name, where in _doors()}
    found |= {f"view {name}": "escalation.urls" for name in _views()}
    found |= {f"api {name}": "operations.api" for name in _endpoints()}
    found |= {f"task {name}": "celery" for name in _tasks()}
    found |= {f"step {name}": "operations.dispatch" for name in _steps()}
    found |= {f"function {name}": "" for name in _functions()}
    return found


def passed(runs: Iterable[Ran]) -> set[str]:
    """Return what these runs have passed, in the words of `required`."""
    found: set[str] = set()
    for ran in runs:
        found |= {f"door {name}" for name in ran.doors}
        found |= {f"task {name}" for name in ran.tasks}
        found |= {f"function {name}" for name in ran.functions}
        found |= {name.partition(" (")[0] for name in ran.passed if name.startswith("step ")}
        way = "" if ran.outcome is None else ran.outcome.way
        found.add(f"api {way.partition(':')[2]}" if way.startswith("api_v1:") else f"view {way}")
    return found


def missing(runs: Iterable[Ran]) -> list[str]:
    """Return what no run has passed and nothing excuses; and what is excused and is not there, or is passed all the same."""
    wanted, have = required(), passed(runs)
    excused = {**NO_DOORS, **{f"function {name}": why for name, why in NO_STEPS.items()}}
    lost = [f"{name} has no fault point" for name in wanted if name not in have and name not in excused]
    stale = [f"{name} is excused and is not there" for name in excused if name not in wanted]
    return sorted(lost) + sorted(stale)


def modules(*places: str) -> Iterator[tuple[str, ast.Module]]:
    for place in places:
        root = ROOT / place
        for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def _doors() -> Iterator[tuple[str, str]]:
    """Every `Door(name=...)` of the decisions."""
    for module, tree in modules("escalation/decisions"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node) == "Door":
                named = next((one.value for one in node.keywords if one.arg == "name"), None)
                if isinstance(named, ast.Constant):
                    yield str(named.value), module
                elif isinstance(named, ast.Name):
                    yield str(getattr(import_module(module), named.id)), module


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _views() -> Iterator[str]:
    """Every address that takes a POST, the agents' door aside."""
    from escalation.urls import urlpatterns

    for pattern in urlpatterns:
        if isinstance(pattern, URLPattern) and _takes_a_post(pattern):
            yield str(pattern.name)


def _takes_a_post(pattern: URLPattern) -> bool:
    """A class has a method for it; a function answers to a method that no address takes with those that it takes."""
    as_class = getattr(pattern.callback, "view_class", None)
    if as_class is not None:
        return hasattr(as_class, "post")
    answer = pattern.callback(RequestFactory().generic("PROPFIND", "/"))
    return "POST" in answer.headers.get("Allow", "POST")


def _endpoints() -> Iterator[str]:
    from operations.api.endpoints import router

    for view in router.path_operations.values():
        for operation in view.operations:
            if set(operation.methods) - {"GET", "HEAD"}:
                yield operation.view_func.__name__


def _tasks() -> Iterator[str]:
    from escalation.celery import app

    app.loader.import_default_modules()
    yield from (name for name in app.tasks if name.startswith(("operations.", "escalation.")))


def _steps() -> Iterator[str]:
    """Every step that a send tells: by its literal name, or as one of the wire's."""
    from operations.channels.sending import Step

    yield from (step.value for step in Step)
    for _, tree in modules("operations/dispatch"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node) == "step" and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def _functions() -> Iterator[str]:
    """Every function that writes to the database, to a recipient or to the broker."""
    for module, tree in modules(*WRITERS):
        yield from (f"{module}.{name}" for name in _writing(tree.body, prefix=""))


def _writing(body: Iterable[ast.stmt], *, prefix: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _writing(node.body, prefix=f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(map(_writes, ast.walk(node))):
            yield f"{prefix}{node.name}"


def _writes(node: ast.AST) -> bool:
    """Whether it is a call that writes: by its name; `append` by a pen alone, `update` where it names columns."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name, on = node.func.attr, node.func.value
    if name == "append":
        return isinstance(on, ast.Name) and on.id in ("pen", "fresh")
    if name == "update":
        return bool(node.keywords)
    return name in _WRITES
