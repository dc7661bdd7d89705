"""What probes ask; strangers may, for the answers hold nothing of what the desk knows."""

import os
import secrets

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.running import valkey

# Tells this desk's web from another program, or another desk, on the same port.
INSTANCE = os.environ.get("UNRESOLVED_INSTANCE") or secrets.token_hex(8)


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while this process answers at all; asks nothing of the servers behind it."""
    return JsonResponse({"alive": True, "instance": INSTANCE})


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers, every migration is applied and the broker answers; else 503 and which does not."""
    database = _database_answers()
    parts = {"database": database, "migrations": database and _migrated(), "broker": valkey.answers()}
    return JsonResponse({"ready": all(parts.values()), **parts}, status=200 if all(parts.values()) else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("select 1")
    except DatabaseError:
        return False
    return True


def _migrated() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
