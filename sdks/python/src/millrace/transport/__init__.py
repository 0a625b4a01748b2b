"""How calls reach an engine: REST or gRPC, with repeats, deadlines and fail-over."""
