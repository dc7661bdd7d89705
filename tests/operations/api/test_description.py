"""The description says what the door does: every reference holds, every answer has the shape that it names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pydantic import TypeAdapter

from operations.api import asked, batch, pages, said, shown
from operations.api.problems import ProblemDetails
from operations.api.reference import endpoints
from operations.keys import SCOPES
from tests.operations.api.calls import BASE, registration, reply

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs/integrate/api.md").read_text()


@pytest.fixture
def description(reader) -> Any:
    return reader.get("/openapi.json").body


def references(node) -> Any:
    if isinstance(node, dict):
        yield from [node["$ref"]] if "$ref" in node else []
        for child in node.values():
            yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


def test_strangers_see_no_description():
    assert Client().get(f"{BASE}/openapi.json").status_code == 401
    assert Client().get(f"{BASE}/docs").status_code == 302


def test_it_is_openapi_3_1(description):
    assert description["openapi"].startswith("3.1.")
    assert description["components"]["securitySchemes"]["Key"] == {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "unr_<id>.<secret>",
    }


def test_every_reference_is_to_a_part_that_is_there(description):
    found = set(references(description))
    assert found
    for one in found:
        node = description
        for part in one.removeprefix("#/").split("/"):
            node = node[part]


def test_every_object_that_is_asked_for_refuses_what_it_does_not_know(description):
    parts = description["components"]["schemas"]
    for model in (asked.Register, asked.Request, asked.FirstAttempt, asked.Begin, asked.Reply, asked.Say, batch.Batch):
        assert parts[model.__name__]["additionalProperties"] is False


def test_a_batch_names_its_items(description):
    items = description["components"]["schemas"]["Batch"]["properties"]["items"]
    assert items["maxItems"] == batch.MOST_ITEMS
    assert items["items"]["discriminator"]["propertyName"] == "kind"
    assert len(items["items"]["oneOf"]) == len(batch._KINDS)


def test_refusals_have_the_content_type_of_problems(description):
    for methods in description["paths"].values():
        for endpoint in methods.values():
            for status, answer in endpoint["responses"].items():
                problem = "application/problem+json" in answer["content"]
                assert problem == (int(status) >= 400)
            assert {"401", "403", "422", "429"} <= set(endpoint["responses"])


def test_every_endpoint_says_what_it_does():
    for one in endpoints():
        assert one.title
        assert one.about
    assert len({one.id for one in endpoints()}) == len(endpoints()) == 14


def test_answers_have_the_shape_that_they_are_said_to_have(wire, agent, reader, clock):
    first = wire.post("/operations", registration())
    operation = first.body["operation"]
    told: dict[Any, Any] = {
        said.Registered: first,
        said.Sealed: wire.post(f"/operations/{operation}/seal", {}),
        ProblemDetails: wire.post(f"/operations/{operation}/attempts", {"id": "a2", "sends": "one"}),
        said.Observed: wire.post(f"/operations/{operation}/replies", reply()),
        said.Standing: reader.get(f"/operations/{operation}/standing"),
        shown.Whole: reader.get(f"/operations/{operation}"),
        pages.Page: reader.get("/operations"),
        batch.Results: wire.post("/batch", {"items": [{"kind": "register", **registration()}, {}]}),
    }
    for model, found in told.items():
        TypeAdapter(model).validate_json(json.dumps(found.body))
        if model is not ProblemDetails:
            assert set(found.body) == set(model.model_fields)


def test_a_signed_in_person_reads_it_without_a_script(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("somebody"))
    page = client.get(f"{BASE}/docs")
    assert page.status_code == 200
    text = page.content.decode()
    for one in endpoints():
        assert f'id="{one.id}"' in text
        assert one.path in text
    main = text[text.index("<main") : text.index("</main>")]
    assert "<form" not in main
    assert "<script" not in main
    assert "://" not in main
    assert client.get(f"{BASE}/openapi.json").status_code == 200


def test_the_document_names_every_endpoint_and_scope():
    for one in endpoints():
        assert f"`{one.method} {one.path}`" in DOCUMENT
    for scope in SCOPES:
        assert f"`{scope}`" in DOCUMENT


def test_the_document_names_every_problem():
    sources = [path.read_text() for path in (ROOT / "operations/api").glob("*.py")]
    rules = {rule for source in sources for rule in re.findall(r"Problem\(\s*\d{3},\s*\"(\w+)\"", source)}
    assert {"new_proposal", "not_permitted", "no_key", "too_many_calls"} <= rules
    assert not [rule for rule in sorted(rules) if f"`{rule}`" not in DOCUMENT]
