"""What an engine says beside its answers: warnings, which are logged, and its version, which may be too old."""

from __future__ import annotations

import logging
import re

from millrace.errors import ServerTooOldError
from millrace.version import OLDEST_ENGINE, __version__

logger = logging.getLogger("millrace")


def heed(address: str, warning: str | None, version: str | None) -> None:
    """Logs the warning; raises ServerTooOldError for a version that this SDK cannot speak to. Either may be absent."""
    if warning:
        logger.warning("%s warns: %s", address, warning)
    if version and _parts(version) < _parts(OLDEST_ENGINE):
        raise ServerTooOldError(
            f"the engine at {address} is {version}; this SDK ({__version__}) needs {OLDEST_ENGINE} or newer: "
            f"upgrade the engine, or install millrace=={version}"
        )


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
