"""Runs and their calls as people read them: what a record shows, where it stands, and why a call is listed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.imports import Call
from operations.imports.outputs import Ruled
from operations.imports.words import Reason
from operations.reading import runs as reading

if TYPE_CHECKING:
    from operations.models import Call as CallRow
    from operations.models import Run

PAGE: Final = 50
CALLS: Final = 200
SHOWN: Final = 4_000  # characters of a text that a page carries
OTHERS: Final = 5  # probable calls that a page names

FORMATS: Final[Mapping[str, str]] = {
    "run_state": "state of the Agents SDK",
    "requests": "requests with replies (Responses API)",
    "items": "list of Responses items",
    "conversation_items": "a server's list of a conversation",
    "chat": "Chat Completions transcript",
    "anthropic": "Messages transcript (Anthropic)",
    "mcp": "MCP log",
    "langgraph": "LangGraph thread",
    "codeflowmu_approval": "approval of CodeFlowMu",
    "codeflowmu_actions": "log of actions of CodeFlowMu",
}
# What each reason means to whoever reads the list (docs/imports.md, Reasons): a short chip, and the sentence.
REASONS: Final[Mapping[str, tuple[str, str]]] = {
    Reason.CONFLICTING_OUTPUTS: ("two different outputs", "Its records hold two different outputs for this one call."),
    Reason.NO_OUTPUT: ("no output", "Nothing on record says how the call ended."),
    Reason.IDENTITY_ONLY: ("only its id is left", "The record kept the call's id and lost what was asked."),
    Reason.ERROR_WRITE: ("ended with an error", "The record keeps an error. It says nothing of what happened outside."),
    Reason.CANCEL_REQUESTED: ("cancelling was asked", "Somebody wished to cancel it. That stops nothing that was sent."),
    Reason.OUTPUT_INCONCLUSIVE: ("output settles nothing", "The output speaks of an error or a timeout, or says nothing sure."),
    Reason.EFFECT_UNKNOWN: ("outcome unknown", "What this desk answered then: it is not known whether it happened."),
    Reason.EFFECT_PENDING: ("under way then", "What this desk answered then: the recipient was still working on it."),
    Reason.EFFECT_CONFLICT: ("contradiction", "What this desk answered then: the recipient contradicts itself."),
    Reason.SAME_ARGUMENTS_AGAIN_AFTER: ("the same again", "The same was asked again while the first was open: perhaps a second effect."),
    Reason.CHANGED_ARGUMENTS_AFTER: ("something else instead", "Something else was asked of this tool while the first was open."),
    Reason.CODE_BEFORE_INTERRUPT_RAN_AGAIN: ("ran twice", "What stands before the interrupt ran again when it resumed."),
    Reason.CODE_BEFORE_INTERRUPT_MAY_HAVE_ACTED: ("may have acted before it stopped", "What stands before the interrupt may have acted."),
    Reason.CALL_MISSING_FROM_ITEMS: ("lost from the items", "The model asked for it, and the run's items have lost it."),
    Reason.OUTPUT_WITHOUT_CALL: ("output without a call", "There is an output, and the record holds no call that asked for it."),
    Reason.OUTPUT_SENT_MORE_THAN_ONCE: ("output sent twice", "A server that keeps the history got the output more than once."),
    Reason.DELIVERY_UNKNOWN: ("did it arrive?", "It is not known whether the model got the output."),
    Reason.OUTPUT_NOT_DELIVERED: ("not delivered", "The output is there, and no request carried it."),
    Reason.DELIVERY_INFERRED_ONLY: ("delivery only inferred", "That the model got the output is inferred; no request shows it."),
    Reason.DECIDED_NOT_EXECUTED: ("decided, not carried out", "A person decided about it, and nothing was carried out yet."),
    Reason.AWAITING_DECISION: ("waits for a decision", "The run waits for a person to decide about it."),
    Reason.NESTED_RUN_WAITING: ("a run inside it waits", "An agent that runs as this tool waits for a person."),
    Reason.TASK_OPEN: ("task is open", "The server works on it as a task that has not ended."),
    Reason.RESULT_NOT_IN_NEXT_MESSAGE: ("result in the wrong place", "Its result does not stand in the very next message."),
}  # fmt: skip
DROPPED: Final[Mapping[str, str]] = {
    "context": "what the program gave its own run",
    "secret_name": "a value under the name of a secret",
    "secret_text": "a secret in a text",
}
_STARTED: Final = {
    "yes": "The runtime says that it entered the tool. That is no sign of an effect.",
    "no": "This runtime did not start it. Another copy may have been.",
    "unknown": "The record can't tell.",
}
_GATES: Final = {
    "none": "Nobody stands between the call and the tool.",
    "waiting": "The run waits for a person.",
    "approved": "A person approved it, and it was not carried out yet.",
    "rejected": "A person rejected it.",
    "task": "A task of the server stands for it.",
}
_DELIVERED: Final = {
    "not_sent": "No request carried it.",
    "sent_no_reply": "A request carried it, and no reply is on record.",
    "request_answered": "A request that carried it was answered.",
    "replayed_history": "It stands before a later message of the model, so it was in what the model read.",
    "inferred_only": "Inferred: a server keeps the history, and no request is on record.",
    "provider_side": "The provider had it itself.",
    "unknown": "The record can't tell.",
}
_CONSUMED: Final = {
    "yes": "A reply followed a request that contained it.",
    "no": "No request contained it.",
    "unknown": "The record can't tell.",
    "replayed_history": "The model spoke after it.",
    "inferred_only": "Inferred, as its delivery is.",
    "provider_side": "The provider's own model had it.",
}
CLASSES: Final[Mapping[str, str]] = {
    "claims_result": "claims a result",
    "inconclusive": "settles nothing",
    "not_attempted": "says that this runtime did not attempt it",
    "envelope": "is an answer of this desk",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One reason: its word, what it means, and the call that it is about ("" for none)."""

    word: str
    meaning: str
    other: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact of a call: what it is, what the records show, and where they show it."""

    name: str
    word: str
    sentence: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output of a call, with its class and the rule or text by which it is in it."""

    text: str
    cut: bool
    kind: str
    matched: str
    ruled: Ruled | None = None
    ruled_kind: str = ""


def chip(reason: str) -> Chip:
    """Return a reason as people read it; one that is not known here is shown as it is."""
    word, _, other = reason.partition(":")
    short, meaning = REASONS.get(word, (word, ""))
    return Chip(word=short, meaning=meaning, other=other)


def chips(reasons: Iterable[str]) -> list[Chip]:
    """Return these reasons as people read them."""
    return [chip(reason) for reason in reasons]


def facts(call: Call) -> list[Fact]:
    """Return what the records show of a call: asked, gate, started, and the four facts of its output, with evidence."""
    at = {name: tuple(places) for name, places in call.pointers.items()}
    output = at.get("output", ())
    delivered = "" if call.delivered is None else call.delivered.value
    consumed = "" if call.consumed is None else call.consumed.value
    produced = ("yes", "There is an output.") if call.outputs else ("no", "No output is on record.")
    nothing = "There is nothing that could have been."
    return [
        Fact(name="Asked for", word="yes" if "requested" in at else "not on record", sentence="By the model, or by the host of its tools.", places=at.get("requested", ())),
        Fact(name="A person's say", word=call.gate.value, sentence=_GATES[call.gate.value], places=at.get("gate", ())),
        *_decided(call, at),
        Fact(name="Started", word=call.started.value, sentence=_STARTED[call.started.value], places=at.get("started", ())),
        Fact(name="Produced", word=produced[0], sentence=produced[1], places=output),
        Fact(name="Kept", word=", ".join(call.persisted).replace("_", " ") or "no", sentence="Where the output stands." if call.persisted else "No record keeps an output.", places=output if call.persisted else ()),
        Fact(name="Delivered", word=delivered.replace("_", " ") or "no", sentence=_DELIVERED.get(delivered, nothing), places=output if delivered else ()),
        Fact(name="Consumed", word=consumed.replace("_", " ") or "no", sentence=_CONSUMED.get(consumed, nothing), places=()),
    ]  # fmt: skip


def _decided(call: Call, at: Mapping[str, tuple[str, ...]]) -> Iterator[Fact]:
    """Yield how far a decision got, where a record keeps that apart from the output."""
    if call.decision is not None:
        delivered, used = call.decision_delivered or "unknown", call.decision_consumed or "unknown"
        yield Fact(name="Decision", word=call.decision, sentence="What was decided.", places=at.get("decided", ()))
        yield Fact(
            name="Decision delivered",
            word=delivered,
            sentence="Whether the agent was told. That is not the output.",
            places=at.get("decision_delivered", ()),
        )
        yield Fact(
            name="Decision used",
            word=used,
            sentence="Whether the permission was used up. What came of it is not said.",
            places=at.get("decision_consumed", ()),
        )


def outputs(call: Call) -> list[Output]:
    """Return the outputs of a call; a long one is cut off, which is said."""
    return [
        Output(
            text=one.text[:SHOWN],
            cut=len(one.text) > SHOWN,
            kind=CLASSES[one.kind.value],
            matched=one.matched,
            ruled=one.ruled,
            ruled_kind=CLASSES[one.taken_for.value],
        )
        for one in call.outputs
    ]


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run of a list: how many calls it has, and how many of them are unresolved."""

    row: "Run"
    calls: int
    unresolved: int


def lines(*, among: Iterable[int] | None, before: int | None) -> tuple[list[RunLine], int | None]:
    """Return the runs of one page, the newest first, and behind which the next begins."""
    rows = reading.runs(among=None if among is None else list(among), before=before, limit=PAGE + 1)
    counts = reading.counts([row.pk for row in rows[:PAGE]])
    found = [RunLine(row, *counts.get(row.pk, (0, 0))) for row in rows[:PAGE]]
    return found, rows[PAGE - 1].pk if len(rows) > PAGE else None


@dataclass(frozen=True, slots=True)
class CallLine:
    """One call of a list: its chips, and the operation that a person bound it to, None for none."""

    row: "CallRow"
    chips: list[Chip]
    operation: int | None


def call_line(row: "CallRow") -> CallLine:
    """Return a call as its line shows it."""
    bound = getattr(row, "bound", [])
    return CallLine(row, chips(row.reasons), bound[0].operation.number if bound else None)
