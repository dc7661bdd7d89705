"""Every address turns strangers away, but for those that are meant for them."""

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, reverse

from escalation.urls import urlpatterns
from operations.api.v1 import NAMESPACE

# A recipient that tells us something has no session: its signature is checked instead (tests/escalation/views/test_hooks.py).
FOR_RECIPIENTS = {"hook", "hook_channel"}
SIGNS_IN = {"sign_in", "sign_in_by_link", "account_login", "mfa_login_webauthn", "mfa_authenticate", "account_inactive"}
FOR_STRANGERS = SIGNS_IN | {"sign_out", "healthz", "readyz"} | FOR_RECIPIENTS


def addresses(patterns) -> list[URLPattern]:
    """Every leaf of the URL table but those of the agents' door, which keys open (tests/operations/api)."""
    found: list[URLPattern] = []
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            found += [] if pattern.namespace == NAMESPACE else addresses(pattern.url_patterns)
        else:
            found.append(pattern)
    return found


def test_the_table_is_not_empty():
    assert len(addresses(urlpatterns)) >= len(FOR_STRANGERS) + 1


@pytest.mark.django_db
@pytest.mark.parametrize("pattern", addresses(urlpatterns), ids=lambda pattern: str(pattern.name))
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stranger_is_turned_away(pattern, method):
    if pattern.name in FOR_STRANGERS:
        assert getattr(pattern.callback, "login_required", True) is False
        return
    values = {name: converter.to_python("1") for name, converter in pattern.pattern.converters.items()}
    answer = getattr(Client(), method)(reverse(pattern.name, kwargs=values))
    assert answer.status_code == 302
    assert answer.url.startswith(reverse("sign_in"))
