"""`run.py` on a project of its own, with an environment that stands in for the registry."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from escalation.env import ROOT

ANSWER = "import sys\nprint('manage.py was given', sys.argv[1:])\n"


@pytest.fixture
def project(tmp_path):
    """A folder with run.py, a manage.py that answers, and locks that pin nothing: installing them asks no registry."""
    shutil.copy(ROOT / "run.py", tmp_path)
    (tmp_path / "manage.py").write_text(ANSWER)
    for name in ("requirements.lock", "requirements-dev.lock"):
        (tmp_path / name).write_text("# nothing\n")
    return tmp_path


def run(project: Path, *words: str, python: str = sys.executable, **more) -> subprocess.CompletedProcess[str]:
    """What run.py did, started from another folder."""
    return subprocess.run(
        [python, str(project / "run.py"), *words], cwd="/", capture_output=True, text=True, check=False, **more
    )


def test_help_installs_nothing(project):
    answer = run(project, "--help")
    assert (answer.returncode, "run.py demo" in answer.stdout) == (0, True)
    assert not (project / ".venv").exists()


def test_a_broken_lock_is_one_sentence_after_the_installer_s_own_and_is_done_again(project):
    (project / "requirements.lock").write_text("--no-such-option\n")
    answer = run(project, "help")
    assert answer.returncode == 1
    assert "no such option" in answer.stderr
    assert answer.stderr.splitlines()[-1].startswith("The packages could not be installed")
    (project / "requirements.lock").write_text("# mended\n")
    assert run(project, "help").stdout == "manage.py was given ['help']\n"


def test_a_folder_that_cant_be_written_is_one_sentence(project):
    (project / ".venv.lock").mkdir()  # in the way of what has to be written, for root too
    answer = run(project, "help")
    assert answer.returncode == 1
    assert "Start it as a user who may write in" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(("words", "given"), [((), ["up"]), (("demo",), ["demo"]), (("assess", "-"), ["assess", "-"])])
def test_words_are_handed_to_manage(project, words, given):
    assert run(project, *words).stdout == f"manage.py was given {given}\n"


def test_it_installs_once_and_again_when_a_lock_changed(project):
    first, second = run(project, "help"), run(project, "help")
    (project / "requirements.lock").write_text("# another\n")
    third = run(project, "help")
    assert ["Installing" in answer.stderr for answer in (first, second, third)] == [True, False, True]


def test_what_tests_need_is_installed_for_tests_only(project):
    run(project, "help")
    assert set(json.loads((project / ".venv" / "installed.json").read_text())) == {"python", "requirements.lock"}
    run(project, "test", "--version")
    assert "requirements-dev.lock" in json.loads((project / ".venv" / "installed.json").read_text())
    assert "Installing" not in run(project, "help").stderr


def test_an_installation_that_was_killed_is_done_again(project):
    run(project, "help")
    (project / ".venv" / "installed.json").write_text('{"python": ')
    assert "Installing" in run(project, "help").stderr


def test_two_at_once_install_once(project):
    command = [sys.executable, str(project / "run.py"), "help"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [process.communicate(timeout=120) for process in both]
    assert [out for out, _ in answers] == ["manage.py was given ['help']\n"] * 2
    assert sorted("Installing" in err for _, err in answers) == [False, True]


def test_a_python_without_ensurepip_is_one_sentence(project, tmp_path):
    bare = tmp_path / "without"
    bare.mkdir()
    (bare / "sitecustomize.py").write_text(
        "import importlib.util\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'ensurepip' else found(name, *more)\n"
    )
    answer = run(project, "help", env={**os.environ, "PYTHONPATH": str(bare)})
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1
    assert "-venv" in answer.stderr


def test_a_python_that_is_too_old_is_one_sentence(project, tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    (old / "sitecustomize.py").write_text("import sys\nsys.version_info = (3, 10, 2, 'final', 0)\n")
    answer = run(project, "help", env={**os.environ, "PYTHONPATH": str(old)})
    assert answer.returncode == 1
    assert answer.stderr == (
        "Unresolved needs Python 3.11 or newer and this is 3.10: start it with python3.11 run.py or newer.\n"
    )


def test_the_locks_pin_by_hash_and_name_no_address():
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        pins = [line for line in text.splitlines() if line and line[0] not in " #"]
        assert pins
        assert all("==" in line for line in pins)
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text
        assert "index" not in text.replace("-index", "")


def test_both_locks_pin_the_same_version_of_what_they_share():
    pinned = []
    for name in ("requirements.lock", "requirements-dev.lock"):
        lines = (ROOT / name).read_text().splitlines()
        pinned.append(dict(line.split(" ")[0].split("==") for line in lines if "==" in line and line[0] not in " #"))
    runtime, dev = pinned
    shared = set(runtime) & set(dev)
    assert shared
    assert {name: runtime[name] for name in shared} == {name: dev[name] for name in shared}
