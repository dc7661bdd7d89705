"""Messages as the desk would write them, and what somebody hostile would have written into them."""

from datetime import UTC, datetime
from uuid import UUID

from escalation.models.notice import Kind
from escalation.notify.message import Answered, Message, Told
from escalation.notify.plain import told

AT = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
ID = UUID(int=77)
LINK = "https://desk.example/operations/1042"
HOSTILE = (
    "Pay <script>alert(1)</script> & <!channel> <@U024BE7LH> <https://evil.example|Approve> *bold* [Approve](https://evil.example)"
    " <at>Everyone</at> {{DATE(2026-01-01T00:00:00Z)}} @here :siren:\r\nBcc: thief@evil.example\r\n\r\n.\r\nMAIL FROM:<x@y>"
    "\u202etxt.exe\u2028 https://evil.example www.evil.example"
)


def about(effect: str = "Issue one collection ticket for parcel Cedar at desk East", *, number: int = 1042) -> Told:
    return Told(
        number=number,
        effect=told(effect),
        recipient="Collection desk",
        answers=(
            Answered(question="Did it happen?", word="We don't know"),
            Answered(question="Could it still happen?", word="It may"),
            Answered(question="Safe to send again?", word="Yes, until 30 Nov 14:41 UTC"),
        ),
        time="Act before 30 Nov 14:41 UTC, in 41 min",
        link=LINK,
    )


def message(
    *some: Told, kind: Kind = Kind.CALL, subject: str = "Act before 30 Nov 14:41 UTC", count: int = 0
) -> Message:
    return Message(
        id=ID,
        kind=kind,
        at=AT,
        subject=subject,
        lead=("Nobody looks after it yet.",),
        about=some,
        count=count or len(some),
        link=LINK,
        link_name="Open operation 1042",
        why="You are called because you are in the team Cedar.",
        data={"calls": [1]},
    )


HOSTILE_ONE = message(about(HOSTILE), subject=told(HOSTILE, most=200))
HOSTILE_GROUP = message(about(HOSTILE), about("Issue another", number=7), subject=told(HOSTILE, most=200), count=214)
