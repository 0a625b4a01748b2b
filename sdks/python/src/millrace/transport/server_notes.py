"""What an engine says beside its answers: warnings, which are logged, and its version, which may be too old."""

from __future__ import annotations

import logging

from millrace.errors import ServerTooOldError
from millrace.version import OLDEST_ENGINE, __version__, is_older

logger = logging.getLogger("millrace")


def heed(address: str, warning: str | None, version: str | None) -> None:
    """Logs the warning; raises ServerTooOldError for a version that this SDK cannot speak to. Either may be absent."""
    if warning:
        logger.warning("%s warns: %s", address, warning)
    if version and is_older(version, OLDEST_ENGINE):
        raise ServerTooOldError(
            f"the engine at {address} is {version}; this SDK ({__version__}) needs {OLDEST_ENGINE} or newer: "
            "upgrade the engine, or use the SDK of its version"
        )
