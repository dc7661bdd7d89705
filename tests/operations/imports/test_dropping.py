"""What must not be kept is dropped and said; what only looks like it stays, and every pointer still holds."""

from typing import Any

import pytest

from operations.core.strict_json import NumberText
from operations.imports.document import read
from operations.imports.dropping import DROPPED, kept
from operations.imports.keeping import text_of
from tests.operations.imports.records import encoded


def dropped(value: Any) -> list[tuple[str, str]]:
    return kept(read(encoded(value))).dropped


def left(value: Any) -> Any:
    return kept(read(encoded(value))).document.value


@pytest.mark.parametrize(
    "value",
    [
        {"token": None, "password": "", "secret": True, "cookie": [], "credentials": {}},
        {"input_tokens": 7, "tokenizer": "x", "keyboard": "y", "requestState": "s", "call_id": "call_1"},
        "The token of thanks, and a key to the door: basic, bearer.",
        "https://desk.example/a?parcel=Cedar",
        {"context": {"context": {"a": 1}}},  # of no run's state
        ["authorization", "is needed", "here"],
    ],
)
def test_what_is_no_secret_stays(value):
    assert dropped({"x": value}) == []


@pytest.mark.parametrize(
    "name",
    ["authorization", "Authorization", "X-Api-Key", "apiKey", "api_key", "client_secret", "Set-Cookie", "PASSWORD"],
)
def test_a_value_under_the_name_of_a_secret_goes(name):
    assert dropped({"a": [{name: "quokka"}]}) == [(f"/a/0/{name}", "secret_name")]
    assert left({name: {"deep": "quokka"}}) == {name: DROPPED}
    assert left({"headers": [[name, "quokka"]]}) == {"headers": [[name, DROPPED]]}
    assert left({"headers": [{"name": name, "value": "quokka"}]})["headers"][0]["value"] == DROPPED


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ('{"api_key": "quokka", "x": 1}', '{"api_key": "[dropped]", "x": 1}'),
        ("{'password': 'quokka'}", "{'password': '[dropped]'}"),
        ('{"password": "a\\"quokka"}', '{"password": "[dropped]"}'),
        ('{"password": 12345, "x": [1.50]}', '{"password": "[dropped]", "x": [1.50]}'),
        ('{"credentials": {"a": "quokka"}}', '{"credentials": "[dropped]"}'),
        ('said {"password": "it\'s \\"quokka"} then', 'said {"password": "[dropped]"} then'),
        ('{\\"token\\": \\"quokka\\"}', '{\\"token\\": \\"[dropped]\\"}'),
        ("go to /a?token=quokka&b=1", "go to /a?token=[dropped]&b=1"),
        ("Authorization: Bearer quokka.quokka", "Authorization: Bearer [dropped]"),
        ("postgres://mira:quokka@db/x", "postgres://[dropped]@db/x"),
        ("sk-quokkaquokkaquokka1", "[dropped]"),
        ("unr_0123456789abcdef.quokkaquokka", "[dropped]"),
        ("AKIAQUOKKAQUOKKA1234", "[dropped]"),
        ("eyJxdW9ra2E.eyJxdW9ra2E.quokkaquokka", "[dropped]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nquokka\n-----END RSA PRIVATE KEY-----", "[dropped]"),
    ],
)
def test_a_secret_in_a_text_goes_and_the_rest_stays(text, stays):
    assert left({"a": text}) == {"a": stays}
    assert dropped({"a": text}) == [("/a", "secret_text")]


def test_what_a_program_gave_its_run_goes_in_nested_runs_too():
    inner = {"$schemaVersion": "1.15", "context": {"context": "quokka"}}
    state = {"$schemaVersion": "1.15", "context": {"context": {"a": "quokka"}, "approvals": {}}, "inner": inner}
    assert dropped(state) == [("/context/context", "context"), ("/inner/context/context", "context")]
    assert left(state)["context"]["approvals"] == {}


def test_lines_keep_their_numbers_and_numbers_their_characters():
    record = read(b'{"t": 1.50, "token": "x"}\n\n{"t": 2}\n')
    found = kept(record)
    assert found.dropped == [("line 1 /token", "secret_name")]
    again = read(text_of(found.document).encode())
    assert [number for number, _ in again.lines] == [1, 3]
    assert again.lines[0][1] == {"t": NumberText("1.50"), "token": DROPPED}
