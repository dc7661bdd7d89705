"""A channel can be asked only what the stored request carries, and speaks only for what a source says it holds."""

from collections.abc import Iterable, Iterator
from typing import Final

from operations.contracts.asked import AT_LOCATION, LOCATION, REFERENCE, placeholders
from operations.contracts.channel import AUTHORIZATION, Asks, BodyForm, Channel, Kind
from operations.contracts.document import Document
from operations.contracts.matching import AnyWhen, conditions
from operations.contracts.promises import Basis
from operations.contracts.refusals.fault import Fault
from operations.core.facts import Authority, Reads

_OF_THE_RECIPIENT: Final = (Authority.HISTORY, Authority.CURRENT, Authority.DERIVED)


def faults(document: Document) -> Iterator[Fault]:
    """Yield what is wrong with the channels."""
    for name, channel in document.channels.items():
        place = f"/channels/{name}"
        yield from _kind(channel, place)
        yield from _verification(channel, place)
        yield from _body(channel, place)
        yield from _credential(channel, place)
        yield from _authority(document, channel, place)
        yield from _shows(document, channel, place)
        if channel.asks is not None:
            yield from _asks(document, channel.asks, f"{place}/asks")


def _kind(channel: Channel, place: str) -> Iterator[Fault]:
    lookup = channel.kind is Kind.LOOKUP
    wanted = (
        (lookup, channel.asks is not None, "asks", "what is asked belongs to a lookup, and each lookup has it"),
        (channel.kind is Kind.INSPECTION, channel.inspection is not None, "inspection", "belongs to an inspection"),
        (channel.kind is Kind.CLIENT, channel.authority is Authority.CLIENT, "authority", "client is our own side's"),
    )
    for should, does, field, message in wanted:
        if should != does:
            yield Fault(place=f"{place}/{field}", rule="kind", message=message)
    if channel.pollable and not lookup:
        yield Fault(place=f"{place}/pollable", rule="kind", message="only a lookup can be asked by the desk")
    if channel.pollable and channel.pacing is None:
        yield Fault(place=f"{place}/pacing", rule="no_pacing", message="what is polled needs its pacing")
    if channel.kind is not Kind.WEBHOOK and channel.verification is not None:
        yield Fault(place=f"{place}/verification", rule="kind", message="belongs to a webhook")
    if channel.kind is Kind.WEBHOOK and channel.verification is None and channel.authority in _OF_THE_RECIPIENT:
        yield Fault(place=f"{place}/verification", rule="unverified", message="anybody could send this message")


def _verification(channel: Channel, place: str) -> Iterator[Fault]:
    """A signature without a time proves whose words these are, not that they are news."""
    if channel.verification is None:
        return
    dated, place = channel.verification.dated, f"{place}/verification/dated"
    if channel.verification.scheme != "hmac_sha256":
        if dated is not None:
            yield Fault(place=place, rule="dated", message="this scheme signs a time of its own")
    elif dated is None:
        message = "the signature covers no time: say where the body says when it was sent, or a replay looks like news"
        yield Fault(place=place, rule="undated", message=message)
    elif not dated.at.startswith("/body"):
        yield Fault(place=f"{place}/at", rule="unsigned", message="the signature covers the body alone")


def _body(channel: Channel, place: str) -> Iterator[Fault]:
    if channel.repeats and channel.body is not BodyForm.XML:
        yield Fault(place=f"{place}/repeats", rule="only_xml", message="belongs to bodies in XML")


# Headers that carry secrets, and names in a query that do; what a contract writes there would be the secret itself.
SECRETS: Final = frozenset({AUTHORIZATION, "cookie", "proxy-authorization"})
_SECRETS_IN_A_QUERY: Final = frozenset({"access_token", "api_key", "apikey", "client_secret", "password"})
# Headers that carry the message itself, so that no secret goes there.
_OF_THE_MESSAGE: Final = frozenset({"connection", "content-length", "host", "te", "transfer-encoding", "upgrade"})


def _credential(channel: Channel, place: str) -> Iterator[Fault]:
    if (channel.credential is None) != (channel.credential_as is None):
        message = "a credential needs credential_as (bearer, basic, token or raw), which belongs to it"
        yield Fault(place=f"{place}/credential_as", rule="credential_as", message=message)
    if channel.credential is None and channel.credential_header != AUTHORIZATION:
        yield Fault(place=f"{place}/credential_header", rule="credential_header", message="belongs to a credential")
    if channel.credential_header in _OF_THE_MESSAGE:
        yield Fault(place=f"{place}/credential_header", rule="credential_header", message="carries no credential")
    if channel.asks is None:
        return
    for name in sorted(set(channel.asks.headers) & (SECRETS | {channel.credential_header})):
        yield Fault(place=f"{place}/asks/headers/{name}", rule="secret", message="a secret comes by `credential` alone")
    for name in sorted({name.lower() for name in channel.asks.query} & _SECRETS_IN_A_QUERY):
        yield Fault(place=f"{place}/asks/query", rule="secret", message=f"{name} would put a secret into a query")


def _authority(document: Document, channel: Channel, place: str) -> Iterator[Fault]:
    if channel.authority not in _OF_THE_RECIPIENT:
        return
    source = document.sources.get(channel.source or "")
    if source is None:
        yield Fault(place=f"{place}/source", rule="no_source", message=f"{channel.authority} needs the source")
    elif source.evidence is Basis.INFERRED and (
        channel.authority is Authority.HISTORY or channel.reads is Reads.STRONG
    ):
        yield Fault(place=f"{place}/source", rule="inferred", message="an inference must not be permissive")


def _shows(document: Document, channel: Channel, place: str) -> Iterator[Fault]:
    for name in channel.shows.arguments:
        if name not in document.identity.bound:
            yield Fault(place=f"{place}/shows/arguments/{name}", rule="unknown_argument", message="is not bound")
    if channel.selects is not None and not channel.selects.each_of.startswith("/body"):
        yield Fault(place=f"{place}/selects/each_of", rule="list", message="elements are those of a list in the body")
    yield from _known_arguments(document, channel.replayed, f"{place}/replayed")
    if channel.selects is not None:
        yield from _known_arguments(document, channel.selects.where, f"{place}/selects/where")


def _known_arguments(document: Document, when: AnyWhen | None, place: str) -> Iterator[Fault]:
    named = {one.equals_argument for one in conditions(when) if one.equals_argument} if when is not None else set()
    for name in sorted(named - set(document.identity.bound)):
        yield Fault(place=place, rule="unknown_argument", message=f"{name} is not bound")


def carried(document: Document) -> frozenset[str]:
    """Return the places of the stored request of which the contract says that something stands there."""
    identity = document.identity
    carriers = [one.at for one in (identity.carrier, identity.marker) if one is not None]
    bound = [argument.at for argument in identity.bound.values()]
    return frozenset([*carriers, *bound, *document.request.also_carries])


def _asks(document: Document, asks: Asks, place: str) -> Iterator[Fault]:
    for name, where in asks.carried_by.items():
        if where not in carried(document):
            yield Fault(
                place=f"{place}/carried_by/{name}",
                rule="never_carried",
                message=f"the request never carried anything at {where}: such a lookup settles nothing",
            )
    texts = [asks.target, *asks.query.values(), *asks.headers.values(), *(asks.body or {}).values()]
    known = [LOCATION] if asks.target == AT_LOCATION else []
    yield from names(texts, [*asks.carried_by, *asks.since, REFERENCE, *known], optional=[REFERENCE], place=place)
    if asks.revalidate and asks.method == "POST":
        yield Fault(place=f"{place}/revalidate", rule="revalidate", message="only a GET or HEAD can be asked again so")
    if asks.method == "POST":
        yield from _only_reads(document, asks, place)
    if asks.method != "POST" and asks.body is not None:
        yield Fault(place=f"{place}/body", rule="body", message=f"{asks.method} has no body")


def _only_reads(document: Document, asks: Asks, place: str) -> Iterator[Fault]:
    source = document.sources.get(asks.only_reads or "")
    if source is None or source.quote is None:
        message = "a POST is asked only where the recipient is quoted: it only reads"
        yield Fault(place=f"{place}/only_reads", rule="no_quote", message=message)


def names(texts: Iterable[str], known: Iterable[str], *, optional: Iterable[str], place: str) -> Iterator[Fault]:
    """Yield the names in braces that stand for nothing, and the `known` ones that are not used and not `optional`."""
    used = frozenset().union(*[placeholders(text) for text in texts])
    for name in sorted(used - set(known)):
        yield Fault(place=place, rule="unknown_name", message=f"{{{name}}} stands for nothing")
    for name in sorted(set(known) - set(optional) - used):
        yield Fault(place=place, rule="unused_name", message=f"{name} is not used")
