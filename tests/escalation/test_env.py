"""Settings come from the environment, a file that it names, or the data folder."""

import pytest

from escalation import env


def test_a_named_file_that_is_missing_is_an_error_and_not_a_default(monkeypatch, tmp_path):
    monkeypatch.setenv("SOMETHING_FILE", str(tmp_path / "absent"))
    with pytest.raises(env.MissingSecret, match=r"SOMETHING_FILE names .*absent"):
        env.secret("SOMETHING", default="fallback")


def test_a_secret_is_read_from_the_file_that_is_named(monkeypatch, tmp_path):
    (tmp_path / "it").write_text("kept apart\n")
    monkeypatch.setenv("SOMETHING_FILE", str(tmp_path / "it"))
    assert env.secret("SOMETHING") == "kept apart"


def test_the_environment_comes_before_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("SOMETHING_FILE", str(tmp_path / "absent"))
    monkeypatch.setenv("SOMETHING", "stated")
    assert env.secret("SOMETHING") == "stated"


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """An installation that was told nothing and has made its secrets."""
    for name in ("DATABASE_URL", "DATABASE_APP_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)
    monkeypatch.setenv("UNRESOLVED_VAR", str(tmp_path))
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "owner-password").write_text("of/the@owner")
    (tmp_path / "secrets" / "app-password").write_text("of:the?app")
    return tmp_path


def test_our_own_database_has_an_owner_and_an_app_role(bare):
    owner, app = env.database(env.owner_url()), env.database(env.app_url())
    assert (owner["USER"], owner["PASSWORD"]) == ("unresolved", "of/the@owner")
    assert (app["USER"], app["PASSWORD"]) == ("unresolved_app", "of:the?app")
    assert owner["OPTIONS"]["host"] == app["OPTIONS"]["host"] == str(env.run_folder() / "postgres")


def test_a_given_database_gets_an_app_role_named_after_it(bare, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://chief:secret@db.example:5433/claims?sslmode=require")
    app = env.database(env.app_url())
    assert (app["USER"], app["PASSWORD"], app["HOST"], app["PORT"]) == ("claims_app", "of:the?app", "db.example", 5433)
    assert app["OPTIONS"] == {"sslmode": "require"}


def test_a_given_app_role_is_used_as_it_is(bare, monkeypatch):
    monkeypatch.setenv("DATABASE_APP_URL", "postgresql://server:its@db.example/claims")
    assert env.app_role() == "server"


def test_a_long_data_folder_keeps_its_sockets_elsewhere(bare, monkeypatch):
    monkeypatch.setenv("UNRESOLVED_VAR", str(bare / ("long" * 30)))
    assert bare not in env.run_folder().parents
    assert len(str(env.run_folder() / "postgres" / ".s.PGSQL.5432.lock")) < 107


def test_two_long_data_folders_do_not_share_their_sockets(bare, monkeypatch):
    monkeypatch.setenv("UNRESOLVED_VAR", str(bare / ("long" * 30)))
    one = env.run_folder()
    monkeypatch.setenv("UNRESOLVED_VAR", str(bare / ("long" * 31)))
    assert env.run_folder() != one


@pytest.mark.parametrize("entry", ["desk", "desk=", "=5", "desk=-1", "desk=soon", "desk=1e9", "desk=12345678"])
def test_seconds_that_are_none_are_named_and_never_left_out(monkeypatch, entry):
    monkeypatch.setenv("SOMETHING_FOR", f"stripe=60 {entry}")
    with pytest.raises(env.NotSeconds, match=f"SOMETHING_FOR: {entry} is no key=seconds"):
        env.seconds_by_recipient("SOMETHING_FOR")


def test_seconds_are_read_by_recipient(monkeypatch):
    assert env.seconds_by_recipient("SOMETHING_FOR") == {}
    monkeypatch.setenv("SOMETHING_FOR", " stripe=1800  desk=0.5 ")
    assert env.seconds_by_recipient("SOMETHING_FOR") == {"stripe": 1_800.0, "desk": 0.5}
