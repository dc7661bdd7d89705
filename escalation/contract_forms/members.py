"""What is asked of each channel, each source, each bound argument and each rule."""

from collections.abc import Sequence
from typing import Final

from escalation.contract_forms.fields import Field, Kind, choice, line, number, source, text

_YES_NO: Final = ((True, "Yes"), (False, "No"))

CHANNEL: Final = (
    choice(
        "/kind",
        "Kind",
        ("reply", "The reply on the request's own connection"),
        ("lookup", "A lookup that the desk can ask"),
        ("webhook", "A message that comes to us"),
        ("receipts_file", "A file of receipts"),
        ("inspection", "A screen or staff, read by a person"),
        ("client", "Our own side of the wire"),
    ),
    text("/about", "What it is"),
    choice(
        "/authority",
        "Speaks for",
        ("history", "What happened, deleted things included"),
        ("current", "What exists now"),
        ("derived", "An index, a cache or a copy"),
        ("transport", "A gateway or queue: nothing"),
        ("client", "Our own side: that nothing was sent"),
        ("none", "Nothing: words or documents"),
    ),
    choice(
        "/reads",
        "Its answers are",
        ("strong", "Up to date when read"),
        ("eventual", "Sometimes late"),
        ("unordered", "In no order, or not documented"),
    ),
    source("/source"),
    choice("/pollable", "May the desk ask by itself?", *_YES_NO),
    choice(
        "/body",
        "Its answers are written as",
        ("json", "JSON"),
        ("form", "A form"),
        ("xml", "XML"),
        ("text", "Text"),
        ("none", "Nothing"),
    ),
    line("/asks/target", "Asks at", "A path; {key} stands for what the text names under carried_by."),
    number("/pacing/min_interval", "Ask at most every (seconds)"),
    number("/pacing/longest_wait", "Ask at least every (seconds)"),
    number("/pacing/per_second", "Questions a second"),
    number("/pacing/at_once", "Questions at once"),
    line("/credential", "Secret", "The name of a setting, never the secret."),
    choice(
        "/credential_as",
        "The secret is sent as",
        ("bearer", "Bearer and the secret"),
        ("basic", "Basic, user and password"),
        ("token", "token and the secret"),
        ("raw", "The secret alone"),
    ),
    text("/inspection/where", "Where a person reads it"),
)

SOURCE: Final = (
    text("/claim", "What it says of the recipient"),
    line("/address", "Where it was read"),
    line("/read_on", "Read on", "A day: 2026-11-30."),
    choice(
        "/evidence",
        "How it is known",
        ("documented", "The recipient documents it"),
        ("verified", "Verified on this deployment"),
        ("inferred", "Our own inference"),
    ),
    text("/quote", "In its own words"),
)

BOUND: Final = (
    line("/at", "Where the request carries it", "A pointer: /body/parcel, /target/place, /headers/x-account."),
    choice(
        "/echo",
        "Its echo is compared",
        ("exact", "Exactly"),
        ("spelling", "By its characters, number or text"),
        ("number", "By its number"),
        ("letters", "Without regard to capital letters"),
        ("md5", "As the MD5 of what was sent"),
    ),
)


def rule_fields(channels: Sequence[str]) -> tuple[Field, ...]:
    """Return what is asked of each rule, for a contract with these channels."""
    return (
        line("/rule", "Name", "Lower case letters, digits and _."),
        choice("/channel", "Reads answers of", *[(name, name) for name in channels]),
        Field(
            place="/when",
            label="Speaks when",
            kind=Kind.CONDITIONS,
            about="Each condition is a place in the answer: /status, /headers/location, /body/state, /problem/type, "
            "/preferences/respond-async, /fact; /item and /found where the channel picks from a list.",
        ),
        choice(
            "/says",
            "Says",
            ("applied", "It happened"),
            ("closed", "It did not happen and can't any more"),
            ("absent", "It is not there, as of the read"),
            ("pending", "It is under way"),
            ("accepted", "It was admitted"),
            ("attempt_refused", "This attempt did not act and will not"),
            ("not_sent", "No byte of this attempt was written"),
            ("protection_until", "The number is kept until then"),
            ("protection_lost", "The number is kept no more"),
            ("indeterminate", "Nothing that settles it"),
        ),
        choice("/covers_copies", "Are copies refused too, whenever they come?", (True, "Yes"), (False, "No")),
        choice(
            "/reaches",
            "Written by nothing nearer to us than",
            ("transport", "The way there"),
            ("accepted", "What admits requests"),
            ("handler_finished", "What handles them"),
            ("protected_effect", "What the effect itself is kept in"),
        ),
        line("/because", "Because", "The sentence that people read."),
        source("/source"),
        choice(
            "/correlation/by",
            "The answer is the operation's own by",
            ("identity", "The request number, which it repeats"),
            ("identity_and_arguments", "The request number and every bound argument"),
            ("question", "The question, which names it"),
            ("question_and_arguments", "The question, and every other bound argument"),
            ("selection", "The number, looked for through a whole list"),
            ("reference", "A reference that is known to be the operation's"),
            ("arguments", "Its arguments alone, which proves nothing"),
            ("connection", "The attempt's own connection"),
            ("connection_and_arguments", "The connection, and every bound argument"),
            ("nothing", "Nothing"),
        ),
        line("/correlation/identity", "Where it repeats the number", "Where the channel doesn't say so."),
        line("/correlation/reference", "Where it names the effect that is known"),
        source("/correlation/promise", "Source that quotes: the connection alone binds"),
        line("/effect_ref/at", "Where it names the effect", "/body/id"),
        line("/effect_ref/after", "The name follows", "Text that stands before it, as /tickets/ of a Location."),
        *_dated("/as_of", "Where it dates itself"),
        *_dated("/until", "Where it says how long the number is kept"),
        line("/attempt", "Where it names the attempt"),
        text("/note", "Note"),
        Field(
            place="/examples",
            label="Example answers",
            kind=Kind.YAML,
            about="At least one, as in the text: a list, each with name, evidence (documented, recorded, invented) and "
            "answer (status, headers, body). Each has to be read as this rule says.",
        ),
    )


def _dated(place: str, label: str) -> tuple[Field, ...]:
    forms = (
        ("rfc_3339", "2026-11-30T12:00:00Z"),
        ("epoch_seconds", "Seconds since 1970"),
        ("epoch_milliseconds", "Milliseconds since 1970"),
        ("http_date", "Mon, 30 Nov 2026 12:00:00 GMT"),
    )
    return line(f"{place}/at", label), choice(f"{place}/form", "Written as", *forms)
