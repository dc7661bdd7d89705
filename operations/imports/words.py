"""The words in which an imported record is read; each list is closed (docs/imports.md).

A record is a runtime's word about itself. It can show that a call was asked for, that an output exists and that a
request carried it; of the effect outside it shows nothing, so there is no word here for "failed" or "done".
"""

from enum import StrEnum


class Gate(StrEnum):
    """Whether a person stands between the call and the tool."""

    NONE = "none"
    WAITING = "waiting"
    APPROVED = "approved"
    REJECTED = "rejected"
    TASK = "task"


class Started(StrEnum):
    """Whether the runtime says that it entered the tool."""

    NO = "no"
    YES = "yes"
    UNKNOWN = "unknown"


class OutputClass(StrEnum):
    """What an output claims about the tool's work."""

    CLAIMS_RESULT = "claims_result"
    INCONCLUSIVE = "inconclusive"
    NOT_ATTEMPTED = "not_attempted"
    ENVELOPE = "envelope"


class Delivered(StrEnum):
    """Whether the output is known to have reached the model; of a server-managed state alone it is only inferred."""

    NOT_SENT = "not_sent"
    SENT_NO_REPLY = "sent_no_reply"
    REQUEST_ANSWERED = "request_answered"
    REPLAYED_HISTORY = "replayed_history"
    INFERRED_ONLY = "inferred_only"
    PROVIDER_SIDE = "provider_side"
    UNKNOWN = "unknown"


class Consumed(StrEnum):
    """Whether a model is known to have answered a request that contained the output."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    REPLAYED_HISTORY = "replayed_history"
    INFERRED_ONLY = "inferred_only"
    PROVIDER_SIDE = "provider_side"


class Reason(StrEnum):
    """Why a call is not done with; `same_arguments_again_after` and `changed_arguments_after` name the other call."""

    CONFLICTING_OUTPUTS = "conflicting_outputs"
    NO_OUTPUT = "no_output"
    IDENTITY_ONLY = "identity_only"
    ERROR_WRITE = "error_write"
    CANCEL_REQUESTED = "cancel_requested"
    OUTPUT_INCONCLUSIVE = "output_inconclusive"
    EFFECT_UNKNOWN = "effect_unknown"
    EFFECT_PENDING = "effect_pending"
    EFFECT_CONFLICT = "effect_conflict"
    SAME_ARGUMENTS_AGAIN_AFTER = "same_arguments_again_after"
    CHANGED_ARGUMENTS_AFTER = "changed_arguments_after"
    CODE_BEFORE_INTERRUPT_RAN_AGAIN = "code_before_interrupt_ran_again"
    CODE_BEFORE_INTERRUPT_MAY_HAVE_ACTED = "code_before_interrupt_may_have_acted"
    CALL_MISSING_FROM_ITEMS = "call_missing_from_items"
    OUTPUT_WITHOUT_CALL = "output_without_call"
    OUTPUT_SENT_MORE_THAN_ONCE = "output_sent_more_than_once"
    DELIVERY_UNKNOWN = "delivery_unknown"
    OUTPUT_NOT_DELIVERED = "output_not_delivered"
    DELIVERY_INFERRED_ONLY = "delivery_inferred_only"
    DECIDED_NOT_EXECUTED = "decided_not_executed"
    AWAITING_DECISION = "awaiting_decision"
    NESTED_RUN_WAITING = "nested_run_waiting"
    TASK_OPEN = "task_open"
    RESULT_NOT_IN_NEXT_MESSAGE = "result_not_in_next_message"
