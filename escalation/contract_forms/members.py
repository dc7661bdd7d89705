"""What is asked of each channel, each source and each bound argument."""

from typing import Final

from escalation.contract_forms.fields import choice, line, number, source, text

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
