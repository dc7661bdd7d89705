"""`manage.py contracts` checks without a database and exports the schema."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.contracts.documents import changed, text


def check(*names: Any, **options: Any) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("contracts", "check", *map(str, names), stdout=out, stderr=err, **options)
    return int(str(left.value.code)), out.getvalue(), err.getvalue()


def test_a_file_that_can_not_be_read_is_told_apart_from_a_bad_contract(tmp_path):
    status, out, err = check(tmp_path / "nowhere.yaml")
    assert (status, out) == (2, "")
    assert "nowhere.yaml" in err


def test_a_refused_contract_is_told_with_its_line_and_place(tmp_path: Path):
    bad = tmp_path / "bad.yaml"
    bad.write_text(text({"/readings/0/source": "hearsay"}), encoding="utf-8")
    status, out, _ = check(bad)
    assert status == 1
    assert f"{bad}: refused: line " in out
    assert "/readings/0/source: names no source: hearsay (unknown_source)" in out


def test_what_a_contract_leaves_open_is_a_finding_and_a_draft_is_none(tmp_path):
    told = tmp_path / "told.yaml"
    told.write_text(text({"/readings/0/examples/0/evidence": "invented"}), encoding="utf-8")
    status, out, _ = check(told)
    assert status == 1
    assert "no rule reads the channel wire" in out
    assert "1 rules, 1 examples read as they say; draft" in out


def test_the_library_is_clean():
    status, out, _ = check()
    assert status == 0
    assert "library: collection-desk: " in out


def test_the_schema_names_what_the_document_has_and_takes_nothing_else():
    out = StringIO()
    call_command("contracts", "schema", stdout=out)
    schema = json.loads(out.getvalue())
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(changed({}))
    assert set(changed({})) <= set(schema["properties"])
    assert "in" in schema["$defs"]["Condition"]["properties"]
    assert "is" in schema["$defs"]["Term_bool_"]["properties"]
