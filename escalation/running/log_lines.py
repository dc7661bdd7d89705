"""What must not stand in a log is taken out of its lines."""

import logging
import re
from typing import Final

LINK: Final = re.compile(r"/(sign-in|forgotten|notices/confirm)/[^\s/?#]+")


class HideLinks(logging.Filter):
    """No line holds a link that signs in, sets a password or confirms an address: who reads a log can do nothing with it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Write the line without the link; every line stays."""
        said = record.getMessage()
        hidden = LINK.sub(r"/\1/(hidden)", said)
        if hidden != said:
            record.msg, record.args = hidden, ()
        return True
