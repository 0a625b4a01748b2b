"""What becomes of what a handler returned or raised."""

import asyncio

import httpx
import pytest

from millrace import NonRetryableError, RetryLaterError
from millrace.worker.outcome import Completed, Failed, no_handler, outcome_of_error, outcome_of_return


def test_returned_variables_complete_the_job():
    """C-109: returned variables complete the job."""
    outcome = outcome_of_return({"receipt": "R"})
    assert isinstance(outcome, Completed)
    assert outcome.variables == {"receipt": "R"}


def test_nothing_returned_completes_the_job():
    """C-109: nothing returned completes the job."""
    assert outcome_of_return(None) == Completed()


@pytest.mark.parametrize(
    "returned", [[1], "text", 5, {"a": float("nan")}, {"a": object()}, {"a": [{"b": "\ud800"}]}, {"\ud800": 1}]
)
def test_what_is_no_json_object_fails_for_good(returned):
    outcome = outcome_of_return(returned)
    assert isinstance(outcome, Failed)
    assert not outcome.retryable


def test_a_result_that_no_engine_takes_fails_for_good():
    """C-109: what is larger than any request may be is not sent."""
    outcome = outcome_of_return({"document": "x" * 16_777_216})
    reason = "the handler returned 16777232 bytes of variables: return a reference to what is large"
    assert outcome == Failed(reason, False)


def test_whole_numbers_may_be_names():
    assert isinstance(outcome_of_return({"counts": {1: 2}}), Completed)


def test_a_plain_error_is_retryable():
    """C-109: a plain error is retryable."""
    assert outcome_of_error(ValueError("no")) == Failed("no", True)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_the_stack_of_a_raised_error_is_told():
    """C-109: the stack of what was raised is told, as Python prints it."""
    outcome = outcome_of_error(raised(ValueError("no\0")))
    assert isinstance(outcome, Failed)
    assert outcome.stack is not None
    assert outcome.stack.startswith("Traceback")
    assert "in raised" in outcome.stack
    assert outcome.stack.endswith("ValueError: no\ufffd\n")
    assert outcome.size > len(outcome.stack)


def test_of_a_long_stack_the_end_is_told():
    """C-109: of a long stack the end is told, where the error is."""
    outcome = outcome_of_error(raised(ValueError("x" * 20_000 + " last")))
    assert isinstance(outcome, Failed)
    assert outcome.stack is not None
    assert len(outcome.stack) == 8_000
    assert outcome.stack.endswith(" last\n")


def test_an_error_without_a_message_is_told_by_its_name():
    assert outcome_of_error(ValueError()) == Failed("ValueError", True)


def test_a_non_retryable_error_is_not():
    """C-109: a non retryable error is not."""
    assert outcome_of_error(NonRetryableError("never")) == Failed("never", False)


def test_a_crash_is_not_retryable():
    """C-109: a crash is not retryable."""
    assert outcome_of_error(SystemExit("out")) == Failed("out", False)


def test_an_error_whose_text_cannot_be_read_is_told_by_its_name():
    class Unreadable(NonRetryableError):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    class Odd(Exception):
        @property
        def status(self):
            raise RuntimeError("no status")

    named = "Unreadable, whose text cannot be read: its __str__ raised RuntimeError"
    assert outcome_of_error(Unreadable()) == Failed(named, False)
    assert outcome_of_error(Odd("no")) == Failed("no", True)


@pytest.mark.parametrize("kind", [list, dict])
def test_variables_nested_too_deeply_fail_for_good(kind):
    deepest = nested(99, kind)
    assert isinstance(outcome_of_return({"a": deepest}), Completed)
    message = "the handler returned variables nested deeper than 100 levels: return flatter ones"
    assert outcome_of_return({"a": [deepest]}) == Failed(message, False)
    assert isinstance(outcome_of_return({"a": nested(100_000, kind)}), Failed)


def nested(levels, kind):
    value = kind()
    for _ in range(levels - 1):
        value = [value] if kind is list else {"a": value}
    return value


def test_no_handler_fails_for_good():
    """C-109: no handler fails for good."""
    assert no_handler("x") == Failed("no handler registered for x", False)


def test_a_handler_may_ask_for_a_later_retry():
    assert outcome_of_error(RetryLaterError("later", after_seconds=90)) == Failed("later", True, 90.0)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_a_retry_cannot_be_asked_for_at_no_time(seconds):
    with pytest.raises(ValueError, match="after_seconds"):
        RetryLaterError("later", after_seconds=seconds)


@pytest.mark.parametrize("status", [429, 503])
def test_a_pushback_of_the_called_system_is_passed_on(status):
    request = httpx.Request("GET", "http://bank")
    response = httpx.Response(status, headers={"Retry-After": "12"}, request=request)
    outcome = outcome_of_error(httpx.HTTPStatusError("pushed back", request=request, response=response))
    assert outcome == Failed("pushed back", True, 12.0, status)


@pytest.mark.parametrize("error", [TimeoutError("t"), asyncio.TimeoutError("t"), httpx.ReadTimeout("t")])
def test_a_timeout_of_the_called_system_is_passed_on(error):
    assert outcome_of_error(error) == Failed("t", True, None, 504)


def test_a_pushback_is_found_in_the_cause():
    try:
        try:
            raise httpx.ReadTimeout("slow")
        except httpx.ReadTimeout as error:
            raise RuntimeError("could not charge") from error
    except RuntimeError as error:
        outcome = outcome_of_error(error)
        assert outcome == Failed("could not charge", True, None, 504, stack=outcome.stack)


def test_other_refusals_of_the_called_system_are_none():
    request = httpx.Request("GET", "http://bank")
    error = httpx.HTTPStatusError("no", request=request, response=httpx.Response(404, request=request))
    assert outcome_of_error(error) == Failed("no", True)


def test_a_message_that_could_not_be_stored_is_mended():
    assert outcome_of_error(ValueError("a\0b\ud800")) == Failed("a\ufffdb?", True)
    failed = outcome_of_error(ValueError("x" * 10_000))
    assert isinstance(failed, Failed)
    assert len(failed.error_message) == 4_000
