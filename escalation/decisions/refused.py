"""Why a decision is not taken; then nothing was written."""


class StaleView(Exception):
    """The operation has changed since the person looked: what they saw is no longer what they would decide on."""


class NotAllowed(Exception):
    """This person may not take this decision; the message is the sentence they read."""
