"""The operations that the gRPC service has."""

from __future__ import annotations

METHODS: dict[str, str] = {}
