"""AWS's own library before a moto server: through the proxy as an agent calls it, and past it to look at moto's store."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tests.third_party.calling import Caller
from tests.third_party.desk import Egress, egress
from tests.third_party.proxy import Proxy
from tests.third_party.wire import Request


@dataclass(frozen=True)
class Aws:
    """One service. `port`: moto's own, past the proxy."""

    library: Caller
    proxy: Proxy
    port: int
    service: str

    def call(self, operation: str, *, sends: int | None = 1, **arguments: Any) -> dict[str, Any]:
        """Call through the proxy. `sends`: how often the library may send; None: as often as it does by itself."""
        told = {"service": self.service, "operation": operation, "arguments": arguments}
        return self.library.call(url=self.proxy.url, **told, **({} if sends is None else {"sends": sends}))

    def look(self, operation: str, **arguments: Any) -> Any:
        """Call past the proxy; it has to succeed."""
        told = {"service": self.service, "operation": operation, "arguments": arguments}
        return self.library.must(url=f"http://127.0.0.1:{self.port}", **told)

    def egress(
        self, desk: str, *, identity: str, scope: str, about: Callable[[Request], bool], sends: str = "one"
    ) -> Egress:
        """From here on the proxy records what it is asked to send."""
        recipient = f"moto-{self.service}"
        found = egress(desk, recipient=recipient, identity=identity, scope=scope, sends=sends, about=about)
        self.proxy.before = found
        return found


def authorization(service: str) -> str:
    """A header that says account, region and service as AWS has it, and is signed by nobody: moto checks no signature."""
    scope = f"Credential=invented/20261130/eu-west-1/{service}/aws4_request"
    return f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature={'0' * 64}"


def checksum(content: str) -> str:
    """The SHA-256 as S3 writes it."""
    return base64.b64encode(sha256(content.encode()).digest()).decode()
