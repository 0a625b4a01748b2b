"""Reads the addresses of engines: one or several, and the transport that their scheme asks for."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from millrace.errors import UsageError

_SCHEMES = ("http", "https", "grpc", "grpcs")


@dataclass(frozen=True)
class Addresses:
    over_grpc: bool
    urls: tuple[str, ...]


def read_addresses(url: str) -> Addresses:
    """`url` may name several addresses, separated by commas, all of one transport."""
    urls = tuple(part.strip() for part in url.split(",") if part.strip())
    schemes = {_scheme(one) for one in urls}
    if not urls:
        raise UsageError("an address is needed, such as http://127.0.0.1:8080")
    over_grpc = {scheme.startswith("grpc") for scheme in schemes}
    if len(over_grpc) > 1:
        raise UsageError(f"addresses of REST and of gRPC cannot be mixed: {url}")
    return Addresses(over_grpc.pop(), urls)


def read_rest_addresses(rest_url: str | None) -> Addresses | None:
    if not rest_url:
        return None
    addresses = read_addresses(rest_url)
    if addresses.over_grpc:
        raise UsageError(f"rest_url must be an http or https address, got {rest_url!r}")
    return addresses


def _scheme(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise UsageError(f"an address begins with {', '.join(_SCHEMES)} and names a host, got {url!r}")
    return parts.scheme
