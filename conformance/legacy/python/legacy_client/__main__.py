"""`python -m legacy_client`."""

import logging
import os
import sys

from legacy_client.program import Program

if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.INFO)
    code = Program().run()
    sys.stdout.flush()
    # Handlers that never end must not hold the process.
    os._exit(code)
