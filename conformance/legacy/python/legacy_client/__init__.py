"""A client and worker as existing ones are: stubs with the numbers below 100, or raw REST.

No token, metadata, deadline or heartbeat; lease_seconds 0, max_jobs 64, a short poll every 500 ms. It knows nothing of
the SDKs, and speaks conformance/control-protocol.md as far as the old contract can say it.
"""
