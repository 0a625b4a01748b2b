"""`python -m millrace_conformance`."""

import asyncio
import logging
import sys

from millrace_conformance.program import Program

if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    sys.exit(asyncio.run(Program().run()))
