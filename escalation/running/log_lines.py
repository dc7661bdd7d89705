"""What must not stand in a log is taken out of its lines."""

import logging
import re
from typing import Final

LINK: Final = re.compile(r"/(sign-in|forgotten)/[^\s/?#]+")


class HideLinks(logging.Filter):
    """No line holds a link that signs in or sets a password: whoever reads a log must not be able to sign in with what it says."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Write the line without the link; every line stays."""
        said = record.getMessage()
        hidden = LINK.sub(r"/\1/(hidden)", said)
        if hidden != said:
            record.msg, record.args = hidden, ()
        return True
