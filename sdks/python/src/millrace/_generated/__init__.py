"""Made from contracts/ when the package is built (hatch_build.py); only this file is committed."""
