"""What every test stands on.

Every test that touches the database does so as the app role, unless it is marked `owner`.
"""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from escalation.env import broker_is_given, database_is_given, run_folder
from escalation.running import child, postgres, roles, valkey
from tests.servers import FOLDER

# Asserts outside of test files say what they compared, too; asked for before anything imports them.
pytest.register_assert_rewrite("tests.recipients.behaviours", "tests.recipients.desk_recipient")

# What these lose in a power cut is the tests' own.
QUICK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

# The same examples in every run: a red run can be run again. `--hypothesis-profile=search` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=2_000)
settings.load_profile("steady")


def _started(command: child.Command) -> child.Child:
    return child.start(command, run_folder=run_folder(), log_folder=FOLDER / "log")


@pytest.fixture(scope="session")
def database_server() -> Iterator[None]:
    """A PostgreSQL with the owner's and the app's role."""
    if database_is_given():
        roles.prepare_given()
        yield
        return
    home = postgres.prepare()
    server = _started(postgres.command(home, options=QUICK))
    try:
        superuser = postgres.superuser_conninfo(home)
        assert postgres.wait_until_ready(superuser, going=lambda: server.ended() is None, within=60)
        roles.prepare_own(superuser)
        roles.let_make_databases(superuser)
        yield
    finally:
        child.stop(server, run_folder=run_folder())


@pytest.fixture(scope="session")
def broker() -> Iterator[None]:
    """A server for the task queue."""
    if broker_is_given():
        assert valkey.answers()
        yield
        return
    server = _started(valkey.command())
    try:
        assert valkey.wait_until_ready(going=lambda: server.ended() is None)
        yield
    finally:
        child.stop(server, run_folder=run_folder())


@pytest.fixture(scope="session")
def django_db_modify_db_settings(database_server: None, django_db_modify_db_settings_parallel_suffix: None) -> None:
    """pytest-django makes its test database once the server is there."""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """pytest-django's own, and then a quicker way to empty the database behind each test that commits."""
    from tests.emptying import only_what_holds_rows  # after the settings, which Django's modules read

    with only_what_holds_rows():
        yield


@pytest.fixture(autouse=True)
def as_the_app(request: pytest.FixtureRequest, _django_db_marker: None) -> Iterator[None]:
    """The database is used as the app role from here to the end of the test, by every connection that it opens."""
    marked = request.node.get_closest_marker("django_db") is not None
    wanted = marked or {"db", "transactional_db"} & set(request.fixturenames)
    if not wanted or request.node.get_closest_marker("owner"):
        yield
        return
    from tests.app_role import step_down  # after the settings, which Django's modules read

    if not marked:
        request.getfixturevalue("transactional_db" if "transactional_db" in request.fixturenames else "db")
    with step_down():
        yield


@pytest.fixture(autouse=True)
def proven_people(as_the_app: None) -> Iterator[None]:
    """Whoever a test signs in by `force_login` proved a moment ago who they are; `proved_ago` makes that stale."""
    from tests.signed_in import proven  # after the settings, which Django's modules read

    with proven():
        yield
