"""Mail: one message to one address over one connection of its own, told step by step as RFC 5321 lets one say.

Until the end of the data nothing was taken, whatever breaks. A reply to it says whose the message is now: 250, the
server's (section 4.2.5: it then delivers it or says that it can't); 4yz, ours still, "the requested action did not occur"
(section 4.2.1), so it is sent again; 5yz, nobody's. Where that reply is lost it may have arrived (RFC 1047), and is not
sent again: no reader of mail is bound to know it by its Message-ID.
"""

import re
import smtplib
from contextlib import suppress
from dataclasses import dataclass
from email.utils import format_datetime
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import sanitize_address
from django.core.validators import validate_email
from django.template.loader import render_to_string

from escalation.models.notice import End, Kind
from escalation.notify.message import Message
from escalation.notify.outcome import Outcome
from escalation.notify.plain import one_line

LONGEST_SUBJECT: Final = 160
# Seconds for each step; longer for the reply to the whole message, which is the one that must not be missed.
SECONDS: Final = 8
LAST_REPLY: Final = 45
_BREAK: Final = re.compile(rb"\r\n|\r|\n")
_DOT: Final = re.compile(rb"(?m)^\.")
_NO_SERVER: Final = "No mail server is set (UNRESOLVED_MAIL)."
_PREFIX: Final = {
    Kind.CALL: "[Unresolved]",
    Kind.SETTLED: "[Unresolved: settled]",
    Kind.TEST: "[Unresolved: test]",
    Kind.CONFIRM: "[Unresolved]",
}


class _Unanswered(Exception):
    """The whole message was written, and no reply to it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """A server's reply, and to what."""

    step: str
    code: int


def written(message: Message, *, to: str) -> EmailMultiAlternatives:
    """Return the mail: text and HTML. No line of a header comes from anybody but us; what is quoted stays in its line."""
    subject = one_line(f"{_PREFIX[message.kind]} {message.subject}", most=LONGEST_SUBJECT)
    text = render_to_string("notices/mail.txt", {"message": message}).replace("\n--\n", "\n-- \n")
    headers = {
        "Message-ID": f"<{message.id.hex}@{_domain()}>",
        "Date": format_datetime(message.at),
        "Auto-Submitted": "auto-generated",  # RFC 3834, section 5: nobody's absence note answers it
        "X-Auto-Response-Suppress": "All",
    }
    mail = EmailMultiAlternatives(subject, text, settings.DEFAULT_FROM_EMAIL, [to], headers=headers)
    mail.attach_alternative(render_to_string("notices/mail.html", {"message": message}), "text/html")
    return mail


def send(message: Message, *, to: str) -> Outcome:
    """Send once and return how it ended; nothing that a server does raises."""
    if not settings.MAIL_IS_SENT:
        return Outcome(end=End.NOT_SENT, detail=_NO_SERVER, outage=True)
    try:
        validate_email(to)
        mail = written(message, to=to)
        raw = mail.message().as_bytes()
        sender, reader = (sanitize_address(one, "utf-8") for one in (mail.from_email, to))
    except (ValidationError, ValueError):  # a UnicodeError is one
        return Outcome(end=End.REFUSED, detail="The address can't be written in a mail's header.")
    server = EmailBackend(timeout=SECONDS)
    try:
        return _exchanged(server, raw, sender=sender, reader=reader)
    except _Unanswered:
        return Outcome(
            end=End.MAY_HAVE_ARRIVED, detail="The mail server had the whole message, and its reply never came."
        )
    except OSError as error:  # what smtplib raises is one
        return _before_the_end(error)
    finally:
        # Whatever the server says to a goodbye changes nothing of what it said before.
        with suppress(OSError):
            server.close()


def _exchanged(server: EmailBackend, raw: bytes, *, sender: str, reader: str) -> Outcome:
    server.open()
    wire = server.connection
    if wire is None:
        raise smtplib.SMTPServerDisconnected
    wire.ehlo_or_helo_if_needed()
    for step, (code, _) in (("the sender", wire.mail(sender)), ("the address", wire.rcpt(reader))):
        if code not in (250, 251):
            return _refused(_Reply(step=step, code=code))
    code, _ = wire.docmd("data")
    if code != 354:
        return _refused(_Reply(step="the message", code=code))
    return _ended(_after_data(wire, raw))


def stuffed(raw: bytes) -> bytes:
    """Return a message as it goes over the wire: every line ends in CRLF, and none is read as the last."""
    lines = _BREAK.sub(b"\r\n", raw)
    return _DOT.sub(b"..", lines if lines.endswith(b"\r\n") else lines + b"\r\n")


def _after_data(wire: smtplib.SMTP, raw: bytes) -> int:
    """Write it all and return the code of the reply to it. Cut short, it is none (RFC 5321, section 4.1.1.4)."""
    wire.send(stuffed(raw))
    try:
        if wire.sock is not None:
            wire.sock.settimeout(LAST_REPLY)
        wire.send(b".\r\n")
        code, _ = wire.getreply()
    except OSError:
        raise _Unanswered from None
    if not 200 <= code < 600:
        raise _Unanswered
    return code


def _ended(code: int) -> Outcome:
    if 200 <= code < 300:
        return Outcome(end=End.TAKEN, detail=f"The mail server took it ({code}); whether it was read nobody says.")
    return _refused(_Reply(step="the message", code=code))


def _refused(reply: _Reply) -> Outcome:
    """A server's own words are not quoted: they may hold what it was given."""
    if 400 <= reply.code < 500:
        return Outcome(end=End.NOT_SENT, detail=f"The mail server did not take {reply.step} for now ({reply.code}).")
    return Outcome(end=End.REFUSED, detail=f"The mail server refused {reply.step} ({reply.code}).")


def _before_the_end(error: OSError) -> Outcome:
    if isinstance(error, smtplib.SMTPAuthenticationError):
        detail = f"The mail server refused how the desk signs in to it ({error.smtp_code})."
    elif isinstance(error, smtplib.SMTPConnectError | ConnectionError | TimeoutError):
        detail = "The mail server can't be reached."
    elif isinstance(error, smtplib.SMTPException):
        detail = "The connection to the mail server ended before the message was whole."
    else:
        detail = "The mail server can't be reached."
    return Outcome(end=End.NOT_SENT, detail=detail, outage=True)


def _domain() -> str:
    """The right-hand side of a Message-ID: where the desk is, else where its mail says it is from."""
    host = urlsplit(settings.PUBLIC_URL).hostname or settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip("> ")
    return host if re.fullmatch(r"[A-Za-z0-9.-]+", host) else "unresolved.invalid"
