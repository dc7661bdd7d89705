"""Why there is no answer, as a word and a sentence. Sentences are ours: none quotes what came, which may hold a secret."""

import ssl
from typing import Final

import aiohttp
from aiohttp.http_exceptions import ContentLengthError, HttpProcessingError

from operations.channels.base import Failed, Limits
from operations.channels.connecting import Forbidden
from operations.channels.guard import Refused
from operations.channels.received import Malformed

# Everything that asking may end in; what else is raised is a mistake of ours and shows as one.
FAILURES: Final = (Refused, Malformed, HttpProcessingError, aiohttp.ClientError, OSError)

_UNREADABLE: Final = (aiohttp.ClientResponseError, aiohttp.ClientPayloadError, HttpProcessingError)


def told(failure: BaseException, *, limits: Limits) -> tuple[Failed, str]:
    """The word and the sentence for one of FAILURES."""
    if isinstance(failure, Refused):
        return Failed.REFUSED_HERE, str(failure)
    if isinstance(failure, Malformed):
        return Failed.MALFORMED, str(failure)
    if isinstance(failure, TimeoutError):
        return _too_late(failure, limits=limits)
    if isinstance(failure, aiohttp.ClientConnectorError):
        return _unconnected(failure)
    if isinstance(failure, _UNREADABLE):
        return _unreadable(failure)
    if isinstance(failure, aiohttp.InvalidURL):
        return Failed.REFUSED_HERE, "The address can't be connected to as it is written."
    return Failed.RESET, "The recipient closed the connection before its answer was whole."


def _too_late(failure: TimeoutError, *, limits: Limits) -> tuple[Failed, str]:
    if isinstance(failure, aiohttp.ConnectionTimeoutError):
        return Failed.NOT_CONNECTED, f"No connection came about within {limits.connect_within:g} s."
    if isinstance(failure, aiohttp.SocketTimeoutError):
        return Failed.TIMEOUT, f"The recipient was silent for {limits.idle_within:g} s."
    return Failed.TIMEOUT, f"The answer wasn't whole within {limits.answer_within:g} s."


def _unconnected(failure: aiohttp.ClientConnectorError) -> tuple[Failed, str]:
    cause = failure.__cause__
    if isinstance(cause, Forbidden):
        return Failed.REFUSED_HERE, str(cause)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return Failed.TLS, f"The recipient's certificate isn't accepted: {cause.verify_message}"
    if isinstance(failure, aiohttp.ClientConnectorDNSError):
        return Failed.NO_NAME, "The name of the recipient's address can't be resolved."
    if isinstance(failure, aiohttp.ClientSSLError):
        return Failed.TLS, "No TLS connection to the recipient came about."
    return Failed.NOT_CONNECTED, "The recipient's address doesn't accept connections."


def _unreadable(failure: Exception) -> tuple[Failed, str]:
    # aiohttp hangs the parser's own complaint below its own, once or twice.
    causes, cause = [], failure.__cause__
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__
    if any(isinstance(cause, ContentLengthError) for cause in causes):
        return Failed.RESET, "The connection ended before the answer was as long as it said."
    return Failed.MALFORMED, "What came isn't an HTTP answer that can be read."
