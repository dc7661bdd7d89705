"""A hostile file is refused by its place and its rule, with 422 on the screen and status 1 at the command; nothing is kept."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from escalation.policy import Role
from operations import models
from operations.imports.document import LARGEST
from tests.escalation.people import with_role

HOSTILE = [
    pytest.param(b'{"messages": ' + b"[" * 300 + b"]" * 300 + b"}", "line 1 column 213", "too_deep", id="nesting"),
    pytest.param(b'{"messages": [], "messages": []}', "/messages", "duplicate_name", id="name-twice"),
    pytest.param(b'{"messages": [NaN]}', "/messages/0", "not_a_number", id="nan"),
    pytest.param(b'{"messages": [Infinity]}', "/messages/0", "not_a_number", id="infinity"),
    pytest.param(b'{"messages": [01]}', "line 1 column 16", "syntax", id="number"),
    pytest.param(b'{"messages": ["\\ud800"]}', "/messages/0", "lone_surrogate", id="half-a-character"),
    pytest.param(b'{"messages": ["\xff"]}', "byte 15", "utf_8", id="utf-8"),
    pytest.param(b"\xff\xfe[\x00]\x00", "byte 0", "utf_8", id="utf-16"),
    pytest.param(b"\x1f\x8b\x08\x00packed", "byte 1", "utf_8", id="gzip"),
    pytest.param(b"   \n", "", "empty", id="blank"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("content", "place", "rule"), HOSTILE)
def test_the_screen_refuses_a_hostile_file_by_place_and_rule(client: Client, content, place, rule):
    client.force_login(with_role("mira", Role.REVIEWER))
    got = client.post("/runs", {"record": SimpleUploadedFile("x.json", content)})
    assert (got.status_code, f"({rule})" in got.text, place in got.text) == (422, True, True)
    assert not models.Upload.objects.exists()


@pytest.mark.parametrize(("content", "place", "rule"), HOSTILE)
def test_the_command_refuses_a_hostile_file_by_place_and_rule(tmp_path: Path, content, place, rule):
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        call_command("import_transcript", str(file))
    assert refused.value.returncode == 1
    assert str(refused.value).startswith(place)
    assert f"({rule})" in str(refused.value)


def test_the_command_refuses_a_file_larger_than_fifty_mebibytes(tmp_path: Path):
    file = tmp_path / "x.json"
    with file.open("wb") as large:
        large.truncate(LARGEST + 1)
    with pytest.raises(CommandError, match=r"\(too_large\)") as refused:
        call_command("import_transcript", str(file))
    assert refused.value.returncode == 1


def test_the_command_refuses_a_log_of_requests_beside_a_folder(tmp_path: Path):
    with pytest.raises(CommandError, match="not with a folder"):
        call_command("import_transcript", str(tmp_path), request_log="x")
