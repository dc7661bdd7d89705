"""The product runs with what requirements.lock pins: nothing that it imports comes with the tests' lock alone."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# In a process of its own: what only tests install is as if it were not there.
SCRIPT = """
import importlib, os, pkgutil, sys
for name in sys.argv[1:]:
    sys.modules[name] = None
os.environ["DJANGO_SETTINGS_MODULE"] = "escalation.settings"
import django
django.setup()
import escalation, operations
for root in (escalation, operations):
    for found in pkgutil.walk_packages(root.__path__, root.__name__ + "."):
        if ".migrations." not in found.name:
            importlib.import_module(found.name)
for name in ("tests.recipients.reached", "tests.recipients.demo.__main__", "tests.recipients.collection_desk.__main__"):
    importlib.import_module(name)
print("all imported")
"""


def pinned(lock: str) -> set[str]:
    """The distributions that a lock pins, by their normalised names."""
    names = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", (ROOT / lock).read_text(), flags=re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names}


def of_tests_alone() -> list[str]:
    """The modules that only distributions of the tests' lock bring."""
    product = pinned("requirements.lock")
    modules = packages_distributions()
    normalised = {name: {re.sub(r"[-_.]+", "-", one).lower() for one in ones} for name, ones in modules.items()}
    wanted = pinned("requirements-dev.lock") - product
    return sorted(name for name, ones in normalised.items() if ones & wanted and not ones & product)


def test_the_modules_of_tests_alone_are_told_apart():
    assert {"pytest", "hypothesis", "playwright"} <= set(of_tests_alone())
    assert not {"django", "aiohttp", "pydantic"} & set(of_tests_alone())


def test_the_product_and_its_demonstration_import_without_what_only_tests_install():
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, *of_tests_alone()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (run.returncode, run.stdout.strip().splitlines()[-1:]) == (0, ["all imported"]), run.stderr[-2000:]


def test_the_licence_of_everything_that_is_installed_is_named():
    notice = set(re.findall(r"[a-z0-9-]+", (ROOT / "NOTICE").read_text()))
    assert pinned("requirements.lock") - notice == set()
