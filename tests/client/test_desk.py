"""What a desk answers that can't be understood is no answer, and whoever is in a hurry asks a silent desk once."""

import pytest

from tests.client.counted import Counted
from tests.client.nowhere import asked, tickets_contract
from unresolved import Call, Desk, Journal, Next, OneShot, Recorder, Sent, Unreachable

WRONG = [b"", b"[]", b"null", b'{"results": 1}', b'{"results": []}', b'{"results": [1]}', b'{"results": [{"status": 201}]}',
         b'{"results": [{"status": "x", "body": {}}]}', b"<html>", b"\xff", b"[" * 99_999]  # fmt: skip


@pytest.mark.parametrize("said", WRONG)
def test_what_is_no_answer_puts_nothing_on_record(server: Counted, said: bytes):
    server.body = said
    with pytest.raises(Unreachable):
        Desk(url=server.url, key="unr_none").batch([{"kind": "seal"}])


@pytest.mark.parametrize(
    "url", ["", "desk.example", "/api", "ftp://desk.example", "http://", "https:///api", "https://:443"]
)
def test_a_desk_is_named_by_scheme_and_host_before_a_key_goes_there(url: str):
    with pytest.raises(ValueError, match="url is http"):
        Desk(url=url, key="unr_none")


def test_an_agent_waits_for_a_silent_desk_once(server: Counted):
    server.status = None
    desk = Desk(url=server.url, key="unr_none")
    for _ in range(3):
        with pytest.raises(Unreachable):
            desk.batch([{}], hurry=True)
    assert len(server.arrived) == 1
    with pytest.raises(Unreachable):
        desk.batch([{}])  # whoever is in no hurry asks
    assert len(server.arrived) == 2


def test_a_desk_of_another_version_leaves_an_envelope(server: Counted, tmp_path):
    server.body = b'{"results": [{"status": 201, "body": {"operation": "op", "attempt": {"recorded": true}}}]}'
    recorder = Recorder(journal=Journal(tmp_path / "ops.db"), desk=Desk(url=server.url, key="unr_none"))
    sender = OneShot(origin="http://127.0.0.1:9")
    call = Call(tool="issue", contract=tickets_contract(), identity="one", request=asked(), sender=sender)
    with recorder.attempt(call) as under:
        under.attempt.send()
    assert under.envelope is not None
    assert (under.envelope.next, under.envelope.sent, under.envelope.known_by) == (Next.HELD, Sent.NO, "journal")


def test_the_key_is_in_no_text_of_it(server: Counted):
    assert "unr_none" not in repr(Desk(url=server.url, key="unr_none"))
