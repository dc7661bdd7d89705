"""A guarded function looks as it did, sends what it was given, and answers with an envelope whatever its code does."""

import inspect
from typing import Any

import pytest

from unresolved import (
    Attempt,
    BodyField,
    Call,
    Contract,
    Envelope,
    Header,
    Next,
    NoSender,
    NotCarried,
    NotRecordable,
    OneShot,
    Recorder,
    Reply,
    Request,
    Sends,
    Sent,
    guarded,
)

NOWHERE = "http://127.0.0.1:9"  # nobody listens there
SHOP = Contract(recipient="shop", carrier=Header("Idempotency-Key"), scope="test")


def tool(recorder: Recorder, does: Any, *, contract: Contract = SHOP, sender: OneShot | None = None):
    """A guarded tool that does this with its attempt."""

    @guarded(
        recorder,
        "order",
        contract,
        intent=lambda given: given["order"],
        request=lambda given: Request.json("POST", "/orders", {"parcel": given["parcel"]}),
        sender=sender,
    )
    def order(attempt: Attempt, order: str, *, parcel: str = "Cedar") -> Any:
        """Order a parcel."""
        return does(attempt)

    return order


def attempts(recorder: Recorder, identity: str = "one") -> list[tuple[Sends, Sent]]:
    known = recorder.journal.operation("shop", identity=identity)
    return [] if known is None else [(one.sends, one.sent) for one in recorder.journal.attempts(known.key)]


def test_it_keeps_its_name_its_words_and_its_parameters(recorder):
    order = tool(recorder, lambda _: None)
    assert (order.__name__, order.__doc__) == ("order", "Order a parcel.")
    assert str(inspect.signature(order)) == "(order: str, *, parcel: str = 'Cedar') -> unresolved.envelope.Envelope"


def test_arguments_that_it_does_not_take_are_refused_before_anything_is_recorded(recorder):
    with pytest.raises(TypeError):
        tool(recorder, lambda _: None)(order="one", colour="red")
    assert attempts(recorder) == []


def test_a_request_that_cannot_carry_the_name_is_refused_before_anything_is_recorded(recorder):
    contract = Contract(recipient="shop", carrier=BodyField("parcel"), scope="test")
    with pytest.raises(NotCarried):
        tool(recorder, lambda _: None, contract=contract)("one")
    assert attempts(recorder) == []


@pytest.mark.parametrize("order", ["", "x" * 256, "one\ntwo", "nul\x00", "\ud800"])
def test_a_name_that_no_desk_takes_is_refused_before_anything_is_recorded(recorder, order):
    with pytest.raises(NotRecordable):
        tool(recorder, lambda _: None)(order)
    assert attempts(recorder, order.encode(errors="replace").decode()) == []


@pytest.mark.parametrize(
    "wrong", [{"target": ""}, {"target": "/" + "x" * 2048}, {"method": "PO\nST"}, {"body": b"x" * 1_048_577},
              {"headers": (("A", "b\r\nC: d"),)}, {"headers": (("authorization", "Bearer hush"),)}]
)  # fmt: skip
def test_a_request_that_no_desk_takes_is_refused_before_anything_is_recorded(recorder, wrong):
    request = Request(**{"method": "POST", "target": "/orders", **wrong})
    call = Call(tool="order", contract=SHOP, identity="one", request=request)
    with pytest.raises(NotRecordable), recorder.attempt(call):
        raise AssertionError("the block runs")
    assert attempts(recorder) == []


def test_its_own_code_sends_and_counts_as_sending_any_number_of_times(recorder):
    def does(attempt: Attempt) -> Reply:
        assert dict(attempt.request.headers)["Idempotency-Key"] == attempt.identity == "one"
        return Reply(status=201, body=b"made")

    found = tool(recorder, does)("one")
    assert (found.sent, found.reply) == (Sent.YES, {"status": 201, "body": "made", "truncated": False})
    assert attempts(recorder) == [(Sends.MANY, Sent.YES)]


class ReadTimeout(Exception):
    """A library's own."""


@pytest.mark.parametrize(
    ("error", "ended"),
    [(TimeoutError("hush"), "timeout"), (ReadTimeout("hush"), "timeout"), (ConnectionResetError("hush"), "reset"),
     (ValueError("hush"), "closed")],
)  # fmt: skip
def test_an_error_of_its_code_becomes_an_envelope_without_its_text(recorder, error, ended):
    def does(_: Attempt) -> None:
        raise error

    found = tool(recorder, does)("one")
    assert (found.next, found.sent) == (Next.HELD, Sent.UNKNOWN)
    assert found.reason == f"the sending code ended with {type(error).__name__}"
    assert "hush" not in found.as_text()
    known = recorder.journal.operation("shop", identity="one")
    assert recorder.journal.attempts(known.key)[0].marks["ended"] == (Sent.UNKNOWN, ended)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_who_breaks_off_is_not_kept_waiting_and_the_outcome_is_recorded(recorder, error):
    def does(_: Attempt) -> None:
        raise error

    with pytest.raises(error):
        tool(recorder, does)("one")
    assert attempts(recorder) == [(Sends.MANY, Sent.UNKNOWN)]


def test_a_sender_that_was_never_asked_has_sent_nothing(recorder):
    found = tool(recorder, lambda _: None, sender=OneShot(origin=NOWHERE))("one")
    assert found.sent is Sent.NO
    assert attempts(recorder) == [(Sends.ONE, Sent.NO)]


def test_without_a_sender_there_is_nothing_to_send_through(recorder):
    found = tool(recorder, lambda attempt: attempt.send())("one")
    assert found.reason == f"the sending code ended with {NoSender.__name__}"


def test_an_attempt_is_sent_once(recorder):
    def does(attempt: Attempt) -> Any:
        attempt.send()
        return attempt.send()

    found = tool(recorder, does, sender=OneShot(origin=NOWHERE))("one")
    assert found.reason == "the sending code ended with RuntimeError"


def test_an_outcome_that_cannot_be_recorded_is_told_and_stays_open(recorder):
    def does(attempt: Attempt) -> Reply:
        with recorder.journal.reading() as connection:
            connection.execute("PRAGMA query_only = ON")
        return Reply(status=201, body=b"made")

    found = tool(recorder, does)("one")
    assert isinstance(found, Envelope)
    assert (found.next, found.sent) == (Next.HELD, Sent.UNKNOWN)
    assert found.reply == {"status": 201, "body": "made", "truncated": False}
    assert found.reason is not None
    assert found.reason.startswith("the outcome could not be recorded")


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_function_that_yields_is_no_tool(recorder, kind):
    """Its code would run after the outcome was put on record, or never."""
    code: dict[str, Any] = {}
    exec(f"{kind} order(attempt, order):\n    yield attempt.send()", code)  # noqa: S102  # two kinds of one text
    guard = guarded(
        recorder, "order", SHOP, intent=lambda given: given["order"], request=lambda _: Request.json("POST", "/", {})
    )
    with pytest.raises(TypeError, match="yields"):
        guard(code["order"])


def test_once_its_outcome_is_on_record_an_attempt_sends_nothing(recorder, server):
    left: list[Attempt] = []
    found = tool(recorder, left.append, sender=OneShot(origin=server.url))("one")
    assert found.sent is Sent.NO
    with pytest.raises(RuntimeError, match="over"):
        left[0].send()
    assert server.arrived == []


def no_token() -> dict[str, str]:
    raise KeyError("TOKEN")


def no_text() -> Any:
    return {"Authorization": None}


@pytest.mark.parametrize(
    "sender",
    [OneShot(origin=NOWHERE, credentials=no_token), OneShot(origin="http://127.0.0.1:port"),
     OneShot(origin=f"http://{'a' * 64}.example"), OneShot(origin=NOWHERE, credentials=no_text)],
    ids=["no credentials", "no port", "no name", "no text"],
)  # fmt: skip
def test_what_could_not_even_begin_to_send_has_sent_nothing(recorder, sender):
    found = tool(recorder, lambda attempt: attempt.send(), sender=sender)("one")
    assert found.sent is Sent.NO
    known = recorder.journal.operation("shop", identity="one")
    assert recorder.journal.attempts(known.key)[0].marks["ended"] == (Sent.NO, "not_sent")


class Response:
    """What a library of nobody in particular returns."""

    def __init__(self, **more: Any) -> None:
        self.status_code, self.headers, self.content = 201, {"A": "b"}, b"made"
        vars(self).update(more)


@pytest.mark.parametrize(
    ("reply", "body"), [(Response(), "made"), (Response(content=None), None), (Response(headers={"A": "\ud800"}), "made"),
                        (Response(headers=None), None), ("made", None)]
)  # fmt: skip
def test_whatever_came_back_the_call_comes_back_with_an_envelope_and_is_on_record(recorder, reply, body):
    def does(attempt: Attempt) -> None:
        attempt.reply = reply

    found = tool(recorder, does)("one")
    assert (found.sent, None if found.reply is None else found.reply["body"]) == (Sent.YES, body)
    assert attempts(recorder) == [(Sends.MANY, Sent.YES)]
