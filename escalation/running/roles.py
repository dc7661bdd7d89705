"""Two roles in the database: the owner changes the schema, the app role serves and may change no evidence."""

from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from escalation.env import app_role, app_url, database, kept_secret, owner_url, secret
from escalation.running.refused import CannotStart


def prepare_own(superuser: str) -> None:
    """Our own server has the database `unresolved`, its owner and its app role, with the passwords that we keep."""
    owner = str(database(owner_url())["USER"])
    with psycopg.connect(superuser, autocommit=True) as connection:
        _role(connection, owner, password=kept_secret("owner-password"))
        _role(connection, app_role(), password=kept_secret("app-password"))
        name = str(database(owner_url())["NAME"])
        if connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone() is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(owner))
            )
        _admit(connection, name=name, owner=owner)


def prepare_given() -> None:
    """The server at DATABASE_URL has an app role, made if it may be; raises `CannotStart` with what to do otherwise."""
    try:
        with psycopg.connect(owner_url(), autocommit=True, connect_timeout=10) as connection:
            name, owner = connection.info.dbname, connection.info.user
            if not secret("DATABASE_APP_URL"):
                _role(connection, app_role(), password=kept_secret("app-password"))
            _admit(connection, name=name, owner=owner)
        _refuse_powerful_app_role()
    except psycopg.errors.InsufficientPrivilege as error:
        raise CannotStart(
            "The role in DATABASE_URL may not make the role that serves: let a database administrator make one"
            ' (docs/install.md, "Your own PostgreSQL") and name it in DATABASE_APP_URL.'
        ) from error
    except psycopg.OperationalError as error:
        raise CannotStart(
            f"The database of DATABASE_URL or DATABASE_APP_URL does not answer ({_reason(error)}): mend the address or"
            " start the server."
        ) from error


def _reason(error: psycopg.Error) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0]


def _role(connection: psycopg.Connection, name: str, *, password: str) -> None:
    verb = "ALTER" if connection.execute("select 1 from pg_roles where rolname = %s", [name]).fetchone() else "CREATE"
    connection.execute(
        sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(sql.SQL(verb), sql.Identifier(name), sql.Literal(password))
    )


def _admit(connection: psycopg.Connection, *, name: str, owner: str) -> None:
    """The app role may enter this database and nobody uninvited may; the owner may act as the app role (tests do)."""
    names = {"database": sql.Identifier(name), "owner": sql.Identifier(owner), "app": sql.Identifier(app_role())}
    for statement in (
        "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
        "GRANT CONNECT ON DATABASE {database} TO {app}",
    ):
        connection.execute(sql.SQL(statement).format(**names))
    is_member = "select pg_has_role(%s, %s, 'MEMBER')"
    if owner != app_role() and connection.execute(is_member, [owner, app_role()]).fetchone() != (True,):
        connection.execute(sql.SQL("GRANT {app} TO {owner}").format(**names))


def _refuse_powerful_app_role() -> None:
    """Append-only tables are only that to a role that is neither superuser nor the owner."""
    if app_role() == str(database(owner_url())["USER"]):
        raise CannotStart("DATABASE_APP_URL names the role of DATABASE_URL: the role that serves must be another one.")
    with psycopg.connect(app_url(), connect_timeout=10) as connection:
        powers = "select rolsuper or rolcreaterole or rolbypassrls from pg_roles where rolname = current_user"
        if connection.execute(powers).fetchone() != (False,):
            raise CannotStart(
                f"The role {urlsplit(app_url()).username} of DATABASE_APP_URL may do more than serve: name a role that"
                " is neither superuser nor may make roles."
            )


def let_make_databases(superuser: str) -> None:
    """Our own server's owner may make databases: the tests make one of their own."""
    owner = sql.Identifier(str(database(owner_url())["USER"]))
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(owner))
