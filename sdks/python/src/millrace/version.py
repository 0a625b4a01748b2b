"""The version of this SDK, which is the engine's, and the oldest engine it can speak to."""

__version__ = "0.1.0"

#: An engine that says it is older is refused with ServerTooOldError.
OLDEST_ENGINE = "0.1.0"
