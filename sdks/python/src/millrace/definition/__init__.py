"""Definitions as code."""
