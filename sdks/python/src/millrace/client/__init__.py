"""The client of an engine, part by part."""
