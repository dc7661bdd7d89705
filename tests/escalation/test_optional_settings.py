"""What the environment turns on, in a process of its own; nothing of it is there unless it is named."""

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

ASKED = """
import json
import django
django.setup()
from django.conf import settings
from django.urls import NoReverseMatch, reverse
def there(name, **values):
    try:
        return bool(reverse(name, kwargs=values))
    except NoReverseMatch:
        return False
print(json.dumps({
    "mail": there("account_reset_password"),
    "sso": there("openid_connect_login", provider_id="single"),
    "host": getattr(settings, "EMAIL_HOST", ""),
    "backend": settings.EMAIL_BACKEND,
    "apps": settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"],
    "minutes": settings.PROOF_LASTS.total_seconds() / 60,
    "proxies": settings.ALLAUTH_TRUSTED_PROXY_COUNT,
    "secure": [settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE],
}))
"""
BARE = {name: value for name, value in os.environ.items() if not name.startswith("UNRESOLVED_")}


def settings_of(**environ: str):
    """What a process finds that is started with these."""
    names = {**BARE, "DJANGO_SETTINGS_MODULE": "escalation.settings", "UNRESOLVED_VAR": "/nonexistent", **environ}
    ran = subprocess.run(
        [sys.executable, "-c", ASKED], env=names, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout)


def test_nothing_is_on_by_itself():
    found = settings_of()
    assert (found["mail"], found["sso"], found["apps"]) == (False, False, [])
    assert found["backend"] == "django.core.mail.backends.dummy.EmailBackend"
    assert (found["minutes"], found["proxies"], found["secure"]) == (15, 0, [False, False])


def test_each_is_on_where_it_is_named(tmp_path):
    secret = tmp_path / "oidc"
    secret.write_text("invented\n")
    found = settings_of(
        UNRESOLVED_MAIL="smtp+tls://desk:invented@mail.desk.example:587",
        UNRESOLVED_OIDC_ISSUER="https://id.desk.example",
        UNRESOLVED_OIDC_CLIENT="desk",
        UNRESOLVED_OIDC_SECRET_FILE=str(secret),
        UNRESOLVED_PROOF_MINUTES="5",
        UNRESOLVED_PROXIES="1",
        UNRESOLVED_URL="https://desk.example",
    )
    assert (found["mail"], found["sso"], found["host"]) == (True, True, "mail.desk.example")
    (app,) = found["apps"]
    assert (app["client_id"], app["secret"]) == ("desk", "invented")
    assert app["settings"]["server_url"] == "https://id.desk.example"
    assert app["settings"]["auth_params"] == {"prompt": "login", "max_age": "0"}
    assert (found["minutes"], found["proxies"], found["secure"]) == (5, 1, [True, True])


def test_a_proof_that_would_count_for_no_time_at_all_is_refused():
    with pytest.raises(subprocess.CalledProcessError) as refused:
        settings_of(UNRESOLVED_PROOF_MINUTES="0")
    assert "UNRESOLVED_PROOF_MINUTES" in refused.value.stderr
