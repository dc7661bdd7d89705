"""Mail through a real SMTP server on loopback, and through ones that break off at every step."""

import socket
import threading

import pytest

from escalation.models.notice import End
from escalation.notify import mail
from tests.escalation.notify.mail_server import at
from tests.escalation.notify.messages import HOSTILE_GROUP, HOSTILE_ONE, LINK, about, message


def test_without_a_mail_server_nothing_is_sent_and_the_setting_is_named(settings):
    settings.MAIL_IS_SENT = False
    outcome = mail.send(message(about()), to="ann@desk.example")
    assert (outcome.end, outcome.detail) == (End.NOT_SENT, "No mail server is set (UNRESOLVED_MAIL).")


def test_a_mail_server_that_is_away_takes_nothing(settings):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        at(settings, free.getsockname()[1])
    outcome = mail.send(message(about()), to="ann@desk.example")
    assert (outcome.end, outcome.detail) == (End.NOT_SENT, "The mail server can't be reached.")


@pytest.mark.parametrize(
    "to", ["ann@desk.example\r\nRCPT TO:<b@c>", "ann", "ann@desk.example, b@c.example", "a\x00@b.c"]
)
def test_what_is_no_address_is_refused_before_anybody_is_asked(server, to):
    assert mail.send(message(about()), to=to).end is End.REFUSED
    assert server.kept == []


@pytest.mark.parametrize(("reply", "end"), [("450 Not now", End.NOT_SENT), ("550 No such mailbox", End.REFUSED)])
def test_an_address_that_is_turned_away_is_sent_nothing(server, reply, end):
    server.to_address = reply
    outcome = mail.send(message(about()), to="ann@desk.example")
    assert (outcome.end, server.kept) == (end, [])
    assert "mailbox" not in outcome.detail


@pytest.mark.parametrize(
    ("reply", "end"),
    [("451 Try later", End.NOT_SENT), ("421 Closing", End.NOT_SENT), ("554 Looks like spam", End.REFUSED)],
)
def test_a_server_that_does_not_take_the_message_says_so_itself(server, reply, end):
    server.to_message = reply
    outcome = mail.send(message(about()), to="ann@desk.example")
    assert (outcome.end, reply[:3] in outcome.detail) == (end, True)


def test_a_mail_says_the_effect_the_three_answers_the_time_left_and_where_to_go(server):
    outcome = mail.send(message(about()), to="ann@desk.example")
    assert outcome.end is End.TAKEN
    [found] = server.kept
    assert found["Subject"] == "[Unresolved] Act before 30 Nov 14:41 UTC"
    assert (found["Message-ID"], found["Auto-Submitted"]) == (f"<{77:032x}@localhost>", "auto-generated")
    for part in ("plain", "html"):
        text = found.get_body((part,)).get_content().replace("&#x27;", "'")
        for said in (
            "Issue one collection ticket for parcel Cedar at desk East",
            "Did it happen?",
            "We don't know",
            "Could it still happen?",
            "It may",
            "Safe to send again?",
            "Yes, until 30 Nov 14:41 UTC",
            "Act before 30 Nov 14:41 UTC, in 41 min",
            LINK,
            "You are called because you are in the team Cedar.",
        ):
            assert said in text, (part, said)


def test_a_mail_about_a_group_names_the_soonest_and_says_how_many_more(server):
    mail.send(message(about(), about("Issue another", number=7), count=214), to="ann@desk.example")
    text = server.kept[0].get_body(("plain",)).get_content()
    assert "7 · Issue another" in text
    assert "and 212 more" in text
    assert "Did it happen?" not in text


@pytest.mark.parametrize("hostile", [HOSTILE_ONE, HOSTILE_GROUP], ids=["one", "group"])
def test_hostile_words_reach_one_reader_as_one_mail(server, hostile):
    assert mail.send(hostile, to="ann@desk.example").end is End.TAKEN
    [found] = server.kept
    assert (server.readers, found["Bcc"]) == ([["ann@desk.example"]], None)
    assert found["Subject"].strip().startswith("[Unresolved] Pay <script>alert(1)</script>")
    assert "MAIL FROM:<x@y>" in found.get_body(("plain",)).get_content()


class Script(threading.Thread):
    """A server that says these lines, one for each that it is told, and then hangs up; after DATA it reads to the dot."""

    def __init__(self, *lines: str, reads_whole: bool) -> None:
        super().__init__(daemon=True)
        self.lines, self.reads_whole, self.got = lines, reads_whole, b""
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def run(self) -> None:
        wire, _ = self.socket.accept()
        with self.socket, wire, wire.makefile("rb") as read:
            for line in self.lines:
                wire.sendall(line.encode() + b"\r\n")
                read.readline()
            while self.reads_whole and not self.got.endswith(b"\r\n.\r\n"):
                self.got += read.readline()


HELLO = ("220 here", "250 here", "250 OK", "250 OK")


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (("554 not you",), End.NOT_SENT),
        (HELLO[:1], End.NOT_SENT),
        (HELLO[:3], End.NOT_SENT),
        (HELLO, End.NOT_SENT),
        ((*HELLO, "421 closing"), End.NOT_SENT),
    ],
)
def test_a_server_that_hangs_up_before_the_message_was_whole_took_nothing(settings, lines, end):
    script = Script(*lines, reads_whole=False)
    script.start()
    at(settings, script.port)
    assert mail.send(message(about()), to="ann@desk.example").end is end


def test_where_the_reply_to_the_whole_message_is_lost_it_may_have_arrived(settings):
    script = Script(*HELLO, "354 go on", reads_whole=True)
    script.start()
    at(settings, script.port)
    outcome = mail.send(message(about()), to="ann@desk.example")
    assert outcome.end is End.MAY_HAVE_ARRIVED
    script.join()
    assert script.got.endswith(b"\r\n.\r\n")
