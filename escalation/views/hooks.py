"""Where recipients tell us by themselves: 2xx only once the message is on record; what proves nothing leaves nothing.

For strangers: a recipient has no session, and its signature is its only word. The form's token is not asked for, because
no browser's cookie gives anything here.
"""

import logging
from typing import Final

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from operations import listening

log: Final = logging.getLogger(__name__)
PROBLEM: Final = "application/problem+json"


def _problem(status: int, sentence: str, **headers: str) -> HttpResponse:
    answer = JsonResponse({"title": sentence, "status": status}, status=status, content_type=PROBLEM)
    for name, value in headers.items():
        answer[name.replace("_", "-")] = value
    return answer


def _length(request: HttpRequest) -> int | None:
    """How long the body is said to be; None where that isn't said, and nobody knows when it would end."""
    written = request.META.get("CONTENT_LENGTH") or ""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 20 else None


@csrf_exempt
@login_not_required
@never_cache
@require_POST
def hook(request: HttpRequest, recipient: str, channel: str | None = None) -> HttpResponse:
    """Hear one message: stored first, judged then; a message that is on record already is answered like the first."""
    try:
        return _heard(request, recipient, channel)
    except listening.NoSuchEar as error:
        return _problem(404, str(error))
    except listening.NotProven as error:
        return _problem(401, str(error))
    except listening.TooMany as error:
        return _problem(429, str(error), Retry_After=str(error.wait))
    except listening.CannotProve as error:
        log.warning("a message of %s can't be proven: %s", recipient, error)  # names settings, never a value
        return _problem(503, "This desk is not set up to check this recipient's messages.", Retry_After="60")


def _heard(request: HttpRequest, recipient: str, channel: str | None) -> HttpResponse:
    length, now = _length(request), timezone.now()
    if length is None:
        return _problem(411, "The length of the message is not said.")
    if length > settings.LONGEST_MESSAGE:
        listening.refuse(recipient, channel, because=f"A message was {length} bytes long.", now=now)
        return _problem(413, f"A message may be {settings.LONGEST_MESSAGE} bytes long.")
    try:
        body = request.read(length)
    except UnreadablePostError:
        return _problem(400, "The message ended before its end.")
    headers = {name.lower(): value for name, value in request.headers.items()}
    heard = listening.hear(recipient, channel, headers=headers, body=body, now=now)
    _judge(heard)
    return JsonResponse({"message": str(heard.message_id), "new": heard.created}, status=202 if heard.created else 200)


def _judge(heard: listening.Heard) -> None:
    """Judge at once what can be judged at once. The message is on record: whatever fails here, the sweep does again."""
    try:
        listening.judge(heard.message_id, now=timezone.now())
    except listening.FAILS:
        log.exception("message %s is stored and could not be judged yet", heard.message_id)
