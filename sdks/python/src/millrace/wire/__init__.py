"""What travels between the SDK and an engine: shapes, routes, and how both are named in Python."""
