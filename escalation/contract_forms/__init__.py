"""The interview as a form: a contract's text as fields, and fields as a contract's text. Nothing is saved here."""

from escalation.contract_forms.form import ContractForm, FormRefused
from escalation.contract_forms.starting import LONGEST_NAME, NewContractForm, blank_text, starting_text

__all__ = ["LONGEST_NAME", "ContractForm", "FormRefused", "NewContractForm", "blank_text", "starting_text"]
