"""The seven questions to which a contract is the answer, each with the terms that it fixes (docs/publishing.md)."""

from typing import Final

from escalation.contract_forms.fields import (
    NOT_DOCUMENTED,
    Field,
    Rows,
    Section,
    choice,
    either,
    interval,
    line,
    names,
    number,
    source,
    term,
    text,
)
from escalation.contract_forms.members import BOUND, CHANNEL, SOURCE

_UNDOCUMENTED: Final = ("undocumented", "Not documented")


def _answer(name: str) -> tuple[Field, ...]:
    """Return the question itself: an answer with its sources, or that none is documented."""
    place = f"/interview/{name}"
    return (
        either(place, "Answer", (NOT_DOCUMENTED, "Not documented"), stated="Documented, as follows:"),
        text(f"{place}/answer", "What the recipient says"),
        names(f"{place}/sources", "Sources of this answer", "Names of sources below, with commas."),
    )


def _advice(place: str, label: str) -> tuple[Field, ...]:
    return (
        either(place, label, (NOT_DOCUMENTED, "Not documented"), stated="As follows:"),
        text(f"{place}/says", "What to do"),
        source(f"{place}/source"),
    )


SECTIONS: Final = (
    Section(
        slug="contract",
        title="The contract",
        about="Its name, and what people call it.",
        parts=(
            line("/contract", "Name", "Lower case letters, digits and hyphens."),
            line("/title", "Title"),
        ),
    ),
    Section(
        slug="effect_and_owner",
        title="1. What is the effect, and who owns its history?",
        about="The one thing whose doubling or omission matters, in the recipient's own words.",
        parts=(
            *_answer("effect_and_owner"),
            line("/effect/word", "One effect is called", "A ticket, a charge, a message."),
            line("/effect/sentence", "The request as a sentence", "{argument} stands for a bound argument."),
            line("/effect/reference", "The recipient's own name for one is called", "Ticket number, charge id."),
            line("/owner/name", "Who controls it"),
            text("/owner/history", "What its history is"),
            source("/owner/source", "Source of that"),
            text("/owner/contact", "Whom to ask there"),
            line("/request/method", "The request's method", "POST, PUT."),
            line("/request/target", "The request's path", "{place} names a part of it."),
            choice(
                "/request/body",
                "Its body is",
                ("json", "JSON"),
                ("form", "A form"),
                ("text", "Text"),
                ("none", "None"),
            ),
        ),
    ),
    Section(
        slug="receipts",
        title="2. What is a receipt?",
        about="Which answers establish that it happened, or that it never will. The rules that read them have a page of their own.",
        parts=_answer("receipts"),
    ),
    Section(
        slug="negative_lookup",
        title="3. What does a lookup say that finds nothing?",
        about="What the search covers, and how late it may be.",
        parts=_answer("negative_lookup"),
    ),
    Section(
        slug="excluding_later_effects",
        title="4. What rules out a later effect?",
        about="Whether a closing shuts the request number for good.",
        parts=(
            *_answer("excluding_later_effects"),
            *term(
                "/closure/covers",
                "A closing shuts",
                ("identity", "The request number, for good"),
                ("earlier_attempts", "Only what was sent before it"),
            ),
            either(
                "/closing_request",
                "Is there a request that closes?",
                (NOT_DOCUMENTED, "Not documented"),
                stated="Yes; it is written in the text",
            ),
        ),
    ),
    Section(
        slug="identity_and_scope",
        title="5. What is the request number, and where is it kept?",
        about="What names one request at the recipient, for how long, and what it is compared with.",
        parts=(
            *_answer("identity_and_scope"),
            either(
                "/identity/carrier",
                "Does the request carry a number that protects?",
                (None, "No: nothing that it carries protects"),
                stated="Yes, here:",
            ),
            line("/identity/carrier/at", "Where", "A pointer: /headers/idempotency-key."),
            source("/identity/carrier/source", "Source of that"),
            line("/identity/marker/at", "Where else it travels, so that answers can name it", "/body/metadata/order."),
            source("/identity/marker/source", "Source of that"),
            number("/identity/longest", "Longest number (characters)"),
            names("/identity/scope", "Kept for each", "account, credential, region; or none."),
            source("/identity/scope_source", "Source of that"),
            Rows(place="/identity/bound", title="Bound arguments", one="argument", name="Argument", fields=BOUND),
            names("/identity/subject", "What the effect is about", "Bound arguments; or none."),
            *term(
                "/identity/changed_arguments",
                "The same number with other arguments is",
                ("refused", "Refused"),
                ("first_answer", "Answered as the first was"),
                ("run", "Run"),
                _UNDOCUMENTED,
            ),
            *term(
                "/protection/mechanism",
                "Is a repeat recognised?",
                ("key", "Yes, by the request number"),
                ("none", "No: a repeat is a second request"),
                _UNDOCUMENTED,
            ),
            *interval(
                "/protection/guaranteed_for",
                "For how long?",
                ("unlimited", "For good"),
                ("while_exists", "While the object exists"),
                _UNDOCUMENTED,
                about="The shortest time that its words allow, from the earliest receipt.",
            ),
            number(
                "/protection/margin",
                "Our margin (seconds)",
                "The time a send may take, plus the clocks' difference.",
            ),
            *term(
                "/protection/after",
                "After that a repeat is",
                ("runs_as_new", "Run as new"),
                ("refused", "Refused"),
                _UNDOCUMENTED,
            ),
        ),
    ),
    Section(
        slug="errors_replayed",
        title="6. Are errors given again?",
        about="What is kept under a request number, and what a repeat does while the original is in flight.",
        parts=(
            *_answer("errors_replayed"),
            *term(
                "/protection/covers",
                "Kept under a number",
                ("every_outcome", "Every outcome"),
                ("success_only", "Successes only"),
                _UNDOCUMENTED,
            ),
            *term(
                "/protection/concurrent_use",
                "A repeat while the original is in flight",
                ("protected", "Is harmless"),
                _UNDOCUMENTED,
            ),
            *term(
                "/protection/repeat_while_pending",
                "May one repeat while it is under way?",
                (True, "Yes"),
                (False, "No, or not documented"),
            ),
        ),
    ),
    Section(
        slug="observation_later",
        title="7. How can it be seen later?",
        about="Each way by which something is learnt, and what it can speak for.",
        parts=(
            *_answer("observation_later"),
            Rows(place="/channels", title="Channels", one="channel", name="Channel", fields=CHANNEL),
            either(
                "/protection/pending_fresh_for",
                "How long does “under way” stand?",
                (None, "Not documented: until something else is said"),
                stated="For this many seconds:",
            ),
            number("/protection/pending_fresh_for/is", "Seconds"),
            source("/protection/pending_fresh_for/source"),
            either(
                "/protection/min_interval",
                "How far apart should repeats be?",
                (None, "Not documented"),
                stated="At least this many seconds:",
            ),
            number("/protection/min_interval/is", "Seconds"),
            source("/protection/min_interval/source"),
            either(
                "/expected_time",
                "How long does it usually take?",
                (None, "Not documented"),
                stated="This many seconds:",
            ),
            number("/expected_time/seconds", "Seconds"),
            source("/expected_time/source"),
            *_advice("/after_guarantee", "After the guarantee"),
            *_advice("/conditional_replacement", "Replacing what is there, under a condition"),
        ),
    ),
    Section(
        slug="sources",
        title="Sources",
        about="Every promise names the source that makes it.",
        parts=(Rows(place="/sources", title="Sources", one="source", name="Source", fields=SOURCE),),
    ),
)
