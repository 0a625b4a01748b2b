"""The shapes that calls take and give: `from millrace.types import Instance`."""

from millrace._generated.types import *  # noqa: F403
