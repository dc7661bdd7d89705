"""A run that stopped before a new proposal goes on once people have said what becomes of the one that is open."""

import asyncio
from collections.abc import Iterable
from typing import Any

from agents import FunctionTool, RunState, ToolApprovalItem

from unresolved.adapters.openai_agents.tool import NO_CALL, Answers, answers_of, chosen_in
from unresolved.envelope import Envelope
from unresolved.kept import JournalUnwritable
from unresolved.words import OPEN, Next

# What the other came to that leaves a proposal of its own name free to be made: it was not, and will not be, done.
_FREE = (Next.CLOSED, Next.NOT_SENT)


async def settle(
    state: RunState[Any, Any], tools: Iterable[FunctionTool], *, context: object = None
) -> list[ToolApprovalItem]:
    """Decide each interruption of a guarded tool by what became of the operation it stopped for; return what still waits.

    Where that ended without effect and the proposal has a name of its own, the call goes on, and the desk is asked as for
    any other. Else the call gets what is known of the other as its one output: it happened, or another carries it.
    What makes no request, which the SDK stops for as well, is told so. `context` is the run's, for the parameters that it
    gives. Nothing is decided that a person did not, or a record.
    """
    by_tool = {tool.name: answers for tool in tools if (answers := answers_of(tool)) is not None}
    waiting = []
    for item in state.get_interruptions():
        answers = by_tool.get(item.name or "")
        if answers is None or not await _decided(state, item, answers, context):
            waiting.append(item)
    return waiting


async def _decided(state: RunState[Any, Any], item: ToolApprovalItem, answers: Answers, context: object) -> bool:
    try:
        call = answers.call(context, chosen_in(item.arguments or ""))
    except NO_CALL as error:
        state.reject(item, rejection_message=answers.no_call(context, item.arguments or "", error).as_text())
        return True
    try:
        told: Envelope | None = await asyncio.to_thread(answers.confronting.beside, call)
    except JournalUnwritable:
        return False
    if told is None or told.next in OPEN:
        return False
    if told.next in _FREE and told.identity != call.identity:
        state.approve(item)
    else:
        state.reject(item, rejection_message=told.as_text())
    return True
