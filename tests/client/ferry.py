"""A run of an agent's runtime beside the test: its loop and its threads have a thread of their own, the desk has this one.

The desk's rows are in this thread's transaction, so what the runtime asks it is brought over here and done here.
"""

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.client.doors import Door
from unresolved.desk import Answer

T = TypeVar("T")
Asked = tuple[Callable[[], Answer], "Future[Answer]"]


@dataclass(slots=True, kw_only=True)
class Ferried(Door):
    """A door that is only opened in the thread that made it; `beside` opens it for the others."""

    home: int = field(default_factory=threading.get_ident)
    waiting: "queue.SimpleQueue[Asked | None]" = field(default_factory=queue.SimpleQueue)

    def _exchange(self, method: str, path: str, body: bytes | None) -> Answer:
        def does() -> Answer:
            return Door._exchange(self, method, path, body)

        if threading.get_ident() == self.home:
            return does()
        asked: Asked = (does, Future())
        self.waiting.put(asked)
        return asked[1].result()

    def beside(self, run: Coroutine[Any, Any, T]) -> T:
        """Run it in a loop of its own, do here what it asks the desk, and return what it returns or raise what it raises."""
        found: Future[T] = Future()

        def runs() -> None:
            try:
                found.set_result(asyncio.run(run))
            except BaseException as error:  # noqa: BLE001  # its caller gets it
                found.set_exception(error)
            finally:
                self.waiting.put(None)

        thread = threading.Thread(target=runs)
        thread.start()
        while (asked := self.waiting.get()) is not None:
            does, told = asked
            try:
                told.set_result(does())
            except Exception as error:  # noqa: BLE001  # likewise
                told.set_exception(error)
        thread.join()
        return found.result()
