"""`manage.py create_api_key` prints a key that opens, once, or says in a sentence why there is none."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from operations import models
from operations.keys import caller_of
from tests.operations.rows import contract

pytestmark = pytest.mark.django_db


def run(*words) -> Any:
    out, err = StringIO(), StringIO()
    call_command("create_api_key", *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


RIGHT = ("wrapper", "--scope=transport", "--recipient=desk", "--expires-in=30")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("wrapper", "--recipient=desk", "--expires-in=30"), "required: --scope"),
        (("wrapper", "--scope=read", "--expires-in=30"), "required: --recipient"),
        (("wrapper", "--scope=read", "--recipient=desk"), "required: --expires-in"),
        ((*RIGHT, "--scope=decide"), "invalid choice"),
        ((*RIGHT, "--recipient=nobody"), "There is no recipient nobody."),
        ((*RIGHT, "--expires-in=0"), "1 to 3650 days"),
        ((*RIGHT, "--expires-in=4000"), "1 to 3650 days"),
        ((" ", *RIGHT[1:]), "name"),
        (("x" * 201, *RIGHT[1:]), "name"),
        (("a\nb", *RIGHT[1:]), "name"),
    ],
)
def test_nothing_is_made_of_half_a_wish(words, said):
    contract("desk")
    with pytest.raises(CommandError, match=said):
        run(*words)
    assert not models.ApiKey.objects.exists()


def test_the_key_is_printed_alone_and_opens():
    contract("desk")
    contract("other")
    out, err = run(*RIGHT, "--scope=read", "--recipient=other")
    key = out.strip()
    assert "only time" in err
    row = models.ApiKey.objects.get()
    found = caller_of(key, now=row.created_at)
    assert found is not None
    assert (found.name, found.scopes, set(found.recipients)) == (
        "wrapper",
        frozenset({"transport", "read"}),
        {"desk", "other"},
    )
    assert (row.expires_at - row.created_at).days == 30
