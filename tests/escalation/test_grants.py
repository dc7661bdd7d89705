"""What the app role may do is what is written beside each model, and the database keeps to it."""

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection, models, transaction

from escalation.grants import READ_AND_ADD, allowed
from escalation.models import SignInLink, User

pytestmark = pytest.mark.django_db
RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")


def may(table: str, right: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select has_table_privilege(%s, %s, %s)", [settings.APP_ROLE, table, right])
        return bool(cursor.fetchone() == (True,))


FORBIDDEN = [
    "CREATE TABLE stray (id int)",
    "DROP TABLE escalation_user",
    "ALTER TABLE escalation_user ADD COLUMN stray int",
    "TRUNCATE escalation_user CASCADE",
    "DELETE FROM escalation_user",
    "DELETE FROM escalation_signinlink",
    "UPDATE escalation_signinlink SET expires_at = now()",
    "UPDATE escalation_signinlink SET digest = ''",
    "UPDATE django_migrations SET name = ''",
    "INSERT INTO django_migrations (app, name, applied) VALUES ('a', 'b', now())",
    "CREATE ROLE stray",
    "CREATE DATABASE stray",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "SET session_replication_role = replica",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_app_role_is_refused(statement):
    with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert isinstance(
        refused.value.__cause__, psycopg.errors.InsufficientPrivilege | psycopg.errors.ActiveSqlTransaction
    )


def test_tests_run_as_the_app_role():
    with connection.cursor() as cursor:
        cursor.execute("select current_user")
        assert cursor.fetchone() == (settings.APP_ROLE,)


@pytest.mark.owner
def test_the_owner_is_not_the_app_role():
    with connection.cursor() as cursor:
        cursor.execute("select current_user")
        assert cursor.fetchone() != (settings.APP_ROLE,)


@pytest.mark.parametrize("model", apps.get_models(include_auto_created=True), ids=lambda model: model._meta.label)
def test_the_app_role_has_the_rights_that_are_stated_and_no_other(model):
    whole = {right for right in allowed(model) if "(" not in right}
    assert {right for right in RIGHTS if may(model._meta.db_table, right)} == whole


def test_a_model_of_ours_that_says_nothing_may_be_read_and_added_to():
    class Silent(models.Model):
        class Meta:
            app_label = "operations"
            managed = False

        def __str__(self):
            return "silent"

    apps.all_models["operations"].pop("silent")
    assert allowed(Silent) == READ_AND_ADD


def test_an_update_may_be_narrowed_to_a_column():
    assert SignInLink.app_may[-1] == "UPDATE (ended_at)"
    person = User.objects.create_user("mira")
    assert SignInLink.objects.filter(user=person).update(ended_at=None) == 0
