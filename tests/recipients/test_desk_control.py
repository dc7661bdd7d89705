"""Control is strict about what it is told, and the desk stays itself whoever knocks, and how many at once."""

import threading

import pytest

from tests.recipients.client import WAIT, Facts, send
from tests.recipients.collection_desk.ledger import Did, Ledger, LedgerFull
from tests.recipients.collection_desk.programme import MOST, Instruction, Programme
from tests.recipients.collection_desk.values import DeskError, Door, Request
from tests.recipients.desk_control import ControlRefused, DeskControl
from tests.recipients.desk_public import status, told
from tests.recipients.fixtures import CollectionDesk, desk_on

AUTHORISED = {"Authorization": "Bearer credential-of-one", "Idempotency-Key": "order-1"}


def test_a_credential_of_the_desk_is_none_of_control(collection_desk: CollectionDesk):
    stranger = DeskControl(collection_desk.control._url, token="credential-of-one")
    with pytest.raises(ControlRefused, match="Control has its own token"):
        stranger.truth()


def test_the_desk_itself_has_no_door_for_control(collection_desk: CollectionDesk):
    for path in ("/truth", "/terms", "/programme", "/events"):
        assert status(collection_desk.public.get(path)) == 404


@pytest.mark.parametrize(
    ("instruction", "sentence"),
    [
        ({"replly": "lost"}, "Unknown field: replly"),
        ({"reply": "forgotten"}, "reply must be one of sent, lost, held, truncated"),
        ({"door": "window"}, "door must be one of"),
        ({"times": 0}, "times must be a whole number above zero"),
        ({"times": True}, "times must be a whole number above zero"),
        ({"status": 200}, "status must be an error's"),
        ({"key": 7}, "key must be text or null"),
        ({"kept": "yes"}, "kept must be true, false or null"),
        ({"says": "absent"}, "says is for the door operation"),
        ({"door": "operation", "says": "gone"}, "says must be one of"),
        ({"door": "close", "handling": "accept"}, "for the door tickets"),
        ({"door": "search", "work": "held"}, "for the door tickets"),
    ],
)
def test_a_wrong_instruction_is_refused_by_field(collection_desk: CollectionDesk, instruction, sentence):
    with pytest.raises(ControlRefused, match=sentence):
        collection_desk.control.tell(**instruction)
    assert collection_desk.control.programme() == []


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({"keeps": 5}, "Unknown field: keeps"),
        ({"mechanism": "luck"}, "mechanism must be one of key, none"),
        ({"keeps_for": -1}, "keeps_for must be seconds"),
        ({"keeps_for": "a while"}, "keeps_for must be seconds"),
        ({"search_lag": -1}, "search_lag must be"),
        ({"absent_cached_for": 0.5}, "absent_cached_for must be whole seconds"),
    ],
)
def test_wrong_terms_are_refused_and_the_old_ones_hold(collection_desk: CollectionDesk, terms, sentence):
    before = collection_desk.control.terms()
    with pytest.raises(ControlRefused, match=sentence):
        collection_desk.control.terms(**terms)
    assert collection_desk.control.terms() == before


def test_a_clock_is_never_turned_back(collection_desk: CollectionDesk):
    with pytest.raises(ControlRefused, match="moved forward"):
        collection_desk.control.advance(-1)


def test_what_is_not_there_can_not_be_let_go_copied_or_collected(collection_desk: CollectionDesk):
    control = collection_desk.control
    for ask in (control.release, control.lose, control.copy, control.finish, control.collect):
        with pytest.raises(ControlRefused):
            ask("p9")
    assert control.truth()["acts"] == []


def test_the_programme_can_be_cleared(collection_desk: CollectionDesk):
    collection_desk.control.tell(request="lost")
    collection_desk.control.clear()
    assert status(collection_desk.public.ask_for_ticket("order-1")) == 201


def test_waiting_for_what_is_not_held_ends(collection_desk: CollectionDesk):
    assert collection_desk.control.held("order-1", within=0) == []


# Strange requests at the desk's door.


def posted(desk: CollectionDesk, body: bytes, **more: str) -> Facts:
    headers = {**AUTHORISED, **{name.replace("_", "-"): text for name, text in more.items()}}
    return send("POST", f"{desk.url}/desks/East/tickets", headers=headers, body=body)


def test_bodies_beyond_measure_are_refused(collection_desk: CollectionDesk):
    assert status(posted(collection_desk, b" " * (64 * 1024 + 1))) == 413
    assert status(posted(collection_desk, b"", Content_Length="many")) == 400
    assert status(posted(collection_desk, b"", Transfer_Encoding="chunked")) == 411
    assert collection_desk.control.truth()["passages"] == []


def test_a_credential_counts_as_a_bearer_token_alone(collection_desk: CollectionDesk):
    facts = posted(collection_desk, b'{"parcel": "Cedar"}', Authorization="Basic credential-of-one")
    assert status(facts) == 401


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"parcel": 7}', b'{"parcel": "Cedar", "copies": 2}', b"\xff"])
def test_what_is_no_request_for_a_ticket_is_refused_for_good(collection_desk: CollectionDesk, body):
    facts = posted(collection_desk, body)
    assert (status(facts), told(facts)["covers_copies"]) == (422, True)
    assert collection_desk.control.truth()["tickets"] == []


def test_names_may_hold_what_paths_may_not(collection_desk: CollectionDesk):
    facts = collection_desk.public.ask_for_ticket("order 1/2?", place="East/2 ü")
    assert (told(facts)["key"], told(facts)["place"]) == ("order 1/2?", "East/2 ü")
    assert collection_desk.public.operation("order 1/2?")["state"] == "issued"


# Many at once.


def at_once(desk: CollectionDesk, keys: list[str]) -> list[Facts]:
    """One attempt for each key, all at the same time."""
    together = threading.Barrier(len(keys))
    facts: list[Facts] = []

    def attempt(key: str) -> None:
        together.wait(WAIT)
        facts.append(desk.public.ask_for_ticket(key))

    senders = [threading.Thread(target=attempt, args=(key,)) for key in keys]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(2 * WAIT)
    return facts


def test_many_repeats_at_once_issue_one_ticket(collection_desk: CollectionDesk):
    facts = at_once(collection_desk, ["order-1"] * 24)
    assert {told(one)["ticket"]["number"] for one in facts} == {"T-1001"}
    assert collection_desk.control.tickets("order-1") == ["T-1001"]


def test_many_requests_at_once_issue_a_ticket_each(collection_desk: CollectionDesk):
    keys = [f"order-{number}" for number in range(24)]
    facts = at_once(collection_desk, keys)
    assert len({told(one)["ticket"]["number"] for one in facts}) == 24
    assert all(len(numbers) == 1 for numbers in collection_desk.control.truth()["tickets_by_key"].values())


def test_a_held_request_holds_up_nobody_else():
    with desk_on() as desk:
        desk.control.tell(key="order-1", work="held")
        desk.public.ask_for_ticket("order-1", within=0.05)
        desk.control.held("order-1")
        assert status(desk.public.ask_for_ticket("order-2")) == 201


# Bounds.


def test_a_full_ledger_takes_no_request_and_keeps_what_it_has():
    ledger = Ledger(most_acts=20)
    asked = Request(door=Door.TICKETS, subject="East", key="order-1", account="one", body=b'{"parcel": "Cedar"}')
    for _ in range(11):
        ledger.pass_on(asked, at=0, identity=None)
        ledger.write(Did.LOST, at=0)
    with pytest.raises(LedgerFull):
        ledger.pass_on(asked, at=0, identity=None)
    assert (len(ledger.passages), len(ledger.acts)) == (11, 11)


def test_the_programme_has_an_end():
    programme = Programme()
    for _ in range(MOST):
        programme.tell(Instruction(request="lost"))
    with pytest.raises(DeskError, match="full"):
        programme.tell(Instruction(request="lost"))
