"""Rows of the people's ring."""

from escalation.models.access_change import AccessChange
from escalation.models.attempt_count import AttemptCount
from escalation.models.business_exception import BusinessException
from escalation.models.call import Call
from escalation.models.case import Case, CaseAct, ReasonHeld
from escalation.models.chain import Chain, ChainStep
from escalation.models.close_original import CloseOriginal
from escalation.models.contract_draft import ContractDraft
from escalation.models.day_sum import DaySum, SummedDay
from escalation.models.inspection import Inspection
from escalation.models.left_unresolved import LeftUnresolved
from escalation.models.new_operation import NewOperation
from escalation.models.notice import Notice, Telling, ToTell
from escalation.models.notice_address import AddressConfirmation, NoticeAddress, QuietHours
from escalation.models.outbox import OutboxDue, OutboxEvent, OutboxTry
from escalation.models.owing import Owing
from escalation.models.protected_repeat import ProtectedRepeat
from escalation.models.record_repair import RecordRepair
from escalation.models.rehearsal import Rehearsal
from escalation.models.role import RoleGrant
from escalation.models.rota import Rota, RotaCover, RotaShift, RotaTurn
from escalation.models.rule import FourEyesRule, RiskLimit
from escalation.models.saved_view import SavedView
from escalation.models.second_signature import SecondSignature
from escalation.models.sign_in_link import SignInLink
from escalation.models.subscription import Subscription, SubscriptionChange, SubscriptionKey
from escalation.models.team import Team, TeamMember, TeamOwns
from escalation.models.team_change import TeamChange
from escalation.models.user import User
from escalation.models.waiting import Searched, Waiting

__all__ = [
    "AccessChange",
    "AddressConfirmation",
    "AttemptCount",
    "BusinessException",
    "Call",
    "Case",
    "CaseAct",
    "Chain",
    "ChainStep",
    "CloseOriginal",
    "ContractDraft",
    "DaySum",
    "FourEyesRule",
    "Inspection",
    "LeftUnresolved",
    "NewOperation",
    "Notice",
    "NoticeAddress",
    "OutboxDue",
    "OutboxEvent",
    "OutboxTry",
    "Owing",
    "ProtectedRepeat",
    "QuietHours",
    "ReasonHeld",
    "RecordRepair",
    "Rehearsal",
    "RiskLimit",
    "RoleGrant",
    "Rota",
    "RotaCover",
    "RotaShift",
    "RotaTurn",
    "SavedView",
    "Searched",
    "SecondSignature",
    "SignInLink",
    "Subscription",
    "SubscriptionChange",
    "SubscriptionKey",
    "SummedDay",
    "Team",
    "TeamChange",
    "TeamMember",
    "TeamOwns",
    "Telling",
    "ToTell",
    "User",
    "Waiting",
]
