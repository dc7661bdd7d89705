"""A Slack message is settled by the reply to its own request; what is found later is for a person to read."""

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection
from operations.core.standing import Evidence
from tests.contracts.library_readings import SENT_AT, Case, named

TS = "1503435956.000247"
OURS = {
    "text": "Here's a message for you",
    "ts": TS,
    "metadata": {"event_type": "operation", "event_payload": {"operation": "notice-17"}},
}


def lost() -> Case:
    """Return a message whose reply was lost."""
    case = Case("slack-messages")
    case.send()
    case.learn("wire", fact="timeout")
    return case


@pytest.mark.parametrize("error", ["fatal_error", "internal_error", "request_timeout"])
def test_an_error_of_slack_s_own_may_come_after_the_message(error):
    case = Case("slack-messages")
    case.send()
    assert case.learn("reply", status=200, json_body={"ok": False, "error": error}).says is Claim.INDETERMINATE
    assert {"repeat", "propose_new"}.isdisjoint(case.may())


def test_our_number_in_the_history_settles_nothing():
    case = lost()
    found = case.learn("history", status=200, json_body={"ok": True, "messages": [OURS], "has_more": False})
    assert (found.rule, found.says) == ("history_shows_our_number", Claim.INDETERMINATE)
    assert case.standing().evidence is Evidence.UNKNOWN


def test_a_history_without_our_number_is_no_sign_that_nothing_was_posted():
    case = lost()
    assert case.learn("history", status=200, json_body={"ok": True, "messages": []}).says is Claim.INDETERMINATE
    assert case.standing().protection is Protection.UNESTABLISHED


def test_a_reply_of_another_channel_or_number_is_a_mismatch():
    for other in (
        {"channel": "C999", "message": OURS},
        {"channel": "C123ABC456", "message": OURS | {"metadata": {"event_payload": {"operation": "notice-18"}}}},
    ):
        reading = lost().learn("reply", status=200, json_body={"ok": True, "ts": TS, **other})
        assert reading.correlation is Correlation.MISMATCH


def test_the_history_is_asked_from_just_before_the_first_attempt():
    document = named("slack-messages")
    asked = question(document, "history", request=representation(document), first_sent_at=SENT_AT)
    assert asked.target.startswith("/api/conversations.history?channel=C123ABC456&oldest=1799999940&")


def test_a_text_that_slack_changed_on_the_way_is_still_our_message():
    case = Case("slack-messages")
    case.send()
    body = {"ok": True, "channel": "C123ABC456", "ts": TS, "message": OURS | {"text": "Here&apos;s a message"}}
    assert case.learn("reply", status=200, json_body=body).says is Claim.APPLIED
    assert (case.standing().evidence, case.standing().effect_refs) == (Evidence.APPLIED, (TS,))
