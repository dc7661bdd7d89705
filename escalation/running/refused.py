"""Why a start is refused."""


class CannotStart(Exception):
    """The desk can't start; the text is one sentence that says what to do about it."""


class Stopped(Exception):
    """Somebody asked the desk to stop before it had come up."""
