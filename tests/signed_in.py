"""What `force_login` leaves in tests: a session of somebody who proved who they are a moment ago.

Only the test client's own way in says so; whoever signs in through a page in a test has what that page left.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY, record_authentication
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest
from django.test import Client


def _prove(*, request: HttpRequest, user: Any, **_: Any) -> None:
    if "REQUEST_METHOD" in request.META:  # a request of a browser, not the bare one that force_login makes
        return
    if not user.has_usable_password():
        record_authentication(request, user, "link")
        return
    record_authentication(request, user, "password")


@contextmanager
def proven() -> Iterator[None]:
    """Whoever is signed in by `force_login` has proved it."""
    user_logged_in.connect(_prove)
    try:
        yield
    finally:
        user_logged_in.disconnect(_prove)


def proved_ago(client: Client, *, minutes: float) -> None:
    """Let whatever the client's session proves have been proved so long ago."""
    session = client.session
    records = session[AUTHENTICATION_METHODS_SESSION_KEY]
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{**one, "at": time.time() - minutes * 60} for one in records]
    session.save()
