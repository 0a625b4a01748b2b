"""Calls over REST: what is sent, what comes back, what is repeated."""

import asyncio
import json
import logging
from pathlib import Path

import pytest

from millrace import (
    BadRequestError,
    ConflictError,
    EngineClient,
    EngineError,
    LeaseLostError,
    NotFoundError,
    ServerTooOldError,
    TransportError,
    UnauthenticatedError,
    UsageError,
    __version__,
)
from millrace._generated.catalogue import CATALOGUE
from millrace.types import CompletedReport, InstanceFilter, PollOptions
from support.scripted_engine import Cut, Reply, ScriptedEngine, refusal

INSTANCE = {
    "id": "i-1",
    "definitionId": "order",
    "definitionVersion": 1,
    "status": "ACTIVE",
    "currentStepIds": ["charge"],
    "variables": {"amount": 1},
    "startedAt": "2025-01-01T00:00:00.000Z",
    "priority": "normal",
    "aFieldOfLater": True,
}


async def test_starts_an_instance_in_the_words_of_the_wire(engine, client):
    """C-104: starts an instance in the words of the wire."""
    engine.on("/v1/instances", Reply(INSTANCE, 201))
    started = await client.start_instance("order", variables={"amount": 1}, business_key="order-1")
    assert (started.id, started.current_step_ids, started.failure_reason) == ("i-1", ["charge"], None)
    sent = engine.received[0]
    assert sent.body == {"definitionId": "order", "variables": {"amount": 1}, "businessKey": "order-1"}
    assert sent.headers["user-agent"] == f"millrace-python/{__version__}"


async def test_a_start_whose_answer_was_lost_is_sent_again_with_the_same_key(engine, client):
    engine.once("/v1/instances", Cut(), Reply(INSTANCE, 201))
    await client.start_instance("order")
    first, second = engine.requests("/v1/instances")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"] != ""


async def test_without_keys_of_its_own_a_change_that_may_have_arrived_is_not_repeated(engine):
    engine.once("/v1/instances", Cut(), Reply(INSTANCE, 201))
    async with EngineClient(engine.url, auto_idempotency_keys=False) as client:
        with pytest.raises(TransportError) as caught:
            await client.start_instance("order")
    assert caught.value.kind == "interrupted"
    assert len(engine.received) == 1


async def test_a_key_of_the_caller_is_sent_as_it_is(engine, client):
    engine.on("/v1/instances", Reply(INSTANCE, 201))
    await client.start_instance("order", idempotency_key="mine")
    assert engine.received[0].headers["idempotency-key"] == "mine"


async def test_waits_as_long_as_the_engine_asks_before_a_repeat(engine):
    pauses = []
    engine.once("/v1/instances/i-1", refusal(503, "unavailable", retry_after="7"), Reply(INSTANCE))
    async with EngineClient(engine.url) as client:
        _record_pauses(client, pauses)
        assert (await client.get_instance("i-1")).id == "i-1"
    assert pauses == [7.0]


async def test_gives_up_when_the_pause_would_outlast_the_deadline(engine, client):
    engine.on("/v1/instances/i-1", refusal(503, "unavailable", retry_after="70"))
    with pytest.raises(EngineError):
        await client.get_instance("i-1", timeout=60)
    assert len(engine.received) == 1


async def test_a_silent_engine_is_a_timeout(engine, client):
    engine.on("/v1/instances/i-1", lambda _: asyncio.sleep(3600))
    with pytest.raises(TransportError) as caught:
        await client.get_instance("i-1", timeout=0.05)
    assert caught.value.kind == "timeout"


async def test_no_engine_at_all_is_unreachable(engine):
    await engine.stop()
    async with EngineClient(engine.url, max_attempts=1) as client:
        with pytest.raises(TransportError, match="no connection to") as caught:
            await client.get_instance("i-1")
    assert caught.value.kind == "unreachable"


async def test_a_poll_is_not_repeated(engine, client):
    engine.once("/v1/jobs/poll", Cut())
    with pytest.raises(TransportError):
        await client.poll(["charge-card"], worker_id="w")
    assert len(engine.received) == 1


async def test_a_poll_that_was_refused_for_the_moment_is_left_to_its_caller(engine, client):
    engine.on("/v1/jobs/poll", refusal(503, "unavailable", retry_after="1"))
    with pytest.raises(EngineError):
        await client.poll(["charge-card"], worker_id="w")
    assert len(engine.received) == 1


async def test_fails_over_to_the_next_address_and_stays_there(engine):
    dead = await ScriptedEngine().start()
    await dead.stop()
    engine.on("/v1/instances/i-1", Reply(INSTANCE))
    async with EngineClient(f"{dead.url},{engine.url}") as client:
        await client.get_instance("i-1")
        await client.get_instance("i-1")
        assert client.wire._rest.address == engine.url
    assert len(engine.received) == 2


async def test_an_address_that_goes_down_is_left_for_the_other(engine):
    other = await ScriptedEngine().start()
    engine.on("/v1/instances/i-1", refusal(503, "unavailable", retry_after="30"))
    other.on("/v1/instances/i-1", Reply(INSTANCE))
    async with EngineClient(f"{engine.url}, {other.url}") as client:
        assert (await client.get_instance("i-1")).id == "i-1"
    await other.stop()


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "bad-request", BadRequestError),
        (401, "unauthenticated", UnauthenticatedError),
        (404, "not-found", NotFoundError),
        (409, "conflict", ConflictError),
        (409, "lease-lost", LeaseLostError),
        (418, "a-code-of-later", EngineError),
    ],
)
async def test_a_refusal_is_the_error_of_its_code(engine, client, status, code, kind):
    engine.on("/v1/instances/i-1", refusal(status, code))
    with pytest.raises(kind) as caught:
        await client.get_instance("i-1")
    assert (caught.value.code, caught.value.status, caught.value.request_id) == (code, status, "request-1")
    assert not caught.value.retryable


def test_every_code_of_the_catalogue_has_its_status_and_retryability():
    from millrace.errors import Refusal, engine_error

    for code, entry in CATALOGUE.items():
        assert engine_error(Refusal(code, "m", entry.status)).retryable is entry.retryable


async def test_what_a_proxy_answers_is_told_by_its_status(engine, client):
    engine.on("/v1/instances/i-1", Reply(status=502, text="<html>"))
    with pytest.raises(EngineError) as caught:
        await client.get_instance("i-1", max_attempts=1)
    assert (caught.value.code, caught.value.retryable) == ("http-502", True)


async def test_an_answer_that_is_not_json_is_malformed(engine, client):
    engine.on("/v1/instances/i-1", Reply(text="hello"))
    with pytest.raises(TransportError, match="is an engine there") as caught:
        await client.get_instance("i-1", max_attempts=1)
    assert caught.value.kind == "malformed"


async def test_the_api_key_is_sent_as_bearer(engine):
    engine.on("/v1/instances/i-1", Reply(INSTANCE))
    async with EngineClient(engine.url, api_key="mill_secret") as client:
        await client.get_instance("i-1")
    assert engine.received[0].headers["authorization"] == "Bearer mill_secret"


async def test_the_warning_of_the_engine_is_logged(engine, client, caplog):
    """W-06: the warning of the engine is logged."""
    warning = '299 - "unknown field vars, did you mean variables?"'
    engine.on("/v1/instances/i-1", Reply(INSTANCE, headers={"Warning": warning}))
    with caplog.at_level(logging.WARNING, "millrace"):
        await client.get_instance("i-1")
    assert warning in caplog.text


@pytest.mark.parametrize("call", [{"vars": {}}, {"timeout_ms": 5}])
async def test_an_unknown_field_is_refused_before_anything_is_sent(engine, client, call):
    """W-06: an unknown field is refused before anything is sent."""
    with pytest.raises(UsageError, match="unknown argument"):
        await client.start_instance("order", **call)
    assert engine.received == []


async def test_an_unknown_field_of_a_report_is_refused(client):
    """W-06: an unknown field of a report is refused."""
    with pytest.raises(TypeError):
        await client.exchange(worker_id="w", completed=[CompletedReport(job_id="j", token="t")])


async def test_an_engine_that_is_too_old_is_told_so(engine, client):
    engine.on("/v1/instances/i-1", Reply(INSTANCE, headers={"Millrace-Version": "0.0.9"}))
    with pytest.raises(ServerTooOldError, match=r"is 0\.0\.9; this SDK .* needs 0\.1\.0 or newer"):
        await client.get_instance("i-1")


async def test_a_newer_engine_is_fine(engine, client):
    engine.on("/v1/instances/i-1", Reply(INSTANCE, headers={"Millrace-Version": "0.10.0-rc.1"}))
    assert (await client.get_instance("i-1")).id == "i-1"


@pytest.mark.parametrize("id", ["", ".", ".."])
async def test_what_is_no_id_is_refused(client, id):
    with pytest.raises(UsageError, match="is not an id"):
        await client.get_instance(id)


async def test_ids_are_percent_encoded(engine, client):
    engine.on("/v1/*", Reply(INSTANCE))
    await client.get_intake("order", "a/b c")
    assert engine.received[0].path == "/v1/intake/order/a%2Fb%20c"


async def test_walks_every_page(engine, client):
    engine.once(
        "/v1/instances", Reply({"items": [INSTANCE], "total": 2, "nextCursor": "c-1"}), Reply({"items": [INSTANCE]})
    )
    found = [one.id async for one in client.instances(InstanceFilter(status="FAILED"), page_size=1)]
    assert found == ["i-1", "i-1"]
    assert [sent.query for sent in engine.received] == [
        {"status": "FAILED", "pageSize": "1"},
        {"status": "FAILED", "pageSize": "1", "cursor": "c-1"},
    ]


async def test_the_queue_keeps_its_snake_case(engine, client):
    job = {"id": "j", "type": "mail", "retry_count": 3, "payload": {"aB": 1}, "created_at": "2025-01-01T00:00:00.000Z"}
    engine.on("/jobs", Reply(job, 202))
    made = await client.enqueue("mail", {"aB": 1}, fair_key="t-1", unique={"key": "k", "for": "PT1M"})
    assert (made.retry_count, made.payload) == (3, {"aB": 1})
    assert engine.received[0].body == {
        "type": "mail",
        "payload": {"aB": 1},
        "fair_key": "t-1",
        "unique": {"key": "k", "for": "PT1M"},
    }


async def test_an_exchange_without_a_worker_is_refused(client):
    with pytest.raises(UsageError, match="a worker_id is needed"):
        await client.exchange(poll=PollOptions(job_types=["a"]))


@pytest.mark.parametrize("value", [float("nan"), {1, 2}])
async def test_what_is_not_json_is_refused_before_anything_is_sent(engine, client, value):
    with pytest.raises(UsageError, match="cannot be sent as JSON"):
        await client.start_instance("order", variables={"a": value})
    assert engine.received == []


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://a", "http://a,grpc://b"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(UsageError):
        EngineClient(url)


def test_an_unknown_option_of_the_client_is_refused():
    with pytest.raises(UsageError, match="no option api_token"):
        EngineClient("http://a", api_token="x")


def test_the_sdk_has_the_version_of_the_engine():
    package = Path(__file__).parents[3] / "engine" / "package.json"
    assert json.loads(package.read_text())["version"] == __version__


def _record_pauses(client: EngineClient, pauses: list[float]) -> None:
    from dataclasses import replace

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    caller = client.wire._rest
    caller._settings = replace(caller._settings, sleep=sleep)


async def test_an_event_is_published_as_it_was_given_and_only_once(engine, client):
    """F-04: an event is published as it was given; a repeat carries the same key."""
    engine.once("/v1/events", Cut(), Reply({"id": "e-1"}, 202))
    published = await client.events.publish("payment.initiated", {"some_id": 1}, key="p-1", headers={"trace_id": "a"})
    assert published.id == "e-1"
    first, second = engine.requests("/v1/events")
    assert (
        first.body
        == second.body
        == {
            "type": "payment.initiated",
            "payload": {"some_id": 1},
            "key": "p-1",
            "headers": {"trace_id": "a"},
        }
    )
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"] != ""
