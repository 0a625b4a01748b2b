"""The conformance program of Python; it speaks conformance/control-protocol.md."""
