"""Certificates made for one run, by an authority that only that run trusts."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Made:
    """A server's certificate and what a client needs to accept it."""

    server: ssl.SSLContext
    client: ssl.SSLContext


def certificate(folder: Path, *, names: tuple[str, ...], valid_for: timedelta = timedelta(hours=1)) -> Made:
    """A certificate for these names and addresses, signed by its own key; `valid_for` may lie in the past."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Invented recipient")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + valid_for)
        .add_extension(x509.SubjectAlternativeName([_alternative(text) for text in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    held, pem = folder / "key.pem", folder / "certificate.pem"
    held.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem, held)
    return Made(server=server, client=ssl.create_default_context(cafile=str(pem)))


def _alternative(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        return x509.DNSName(text)
