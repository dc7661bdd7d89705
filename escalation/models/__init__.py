"""Rows of the people's ring."""

from escalation.models.contract_draft import ContractDraft
from escalation.models.inspection import Inspection
from escalation.models.left_unresolved import LeftUnresolved
from escalation.models.protected_repeat import ProtectedRepeat
from escalation.models.record_repair import RecordRepair
from escalation.models.rehearsal import Rehearsal
from escalation.models.role import RoleGrant
from escalation.models.sign_in_link import SignInLink
from escalation.models.user import User

__all__ = [
    "ContractDraft",
    "Inspection",
    "LeftUnresolved",
    "ProtectedRepeat",
    "RecordRepair",
    "Rehearsal",
    "RoleGrant",
    "SignInLink",
    "User",
]
