"""What passes the proxy passes as it came, both ways; what is guarded is forwarded once, or not at all."""

import json
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from tests.client.mcp.agents import PATHS
from tests.client.mcp.scripted import between, call, result
from unresolved import Desk, Journal, Mode, Recorder
from unresolved.desk import Answer
from unresolved.proxy.calling import Calling, Waiting
from unresolved.proxy.naming import Naming, Rule
from unresolved.proxy.reading import read
from unresolved.proxy.relaying import started

NOWHERE = Desk(url="http://127.0.0.1:9", key="unr_none")  # nobody listens there: what leaves is for the journal to say
FROM_CLIENT = [
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":1e400,"y":1.0,"z":0.10000000000000000555}}\n',
    b'  {"jsonrpc": "2.0" , "method": "notifications/initialized"}\r\n',
    b'{"jsonrpc":"2.0","id":"a\\u0301","method":"tools/list","params":{"cursor":"\\ud83d\\ude00","_meta":{}}}\n',
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","arguments":{"n":NaN,"a":1,"a":2}}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}\n',
    b'{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}\n',
    b'[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"resources/list"}]\n',
    b'{"id":5,"method":"prompts/get","params":{"name":"issue","arguments":{"order":"order-1"}},"jsonrpc":"2.0"}\n',
    '{"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"q":"é漢"}}\n'.encode(),
    b"7\n",
]  # fmt: skip
FROM_SERVER = [
    b"a stray word on the wrong stream\n",
    b'{"jsonrpc":"2.0","id":1,"result":{"big":123456789012345678901234567890,"e":1E-7}}\n',
    b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"name":"issue"}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n',
    b'{"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"no"}}\n',
    b"\xff\xfe no text at all\n",
    b'{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}',  # without its end
]


def test_every_byte_passes_both_ways(tmp_path: Path):
    (tmp_path / "says").write_bytes(b"".join(FROM_SERVER))
    own = ["--desk", NOWHERE.url, "--journal", str(tmp_path / "ops.db"), "--contract", "issue=tickets"]
    server = [sys.executable, "-m", "tests.client.mcp.raw_server", str(tmp_path / "says"), str(tmp_path / "heard")]
    log = ["--wire-log", str(tmp_path / "wire.jsonl")]
    said = subprocess.run(
        [sys.executable, "-m", "unresolved", "mcp-proxy", *own, *log, "--", *server],
        input=b"".join(FROM_CLIENT),
        env={**PATHS, "UNRESOLVED_KEY": "unr_none"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert said.stdout == b"".join(FROM_SERVER)
    assert (tmp_path / "heard").read_bytes() == b"".join(FROM_CLIENT)
    logged = [line for line in (tmp_path / "wire.jsonl").read_bytes().splitlines() if b"client->server" in line]
    assert [line.partition(b'"msg": ')[2][:-1] for line in logged] == [one.strip() for one in FROM_CLIENT]
    assert (tmp_path / "wire.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_guarded_call_and_its_answer_pass_byte_by_byte(tmp_path: Path):
    asked = b'{"id": 1 ,"jsonrpc":"2.0","method":"tools/call","params":{"name":"issue","arguments":{"n":1e400,"order":"a"}}}\r\n'
    answered = b'{ "result":{"content":[],"x":1.50}, "id":1,"jsonrpc":"2.0"}\n'
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(asked)
        assert relay.server.hear() == asked
        [attempt] = relay.recorder.journal.open_attempts()  # on disk before the first byte
        relay.server.say(answered)
        assert relay.client.hear() == answered
        assert relay.recorder.journal.attempt(attempt.id).marks["ended"][1] == "answered"


HOSTILE = [
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"issue"}}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"issue"}}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"issue"}}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look"},"params":{"name":"issue"}}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","Name":"issue"}}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Issue","arguments":{"order":"a"}}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["issue",{}]}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["issue"]}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue"}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":""}}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":[1]}}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":"a\\n"}}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":"\\ud800"}}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":"a","n":NaN}}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":"a","order":"b"}}}', -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":"%s"}}}' % (b"a" * 256), -32602),
    (b'[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":"a"}}}]', None),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call",', -32700),
    (b'{"x":"\xff"}', -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[\r{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue","arguments":{"order":"a"}}}\r]}', -32600),
    (b"[" * 100_000, -32700),
]  # fmt: skip


def test_what_could_be_read_as_another_call_does_not_pass(tmp_path: Path):
    with between(tmp_path, NOWHERE) as relay:
        for raw, code in HOSTILE:
            relay.client.say(raw + b"\n")
            if code is not None:
                assert relay.client.message()["error"]["code"] == code, raw[:120]
        deep = call(2)
        deep["params"]["arguments"]["deep"] = "@"
        relay.client.say(json.dumps(deep).replace('"@"', "[" * 700 + "]" * 700).encode() + b"\n")
        assert relay.client.message()["error"]["code"] == -32602
        relay.client.say(call(None))  # nobody could be answered
        ping = relay.client.say({"jsonrpc": "2.0", "id": 9, "method": "ping"})
        assert relay.server.hear() == ping  # and nothing before it
        with relay.recorder.journal.reading() as journal:
            assert journal.execute("SELECT count(*) FROM attempts").fetchone()[0] == 0


def test_a_repeat_is_held_without_a_byte_to_the_server(tmp_path: Path):
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(call(1))
        relay.server.hear()
        relay.client.say(call(2))
        held = relay.client.message()
        assert (held["id"], json.loads(held["result"]["content"][0]["text"])["next"]) == (2, "held")
        relay.client.say(call("1"))
        assert relay.client.message()["id"] == "1"
        relay.server.say(result(1))
        assert relay.client.message() == result(1)
        assert relay.server.lines.empty()


def test_an_id_that_is_under_way_is_not_used_for_another_request(tmp_path: Path):
    looks = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "look"}}
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(call(1))
        relay.client.say({**looks, "id": 2})
        relay.server.hear()
        relay.server.hear()
        for again in (call(1, order="order-2"), {**looks, "id": 1}, call(2, order="order-2"), [{**looks, "id": 1}]):
            relay.client.say(json.dumps(again).encode() + b"\n")
            if isinstance(again, dict):
                assert relay.client.message()["error"]["code"] == -32600
        relay.server.say(result(2))
        assert relay.client.message() == result(2)
        relay.server.say(result(1))
        assert relay.client.message() == result(1)
        assert relay.server.lines.empty()


class Broken(Recorder):
    """One that has a mistake in it."""

    def under_way(self, meant: Any, **_: Any) -> Any:
        raise ZeroDivisionError(meant.tool)


def test_whatever_is_wrong_in_the_proxy_itself_its_caller_gets_an_answer(tmp_path: Path):
    said: list[bytes] = []
    naming = Naming(rules={"issue": Rule(recipient="tickets", intent="/order")})
    line = read(json.dumps(call(1)).encode())
    recorder = Broken(journal=Journal(tmp_path / "ops.db"), desk=NOWHERE)
    calling = Calling(recorder=recorder, up=said.append, down=said.append)
    with pytest.raises(ZeroDivisionError):
        calling.make(Waiting(line=line, meant=naming.meant(line, tool="issue"), id="1"))
    assert [json.loads(one)["error"]["code"] for one in said] == [-32603]


class Forgetful(Recorder):
    """One that fails once the answer was passed on."""

    def told(self, attempt: Any, **_: Any) -> Any:
        raise ZeroDivisionError(attempt.tool)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_whatever_is_wrong_after_its_answer_its_caller_gets_no_second(tmp_path: Path):
    with between(tmp_path, NOWHERE, recorder=Forgetful) as relay:
        relay.client.say(call(1))
        relay.server.hear()
        relay.server.say(result(1))
        assert relay.client.message() == result(1)
    assert relay.client.lines.empty()


def test_an_id_that_is_no_text_is_answered_all_the_same(tmp_path: Path):
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(call("\ud800"))
        relay.server.hear()
        relay.client.say(call("\udfff"))
        assert relay.client.message()["id"] == "\udfff"


def test_the_server_gets_its_environment_and_not_the_key_of_the_desk(tmp_path: Path):
    code = "import os; print(sorted(name for name in os.environ if name.startswith('UNRES') or name == 'MINE'))"
    env = {"MINE": "1", "UNRESOLVED_KEY": "hush", "UNRESOLVED_KEY_FILE": "hush"}
    with started([sys.executable, "-c", code], env) as server:
        assert server.stdout is not None
        assert server.stdout.read() == b"['MINE']\n"


@pytest.mark.parametrize("mode", list(Mode))
def test_a_server_that_ends_leaves_an_envelope_and_an_open_outcome(tmp_path: Path, mode: Mode):
    with between(tmp_path, NOWHERE, mode=mode) as relay:
        relay.client.say(call(1))
        if mode is Mode.LOCAL:
            relay.server.hear()
            relay.end_server()
        told = json.loads(relay.client.message()["result"]["content"][0]["text"])
        assert (told["next"], told["sent"]) == (("held", "yes") if mode is Mode.LOCAL else ("not_sent", "no"))


def test_a_cancellation_proves_nothing_and_a_late_answer_is_recorded(tmp_path: Path):
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(call(1))
        relay.server.hear()
        cancelled = relay.client.say(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        )
        assert relay.server.hear() == cancelled
        [attempt] = relay.recorder.journal.open_attempts()
        assert attempt.sent == "unknown"
        relay.server.say(result(1))
        assert relay.client.message() == result(1)
        assert relay.recorder.journal.attempt(attempt.id).marks["ended"][1] == "answered"


class Slow(Desk):
    """A desk that says nothing until a test lets it."""

    def _exchange(self, method: str, path: str, body: bytes | None) -> Answer:
        ASKED.put(f"{method} {path} {len(body or b'')}"[:11])
        LET.get(timeout=60)
        raise ConnectionRefusedError


ASKED: SimpleQueue[str] = SimpleQueue()
LET: SimpleQueue[None] = SimpleQueue()


def test_what_is_cancelled_before_it_was_forwarded_is_never_forwarded(tmp_path: Path):
    with between(tmp_path, Slow(url="http://desk.invalid", key="unr_none")) as relay:
        relay.client.say(call(1))
        while ASKED.get(timeout=60) != "POST /batch":
            pass
        relay.client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        ping = relay.client.say({"jsonrpc": "2.0", "id": 9, "method": "ping"})
        assert relay.server.hear() == ping
        for _ in range(3):
            LET.put(None)
    [attempt] = relay.recorder.journal.attempts(1)
    relay.recorder.journal.close()
    assert (attempt.sent, relay.server.lines.empty(), relay.client.lines.empty()) == ("no", True, True)


def test_a_caller_that_has_waited_long_enough_learns_that_nobody_knows(tmp_path: Path):
    with between(tmp_path, NOWHERE, patience=0.01) as relay:
        relay.client.say(call(1))
        relay.server.hear()
        told = json.loads(relay.client.message()["result"]["content"][0]["text"])
        assert (told["next"], told["reason"]) == ("held", "no answer came in time")
        [attempt] = relay.recorder.journal.open_attempts()
        relay.server.say(result(1))  # too late for the caller, and still on record
        ping = {"jsonrpc": "2.0", "method": "notifications/message"}
        relay.server.say(ping)
        assert relay.client.message() == ping
    assert attempt.id not in [one.id for one in relay.recorder.journal.open_attempts()]


def test_a_question_back_goes_on_with_the_same_attempt(tmp_path: Path):
    with between(tmp_path, NOWHERE) as relay:
        relay.client.say(call(1))
        relay.server.hear()
        asks = result(1, resultType="input_required", requestState="s1")
        relay.server.say(asks)
        assert relay.client.message() == asks
        going_on = relay.client.say(call(2, requestState="s1", inputResponses={"q": 1}))
        assert relay.server.hear() == going_on
        relay.client.say(call(3, requestState="s1"))  # the state was used
        assert json.loads(relay.client.message()["result"]["content"][0]["text"])["next"] == "held"
        relay.server.say(result(2))
        assert relay.client.message() == result(2)
        with relay.recorder.journal.reading() as journal:
            assert journal.execute("SELECT count(*) FROM attempts").fetchone()[0] == 1
