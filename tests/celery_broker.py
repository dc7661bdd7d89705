"""Which broker the task queue's application uses, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def broker_at(url: str) -> Iterator[None]:
    """Every message goes to the broker at `url` (`redis://` or `unix://`), and afterwards where it went before."""
    from escalation.celery import app  # after the settings, which it reads

    before = app.conf.broker_url, app.conf.broker_read_url, app.conf.broker_write_url
    here = url.replace("unix://", "redis+socket://", 1)
    _use(here, here, here)
    try:
        yield
    finally:
        _use(*before)


def _use(url: str, read: str, write: str) -> None:
    from escalation.celery import app

    app.conf.update(broker_url=url, broker_read_url=read, broker_write_url=write)
    vars(app)["_pool"] = None
    vars(app.amqp)["_producer_pool"] = None  # else a connection that was made before goes on being used
