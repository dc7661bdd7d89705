"""What the tests of third-party recipients share: recipients, proxies and libraries, all on loopback."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.third_party import servers

# It asserts outside of a test file, and should say what it compared, too.
pytest.register_assert_rewrite("tests.third_party.desk")

Started = Callable[[Path], AbstractContextManager[int]]


def _running(start: Started, folder: Path) -> Iterator[int]:
    with start(folder / "recipient.log") as port:
        yield port


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("third-party")


@pytest.fixture(scope="module")
def localstripe(logs: Path) -> Iterator[int]:
    yield from _running(servers.localstripe, logs)


@pytest.fixture(scope="package")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    yield from _running(servers.moto, tmp_path_factory.mktemp("moto"))


@pytest.fixture(scope="module")
def mockworld(logs: Path) -> Iterator[int]:
    yield from _running(servers.mockworld, logs)


@pytest.fixture
def credential(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the desk ask a recipient on loopback, with a credential that is invented."""

    def given(name: str, secret: str, *, recipient: str, port: int) -> None:
        monkeypatch.setenv("UNRESOLVED_ALLOWED_NETWORKS", f"{recipient}=127.0.0.0/8")
        monkeypatch.setenv(f"UNRESOLVED_CREDENTIAL_{name}", secret)
        monkeypatch.setenv(f"UNRESOLVED_CREDENTIAL_{name}_FOR", f"http://127.0.0.1:{port}")

    return given
