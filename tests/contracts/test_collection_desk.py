"""What the collection desk really answers is read as what it really did: its own ledger is asked for the truth."""

import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import pytest

from operations.contracts.answer import Answer
from operations.contracts.asked import question
from operations.contracts.document import Document
from operations.contracts.interpret import Reading, interpret
from operations.contracts.loading import library_text, load
from operations.contracts.terms import terms
from operations.core.facts import Attempt, Claim, Correlation, Facts, Observation, Operation, Seconds, Sends
from operations.core.protection import Protection
from operations.core.representation import Representation
from operations.core.standing import Evidence, Finality, Standing, infer
from tests.recipients.collection_desk.clock import Clock, stopped
from tests.recipients.collection_desk.opening import Opened, open_desk
from tests.recipients.collection_desk.terms import Terms

START = 1_796_040_000.0
Headers: TypeAlias = tuple[tuple[str, str], ...]
Came: TypeAlias = tuple[int, Headers, bytes]
CONTRACT = load(library_text("collection-desk"))
WITHOUT_KEYS = load(library_text("collection-desk-without-keys"))


@dataclass
class Rehearsal:
    """An operation at a real desk whose clock stands, and what was learnt of it."""

    opened: Opened
    clock: Clock
    events: list[Attempt | Observation] = field(default_factory=list)
    key: str = "order-1001"
    document: Document = CONTRACT

    @property
    def request(self) -> Representation:
        return Representation(
            method="POST",
            target="/desks/East/tickets",
            headers=(("Idempotency-Key", self.key),),
            body=b'{"parcel": "Cedar"}',
            scope="one",
            identity=self.key,
        )

    def call(
        self, url: str, token: str, method: str, target: str, headers: Headers = (), body: bytes | None = None
    ) -> Came:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
        try:
            connection.request(method, target, body=body, headers={"Authorization": f"Bearer {token}", **dict(headers)})
            answer = connection.getresponse()
            return answer.status, tuple(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def tell(self, method: str, target: str, **said: Any) -> Any:
        status, _, body = self.call(
            self.opened.control_url, self.opened.control_token, method, target, body=json.dumps(said).encode()
        )
        assert status == 200, body
        return json.loads(body)["result"]

    @property
    def now(self) -> Seconds:
        return self.clock.now()

    def send(self, attempt: str = "a-1", *, account: str = "one") -> Reading:
        """Send the request as one attempt; raises if the wire breaks."""
        self.events.append(Attempt(at=self.now, id=attempt, sends=Sends.ONE))
        asked, sent_at = self.request, self.now
        credential = f"credential-of-{account}"
        came = self.call(self.opened.url, credential, asked.method, asked.target, asked.headers, asked.body)
        return self.learn("reply", came, asked_at=sent_at, attempt=attempt)

    def ask(self, channel: str = "record", reference: str | None = None) -> Reading:
        asked = question(self.document, channel, request=self.request, first_sent_at=START, reference=reference)
        came = self.call(self.opened.url, "credential-of-one", asked.method, asked.target, asked.headers)
        return self.learn(channel, came, asked_at=self.now, reference=asked.reference)

    def learn(self, channel: str, came: Came, **told: Any) -> Reading:
        status, headers, body = came
        answer = Answer(
            channel=channel, received_at=self.now, authentic=True, status=status, headers=headers, body=body, **told
        )
        known = [one.effect_ref for one in self.events if isinstance(one, Observation) and one.effect_ref]
        reading = interpret(self.document, request=self.request, answer=answer, references=frozenset(known))
        self.events.extend(reading.observations(answer))
        return reading

    def standing(self) -> Standing:
        told = Operation(attempts_complete=True, identity_known=True)
        return infer(Facts(contract=terms(self.document), operation=told, events=tuple(self.events)), now=self.now)

    def tickets(self) -> int:
        return len(self.tell("GET", "/truth")["tickets"])


@pytest.fixture
def rehearse(request) -> Iterator[Rehearsal]:
    told = {"keeps_for": 86_400, **getattr(request, "param", {})}
    clock = stopped(START)
    with open_desk(terms=Terms(**told), clock=clock) as opened:
        yield Rehearsal(opened, clock)


def terms_are(**told: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rehearse", [told], indirect=True)


def test_nothing_is_read_into_a_reply_that_was_lost(rehearse):
    rehearse.tell("POST", "/programme", reply="lost")
    with pytest.raises(ConnectionError):
        rehearse.send()
    assert rehearse.standing().evidence is Evidence.UNKNOWN
    assert rehearse.tickets() == 1


def test_a_failure_after_the_ticket_is_no_failure_of_the_operation(rehearse):
    rehearse.tell("POST", "/programme", handling="fail_after")
    assert rehearse.send().says is Claim.INDETERMINATE
    assert rehearse.send("a-2").says is Claim.INDETERMINATE  # the kept failure, given again
    assert rehearse.standing().evidence is Evidence.UNKNOWN
    found = rehearse.ask()
    assert (found.says, found.effect_refs) == (Claim.APPLIED, ("T-1001",))
    assert (rehearse.standing().evidence, rehearse.tickets()) == (Evidence.APPLIED, 1)


def test_a_request_on_its_way_is_not_excluded_by_an_empty_record(rehearse):
    rehearse.tell("POST", "/programme", request="lost")
    with pytest.raises(ConnectionError):
        rehearse.send()
    found = rehearse.ask()
    assert (found.rule, found.says, found.correlation) == ("nothing_recorded", Claim.ABSENT, Correlation.OPERATION)
    standing = rehearse.standing()
    assert (standing.evidence, standing.finality) == (Evidence.NOT_APPLIED, Finality.UNESTABLISHED)
    assert (standing.protection, rehearse.tickets()) == (Protection.ACTIVE, 0)


@terms_are(absent_cached_for=600)
def test_an_absence_from_a_cache_is_as_old_as_it_says(rehearse):
    rehearse.call(rehearse.opened.url, "credential-of-one", "GET", "/operations/order-1001")
    rehearse.tell("POST", "/clock", advance=60)
    rehearse.tell("POST", "/programme", reply="lost")
    with pytest.raises(ConnectionError):
        rehearse.send()
    status, headers, body = rehearse.call(rehearse.opened.url, "credential-of-one", "GET", "/operations/order-1001")
    assert status == 404
    found = rehearse.learn("record", (status, headers, body), asked_at=rehearse.now)
    assert (found.says, found.as_of) == (Claim.ABSENT, START)
    assert (rehearse.standing().evidence, rehearse.tickets()) == (Evidence.UNKNOWN, 1)
    assert rehearse.ask().says is Claim.APPLIED  # the contract's own question passes the cache by


def test_what_was_taken_for_later_is_pending_until_it_is_closed(rehearse):
    rehearse.tell("POST", "/programme", handling="accept")
    assert rehearse.send().says is Claim.PENDING
    assert rehearse.ask().rule == "recorded_as_under_way"
    assert rehearse.standing().finality is Finality.POSSIBLE
    rehearse.call(rehearse.opened.url, "credential-of-one", "POST", "/operations/order-1001/close")
    assert rehearse.ask().says is Claim.CLOSED
    standing = rehearse.standing()
    assert (standing.evidence, standing.finality) == (Evidence.NOT_APPLIED, Finality.EXCLUDED)
    assert rehearse.send("a-2").rule == "closed_before"
    assert rehearse.tickets() == 0


@terms_are(closure="earlier_attempts")
def test_a_closure_that_covers_less_than_the_contract_says_closes_nothing(rehearse):
    rehearse.tell("POST", "/programme", handling="accept")
    rehearse.send()
    rehearse.call(rehearse.opened.url, "credential-of-one", "POST", "/operations/order-1001/close")
    assert rehearse.ask().says is Claim.INDETERMINATE
    assert rehearse.standing().finality is Finality.POSSIBLE


def test_a_refusal_for_good_covers_copies_and_one_for_the_moment_does_not(rehearse):
    rehearse.tell("POST", "/programme", handling="turn_away")
    turned_away = rehearse.send()
    assert (turned_away.says, turned_away.covers_copies) == (Claim.ATTEMPT_REFUSED, False)
    assert rehearse.standing().finality is Finality.UNESTABLISHED
    rehearse.tell("POST", "/programme", handling="refuse", times=1)
    refused = rehearse.send("a-2")
    assert (refused.says, refused.covers_copies, refused.attempt) == (Claim.ATTEMPT_REFUSED, True, "a-2")


def test_who_is_not_let_in_learns_nothing_of_the_effect(rehearse):
    found = rehearse.send(account="nobody")
    assert (found.rule, found.covers_copies) == ("not_let_in", False)


def test_a_key_that_was_used_for_something_else_is_no_ticket_of_ours(rehearse):
    asked = rehearse.request
    rehearse.call(rehearse.opened.url, "credential-of-one", "POST", asked.target, asked.headers, b'{"parcel": "Birch"}')
    assert rehearse.send().rule == "used_for_something_else"
    found = rehearse.ask()
    assert (found.rule, found.correlation) == ("recorded_as_issued", Correlation.MISMATCH)
    assert {line.name: line.agrees for line in found.lines if line.about != "boundary"}["parcel"] is False
    assert rehearse.standing().evidence is Evidence.UNKNOWN


def test_a_repeat_while_the_original_is_in_work_is_pending(rehearse):
    rehearse.tell("POST", "/programme", work="held")
    original = threading.Thread(target=rehearse.send)
    original.start()
    (held,) = rehearse.tell("GET", "/holds", within=5)
    assert rehearse.send("a-2").rule == "in_work"
    assert rehearse.ask().rule == "recorded_as_under_way"
    assert rehearse.standing().finality is Finality.POSSIBLE
    rehearse.tell("POST", f"/holds/{held['id']}/release")
    original.join()
    assert (rehearse.standing().evidence, rehearse.tickets()) == (Evidence.APPLIED, 1)


@terms_are(mechanism="none")
def test_a_desk_without_keys_proves_nothing_by_its_parcel(rehearse):
    assert rehearse.send().correlation is Correlation.ARGUMENTS
    assert rehearse.ask().rule == "any_other_record"
    assert rehearse.standing().evidence is Evidence.UNKNOWN


def test_what_the_lists_leave_out_says_nothing_and_what_they_show_was_issued(rehearse):
    rehearse.tell("PATCH", "/terms", search_lag="held")
    rehearse.send()
    assert rehearse.ask("search").rule == "search_does_not_list_it"
    assert rehearse.ask("place").effect_refs == ("T-1001",)
    rehearse.tell("POST", "/search/catch_up")
    assert rehearse.ask("search").effect_refs == ("T-1001",)
    rehearse.tell("POST", "/tickets/T-1001/collect")
    assert rehearse.ask("place").says is Claim.INDETERMINATE
    assert rehearse.ask("ticket", reference="T-1001").says is Claim.APPLIED
    assert rehearse.ask().says is Claim.APPLIED


def test_the_desk_says_how_long_it_keeps_the_key(rehearse):
    rehearse.send()
    found = rehearse.ask("key")
    assert (found.says, found.until) == (Claim.PROTECTION_UNTIL, START + 86_400)
    rehearse.tell("POST", "/keys/order-1001/forget", account="one")
    assert rehearse.ask("key").says is Claim.PROTECTION_LOST


def test_the_ticket_is_recorded_once_it_was_read(rehearse):
    found = rehearse.send()
    assert (found.says, found.effect_refs, found.correlation) == (Claim.APPLIED, ("T-1001",), Correlation.OPERATION)
    assert all(line.agrees for line in found.lines)
    again = rehearse.send("a-2")
    assert (again.effect_refs, rehearse.tickets()) == (("T-1001",), 1)
    assert not rehearse.standing().duplicate_effect


@terms_are(mechanism="none")
def test_a_desk_without_keys_is_asked_by_what_its_replies_named(rehearse):
    rehearse.document = WITHOUT_KEYS
    rehearse.tell("POST", "/programme", handling="accept")
    accepted = rehearse.send()
    assert (accepted.says, accepted.effect_refs) == (Claim.PENDING, ("p1",))
    assert rehearse.ask("request", reference="p1").says is Claim.PENDING
    rehearse.tell("POST", "/pending/p1/finish", handling="issue")
    found = rehearse.ask("request", reference="p1")
    assert (found.says, found.correlation, found.effect_refs) == (Claim.APPLIED, Correlation.OPERATION, ("T-1001",))
    assert rehearse.ask("ticket", reference="T-1001").correlation is Correlation.OPERATION
    assert (rehearse.standing().evidence, rehearse.standing().protection) == (Evidence.APPLIED, Protection.ABSENT)


@terms_are(mechanism="none")
def test_a_desk_without_keys_shows_only_candidates_once_a_reply_is_lost(rehearse):
    rehearse.document = WITHOUT_KEYS
    rehearse.tell("POST", "/programme", reply="lost")
    with pytest.raises(ConnectionError):
        rehearse.send()
    assert rehearse.ask("place").correlation is Correlation.ARGUMENTS
    assert rehearse.ask("search").correlation is Correlation.ARGUMENTS
    assert (rehearse.standing().evidence, rehearse.tickets()) == (Evidence.UNKNOWN, 1)
