"""The registry of handlers."""

import pytest

from millrace import HandlerRegistry, UsageError


async def nothing(job, context):
    return None


def test_registers_without_asking_an_engine_and_lists_its_types():
    """C-105: registers without asking an engine and lists its types."""
    registry = HandlerRegistry().register("a", nothing).register("b", nothing)
    assert registry.job_types() == ["a", "b"]
    assert registry.find("a") is nothing
    assert registry.find("c") is None


@pytest.mark.parametrize("job_type", ["", "  ", None])
def test_refuses_an_empty_type(job_type):
    """C-105: refuses an empty type."""
    with pytest.raises(UsageError, match="must not be empty"):
        HandlerRegistry().register(job_type, nothing)


def test_refuses_a_second_handler_of_a_type():
    """C-105: refuses a second handler of a type."""
    with pytest.raises(UsageError, match="has a handler already"):
        HandlerRegistry().register("a", nothing).register("a", nothing)


def test_registers_by_decorator():
    registry = HandlerRegistry()

    @registry.handler("a")
    def handle(job, context):
        return None

    assert registry.find("a") is handle
