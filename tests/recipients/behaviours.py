"""What every recipient has to show before a test relies on it, by counting its own effects.

`applicable(capabilities)` gives the behaviours of a recipient; each is called with a `Recipient` and fails by asserting.
Where a capability is missing, the opposite is a behaviour of its own: the recipient must really lack it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.recipients.client import Ended
from tests.recipients.recipient import Capability, Recipient

C = Capability
Behaviour = Callable[[Recipient], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A behaviour with the capabilities that it needs, and those with which it is another."""

    show: Behaviour
    needs: frozenset[Capability]
    unless: frozenset[Capability]


ALL: Final[list[Listed]] = []


def behaviour(*needs: Capability, unless: tuple[Capability, ...] = ()) -> Callable[[Behaviour], Behaviour]:
    """List a behaviour."""

    def listed(show: Behaviour) -> Behaviour:
        ALL.append(Listed(show=show, needs=frozenset(needs), unless=frozenset(unless)))
        return show

    return listed


def applicable(capabilities: frozenset[Capability]) -> list[Behaviour]:
    """Return the behaviours that a recipient with these capabilities has to show."""
    return [one.show for one in ALL if one.needs <= capabilities and not one.unless & capabilities]


@behaviour()
def nothing_happens_unasked(recipient: Recipient) -> None:
    """An intent that was not sent has no effect."""
    assert recipient.effects(recipient.intent()) == []


@behaviour()
def an_attempt_acts_once(recipient: Recipient) -> None:
    """An attempt whose reply comes has one effect, the one that the reply names."""
    intent = recipient.intent()
    facts = recipient.send(intent)
    assert facts.ended is Ended.ANSWERED
    assert recipient.effects(intent) == [recipient.effect_told(facts)]


@behaviour()
def two_intents_have_two_effects(recipient: Recipient) -> None:
    """Intents of their own don't disturb each other."""
    first, second = recipient.intent(), recipient.intent()
    recipient.send(first)
    recipient.send(second)
    assert len({*recipient.effects(first), *recipient.effects(second)}) == 2


@behaviour(C.LOSES_MESSAGES)
def a_lost_request_has_no_effect(recipient: Recipient) -> None:
    """What never arrived did nothing."""
    intent = recipient.intent()
    recipient.lose_request(intent)
    recipient.send(intent)
    assert recipient.effects(intent) == []


@behaviour(C.LOSES_MESSAGES)
def a_lost_reply_leaves_one_effect(recipient: Recipient) -> None:
    """What arrived acted, though nobody was told."""
    intent = recipient.intent()
    recipient.lose_reply(intent)
    facts = recipient.send(intent)
    assert facts.reply is None
    assert len(recipient.effects(intent)) == 1


@behaviour(C.LOSES_MESSAGES)
def a_lost_request_looks_like_a_lost_reply(recipient: Recipient) -> None:
    """The sender sees the same in both histories, to the byte; their effects differ."""
    unseen, unheard = recipient.intent(), recipient.intent()
    recipient.lose_request(unseen)
    recipient.lose_reply(unheard)
    without, within = recipient.send(unseen), recipient.send(unheard)
    assert without == within
    assert without.last_byte_written
    assert (len(recipient.effects(unseen)), len(recipient.effects(unheard))) == (0, 1)


@behaviour(C.LOSES_MESSAGES, C.SHOWS_A_RECORD)
def the_record_tells_the_two_apart(recipient: Recipient) -> None:
    """Whoever asks the recipient learns which of the two it was."""
    unseen, unheard = recipient.intent(), recipient.intent()
    recipient.lose_request(unseen)
    recipient.lose_reply(unheard)
    recipient.send(unseen)
    recipient.send(unheard)
    assert (recipient.has_record_of(unseen), recipient.has_record_of(unheard)) == (False, True)


@behaviour(C.PROTECTS)
def a_protected_repeat_names_the_first_effect(recipient: Recipient) -> None:
    """A repeat under protection gives the same reference, and nothing new."""
    intent = recipient.intent()
    first, again = recipient.send(intent), recipient.send(intent)
    assert recipient.effect_told(again) == recipient.effect_told(first)
    assert len(recipient.effects(intent)) == 1


@behaviour(C.PROTECTS, C.LOSES_MESSAGES)
def a_protected_repeat_of_a_lost_reply_acts_no_more(recipient: Recipient) -> None:
    """What was lost on the way back is told to the repeat."""
    intent = recipient.intent()
    recipient.lose_reply(intent)
    recipient.send(intent)
    told = recipient.effect_told(recipient.send(intent))
    assert recipient.effects(intent) == [told]


@behaviour(C.PROTECTS, C.LOSES_MESSAGES)
def a_protected_repeat_of_a_lost_request_acts_once(recipient: Recipient) -> None:
    """What was lost on the way in is a first request when it is repeated."""
    intent = recipient.intent()
    recipient.lose_request(intent)
    recipient.send(intent)
    told = recipient.effect_told(recipient.send(intent))
    assert recipient.effects(intent) == [told]


@behaviour(unless=(C.PROTECTS,))
def an_unprotected_repeat_acts_again(recipient: Recipient) -> None:
    """Where nothing protects, each attempt is an effect of its own."""
    intent = recipient.intent()
    recipient.send(intent)
    recipient.send(intent)
    assert len(recipient.effects(intent)) == 2


@behaviour(C.ACTS_THEN_FAILS, C.KEEPS_ERRORS)
def a_kept_error_is_given_again(recipient: Recipient) -> None:
    """An error after the effect is replayed to the byte of its body; the repeat learns nothing and does nothing."""
    intent = recipient.intent()
    recipient.fail_after_acting(intent)
    first, again = recipient.send(intent), recipient.send(intent)
    assert first.reply is not None
    assert again.reply is not None
    assert (again.reply.status, again.reply.body) == (first.reply.status, first.reply.body)
    assert len(recipient.effects(intent)) == 1


@behaviour(C.ACTS_THEN_FAILS, unless=(C.KEEPS_ERRORS,))
def after_an_error_that_is_not_kept_a_repeat_acts_again(recipient: Recipient) -> None:
    """Protection that covers successes only doesn't cover an effect that was followed by an error."""
    intent = recipient.intent()
    recipient.fail_after_acting(intent)
    recipient.send(intent)
    recipient.send(intent)
    assert len(recipient.effects(intent)) == 2


@behaviour(C.FENCES_WORK_IN_PROGRESS)
def a_repeat_in_flight_is_turned_away(recipient: Recipient) -> None:
    """While the original is in work a repeat is not carried out, and the original still acts once."""
    intent = recipient.intent()
    with recipient.in_work(intent):
        assert recipient.turned_away(recipient.send(intent))
        assert recipient.effects(intent) == []
    assert len(recipient.effects(intent)) == 1


@behaviour(C.COMPARES_ARGUMENTS)
def changed_arguments_are_refused(recipient: Recipient) -> None:
    """The same identity with other arguments is not carried out."""
    intent = recipient.intent()
    recipient.send(intent)
    changed = recipient.changed(intent)
    assert recipient.turned_away(recipient.send(changed))
    assert len({*recipient.effects(intent), *recipient.effects(changed)}) == 1


@behaviour(C.FORGETS, unless=(C.REFUSES_AFTER_FORGETTING,))
def a_repeat_after_forgetting_acts_again(recipient: Recipient) -> None:
    """When the identity has lapsed a repeat is a second effect."""
    intent = recipient.intent()
    recipient.send(intent)
    recipient.forget(intent)
    recipient.send(intent)
    assert len(set(recipient.effects(intent))) == 2


@behaviour(C.FORGETS, C.REFUSES_AFTER_FORGETTING)
def a_repeat_after_forgetting_is_refused(recipient: Recipient) -> None:
    """When the identity has lapsed a repeat is refused rather than run."""
    intent = recipient.intent()
    recipient.send(intent)
    recipient.forget(intent)
    assert recipient.turned_away(recipient.send(intent))
    assert len(recipient.effects(intent)) == 1


@behaviour(C.COPIES_ARRIVE_LATE, C.LOSES_MESSAGES)
def a_late_copy_acts(recipient: Recipient) -> None:
    """What seemed lost can still come: asking in between proves nothing about later."""
    intent = recipient.intent()
    recipient.lose_request(intent)
    recipient.send(intent)
    assert recipient.effects(intent) == []
    recipient.copy_arrives(intent)
    assert len(recipient.effects(intent)) == 1


@behaviour(C.CLOSES, C.COPIES_ARRIVE_LATE, C.LOSES_MESSAGES)
def a_late_copy_after_closing_is_refused(recipient: Recipient) -> None:
    """What was ended for good doesn't happen any more, whatever arrives."""
    intent = recipient.intent()
    recipient.lose_request(intent)
    recipient.send(intent)
    recipient.close(intent)
    recipient.copy_arrives(intent)
    assert recipient.turned_away(recipient.send(intent))
    assert recipient.effects(intent) == []


@behaviour(C.CLOSES, C.FENCES_WORK_IN_PROGRESS)
def closing_stops_what_is_in_work(recipient: Recipient) -> None:
    """What was in work when the operation was ended doesn't act afterwards."""
    intent = recipient.intent()
    with recipient.in_work(intent):
        recipient.close(intent)
    assert recipient.effects(intent) == []


@behaviour(C.CLOSES, C.PROTECTS)
def closing_undoes_nothing(recipient: Recipient) -> None:
    """An effect that exists is not taken back by closing, and its repeat still names it."""
    intent = recipient.intent()
    first = recipient.send(intent)
    recipient.close(intent)
    assert recipient.effects(intent) == [recipient.effect_told(first)]
    assert recipient.effect_told(recipient.send(intent)) == recipient.effect_told(first)
