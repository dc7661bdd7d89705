"""What the app role may do, table by table, said anew after every migration. Silence means: read and add."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connections, models, transaction
from psycopg import sql

OURS = {"operations", "escalation"}
READ_AND_ADD = ("SELECT", "INSERT")
EVERYTHING = ("SELECT", "INSERT", "UPDATE", "DELETE")
LINKS = ("SELECT", "INSERT", "DELETE")


def allowed(model: type[models.Model]) -> Sequence[str]:
    """The rights of the app role on `model`'s table: its `app_may`, else read and add; on Django's own tables, all.

    `UPDATE (column, …)` narrows an update to those columns. (design.md, rule 8)
    """
    stated: Sequence[str] | None = getattr(model, "app_may", None)
    if stated is not None:
        return stated
    if model._meta.app_label not in OURS:
        return EVERYTHING
    return LINKS if model._meta.auto_created else READ_AND_ADD


def statements(*, role: str) -> Iterator[sql.Composed]:
    """The SQL that leaves `role` with exactly what is allowed. A right that a release takes away is taken away."""
    names = {"role": sql.Identifier(role)}
    for everything in ("TABLES", "SEQUENCES"):
        yield sql.SQL("REVOKE ALL ON ALL {} IN SCHEMA public FROM {role}").format(sql.SQL(everything), **names)
    yield sql.SQL("GRANT USAGE ON SCHEMA public TO {role}").format(**names)
    yield sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}").format(**names)
    yield sql.SQL("GRANT SELECT ON django_migrations TO {role}").format(**names)
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            rights = sql.SQL(", ").join(sql.SQL(right) for right in allowed(model))
            table = sql.Identifier(model._meta.db_table)
            yield sql.SQL("GRANT {} ON {} TO {role}").format(rights, table, **names)


def grant(*, using: str, **_: Any) -> None:
    """The app role may do what `allowed` says, and nothing else; it sees the old rights or the new, never none."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for statement in statements(role=settings.APP_ROLE):
            cursor.execute(statement)
