"""The peer of a registration over HTTP: Django REST framework and the ORM, the same checks, the same tables.

Served as the desk's web is: granian, WSGI, one process, as many threads and pooled connections. What the desk does
besides is left out here, in the peer's favour: the pace of a key, the inference of the standing and the plan of the next
ask (the inferred columns are constants), problem details, the desk's own middleware.
"""

# ruff: noqa: E402  # the settings come before what reads them

import base64
import binascii
import hashlib
import hmac
from datetime import datetime
from typing import Any

from tests.benchmarks.peers import enter

enter()

import django
from django.conf import settings

from escalation.settings import DATABASES

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES=DATABASES,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.postgres",
        "pgtrigger",
        "rest_framework",
        "operations",
    ],
    # What startproject writes.
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    },
    ROOT_URLCONF="tests.benchmarks.peers.drf",
    SECRET_KEY="a peer signs nothing",
    USE_TZ=True,
)
django.setup()

from django.core.wsgi import get_wsgi_application
from django.db import IntegrityError, connection, transaction
from django.urls import path
from django.utils import timezone
from rest_framework import authentication, exceptions, permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from operations.contracts.asked import carried_identity, effect_sentence, subject_digest
from operations.contracts.loading import document_of
from operations.core.representation import Representation
from operations.models import ApiKey, Attempt, Contract, Operation, Recipient
from operations.models.chain import NOTHING_BEFORE, link
from operations.models.identifiers import uuid7

UNKNOWN = {
    "evidence": "unknown",
    "finality": "unestablished",
    "protection": "unestablished",
    "protection_reason": "record_incomplete",
    "duplicate_effect": False,
    "situation": "anything else",
    "missing": [["whether_it_happened", ["record"]]],
    "sealed": False,
    "revision": 2,
    "links": 2,
}


class KeyAuthentication(authentication.BaseAuthentication):
    """A key `unr_<id>.<secret>`, kept as the digest of its secret."""

    def authenticate(self, request: Request) -> tuple[ApiKey, None]:
        kind, _, key = request.headers.get("Authorization", "").partition(" ")
        key_id, _, secret = key.removeprefix("unr_").partition(".")
        row = ApiKey.objects.prefetch_related("recipients").filter(id=key_id).first()
        digest = hashlib.sha256(secret.encode()).hexdigest()
        if kind != "Bearer" or row is None or not hmac.compare_digest(digest, row.secret_digest):
            raise exceptions.AuthenticationFailed
        if row.ended_at is not None or row.expires_at <= timezone.now():  # noqa: TID251  # a view reads the clock
            raise exceptions.AuthenticationFailed
        return row, None


class MayRegister(permissions.BasePermission):
    """A key whose scope lets it report what its socket does."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002  # asked so
        return bool({"transport", "agent"} & set(request.user.scopes))


class Strict(serializers.Serializer):
    """Unknown fields are refused."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := data.keys() - self.fields.keys()):
            raise serializers.ValidationError({key: ["is not a field here"] for key in unknown})
        return super().to_internal_value(data)


class StrictText(serializers.CharField):
    """Text, never a number that became text."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class Bytes(serializers.Field):
    """Bytes in base64."""

    def to_internal_value(self, data: Any) -> bytes:
        try:
            return base64.b64decode(data, validate=True)
        except (TypeError, ValueError, binascii.Error):
            raise serializers.ValidationError("must be base64") from None


class RequestSerializer(Strict):
    """The exact request."""

    method = StrictText(max_length=64)
    target = StrictText(max_length=2048)
    headers = serializers.ListField(
        child=serializers.ListField(child=StrictText(max_length=8192), min_length=2, max_length=2), max_length=100
    )
    body = Bytes(allow_null=True, default=None)
    arguments = Bytes(allow_null=True, default=None)
    scope = StrictText(max_length=255, allow_blank=True, default="")


class AttemptSerializer(Strict):
    """The decision to send."""

    id = StrictText(max_length=128)
    sends = serializers.ChoiceField(["one", "many"])
    begun_at = serializers.DateTimeField(default=None)


class OriginSerializer(Strict):
    """Where the call came from."""

    agent = StrictText(max_length=200, allow_blank=True, default="")
    run = StrictText(max_length=200, allow_blank=True, default="")
    call = StrictText(max_length=200, allow_blank=True, default="")
    tool = StrictText(max_length=200, allow_blank=True, default="")


class RegisterSerializer(Strict):
    """One operation and its first attempt."""

    recipient = StrictText(max_length=64)
    identity = StrictText(max_length=255)
    request = RequestSerializer()
    attempt = AttemptSerializer()
    origin = OriginSerializer(default=dict)
    authorised_by = StrictText(max_length=200, allow_blank=True, default="")
    deadline = serializers.DateTimeField(default=None)


def operation_of(told: dict[str, Any], recipient: Recipient, *, now: datetime) -> Operation:
    """The row, after the checks that need the contract."""
    contract = Contract.objects.filter(recipient=recipient, published_at__isnull=False).latest("version")
    asked, document = told["request"], document_of(contract.document)
    request = Representation(
        **{**asked, "headers": tuple([tuple(line) for line in asked["headers"]])}, identity=told["identity"]
    )
    if request.method != document.request.method or carried_identity(document, request) != request.identity:
        raise serializers.ValidationError("not of this contract")
    row = Operation(
        id=uuid7(now),
        recipient=recipient,
        contract=contract,
        identity=told["identity"],
        identity_known=True,
        **asked,
        digest=request.digest,
        subject=subject_digest(document, request),
        effect=effect_sentence(document, request),
        **told["origin"],
        authorised_by=told["authorised_by"],
        deadline=told["deadline"],
        created_at=now,
        assessed_at=now,
        **UNKNOWN,
    )
    row.head = link(NOTHING_BEFORE, {"id": row.id, "digest": row.digest})
    return row


def attempt_of(told: dict[str, Any], operation: Operation, *, now: datetime, by: str) -> Attempt:
    """The row of the first attempt, the chain's second link."""
    asked = told["attempt"]
    row = Attempt(
        id=uuid7(now),
        operation=operation,
        number=1,
        attempt=asked["id"],
        sends=asked["sends"],
        scope=told["request"]["scope"],
        begun_at=min(asked["begun_at"] or now, now),
        recorded_at=now,
        recorded_by=by,
        position=1,
    )
    row.digest = operation.head = link(bytes(operation.head), {"id": row.id, "attempt": row.attempt})
    return row


class Confronts(exceptions.APIException):
    """An open operation is about the same thing."""

    status_code = 409


def refuse_confronting(operation: Operation) -> None:
    """Only one operation at a time is open about one thing."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [operation.subject])
    about = Operation.objects.open().filter(recipient=operation.recipient, subject=operation.subject)
    if about.exclude(identity=operation.identity).exists():
        raise Confronts


class Registrations(APIView):
    """Registers an operation with its first attempt, once an identity."""

    authentication_classes = [KeyAuthentication]
    permission_classes = [MayRegister]

    def post(self, request: Request) -> Response:
        now = timezone.now()  # noqa: TID251  # a view reads the clock
        asked = RegisterSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        told = asked.validated_data
        recipient = next((row for row in request.user.recipients.all() if row.key == told["recipient"]), None)
        if recipient is None:
            raise exceptions.PermissionDenied
        operation = operation_of(told, recipient, now=now)
        attempt = attempt_of(told, operation, now=now, by=f"key unr_{request.user.id}")
        try:
            with transaction.atomic():
                refuse_confronting(operation)
                operation.save(force_insert=True)
                attempt.save(force_insert=True)
        except IntegrityError:
            return self.on_record(operation, attempt)
        return self.answer(operation, attempt, created=True)

    def on_record(self, operation: Operation, attempt: Attempt) -> Response:
        """The same identity with the same representation is the same operation."""
        known = Operation.objects.get(recipient=operation.recipient, identity=operation.identity)
        if known.digest != operation.digest:
            raise Confronts
        return self.answer(known, attempt, created=False)

    def answer(self, operation: Operation, attempt: Attempt, *, created: bool) -> Response:
        body = {
            "operation": operation.id,
            "created": created,
            "attempt": {"id": attempt.attempt, "recorded": operation.attempts.filter(attempt=attempt.attempt).exists()}
            if not created
            else {"id": attempt.attempt, "recorded": True},
        }
        return Response(body, status=201 if created else 200)


urlpatterns = [path("api/v1/operations", Registrations.as_view())]
application = get_wsgi_application()
