"""Rows: columns and constraints only, one subject a file. They are written by `recording` and read by `reading`."""

from operations.models.api_key import ApiKey
from operations.models.ask_tally import AskTally
from operations.models.attempt import Attempt
from operations.models.checkpoint import Checkpoint
from operations.models.closing import Closing
from operations.models.completion import Completion
from operations.models.contract import Contract
from operations.models.decision import Decision
from operations.models.delivery import Delivery
from operations.models.dispatch import Dispatch
from operations.models.due import Due
from operations.models.grant import Grant, GrantUse
from operations.models.hearing import Hearing
from operations.models.message import Message
from operations.models.observation import Observation
from operations.models.operation import Operation
from operations.models.output_rule import OutputRule, RulesFollowed
from operations.models.pace import Pace
from operations.models.reading import Reading
from operations.models.recipient import Recipient
from operations.models.run import Call, CallBinding, CallLink, Run, Showing, Transcript, Upload
from operations.models.seal import Seal
from operations.models.successor import Successor
from operations.models.tool import Tool

__all__ = [
    "ApiKey",
    "AskTally",
    "Attempt",
    "Call",
    "CallBinding",
    "CallLink",
    "Checkpoint",
    "Closing",
    "Completion",
    "Contract",
    "Decision",
    "Delivery",
    "Dispatch",
    "Due",
    "Grant",
    "GrantUse",
    "Hearing",
    "Message",
    "Observation",
    "Operation",
    "OutputRule",
    "Pace",
    "Reading",
    "Recipient",
    "RulesFollowed",
    "Run",
    "Seal",
    "Showing",
    "Successor",
    "Tool",
    "Transcript",
    "Upload",
]
