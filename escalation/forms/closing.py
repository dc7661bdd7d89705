"""The shape of what people send to have an original closed; nothing is saved here."""

from escalation.forms.doors import SendingForm


class CloseOriginalForm(SendingForm):
    """What people send to have an original closed; `warned` unless the contract rules out that it takes back what happened."""
