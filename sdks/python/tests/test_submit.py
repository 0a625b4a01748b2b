"""Submissions that must not get lost."""

import asyncio

import pytest

from millrace import BadRequestError, EngineClient, TransportError, UsageError, submit
from support.scripted_engine import Cut, Reply, ScriptedEngine, refusal


def accept(received):
    return Reply({"idempotencyKey": received.headers["idempotency-key"]}, 202)


async def test_an_engine_that_accepts_is_asked_once(engine, client):
    engine.on("/v1/intake/onboarding", accept)
    submitted = await submit([client], "onboarding", {"email": "a"}, key="k-1", linking_id="l")
    assert (submitted.idempotency_key, submitted.url) == ("k-1", engine.url)
    assert [(sent.body, sent.query) for sent in engine.received] == [({"email": "a"}, {"linkingId": "l"})]


async def test_trouble_is_sat_out_with_the_same_key(engine, client):
    engine.once("/v1/intake/onboarding", Cut(), refusal(503, "unavailable"))
    engine._scripts.append(("/v1/intake/onboarding", accept))
    submitted = await submit([client], "onboarding", {})
    keys = {sent.headers["idempotency-key"] for sent in engine.received}
    assert keys == {submitted.idempotency_key}
    assert len(engine.received) == 3


async def test_a_refusal_for_good_ends_it(engine, client):
    engine.on("/v1/intake/onboarding", refusal(400, "bad-request"))
    with pytest.raises(BadRequestError):
        await submit([client], "onboarding", {})


async def test_a_silent_engine_is_hedged_by_the_next(engine, client):
    other = await ScriptedEngine().start()
    engine.on("/v1/intake/onboarding", lambda _: asyncio.sleep(3600))
    other.on("/v1/intake/onboarding", accept)
    async with EngineClient(other.url) as second:
        submitted = await submit([client, second], "onboarding", {}, hedge_after=0.01)
    assert submitted.url == other.url
    assert engine.received[0].headers["idempotency-key"] == other.received[0].headers["idempotency-key"]
    await other.stop()


async def test_what_a_stranger_answers_is_not_believed(engine, client):
    engine.once("/v1/intake/onboarding", Reply({"ok": True}, 202))
    engine._scripts.append(("/v1/intake/onboarding", accept))
    await submit([client], "onboarding", {})
    assert len(engine.received) == 2


async def test_the_deadline_ends_it(engine, client):
    engine.on("/v1/intake/onboarding", refusal(503, "unavailable", retry_after="60"))
    with pytest.raises(TransportError, match="the submission k was not accepted within"):
        await submit([client], "onboarding", {}, key="k", deadline=0.05)


async def test_it_needs_an_engine():
    with pytest.raises(UsageError):
        await submit([], "onboarding", {})


async def test_an_engine_in_trouble_is_not_waited_for(engine, client):
    other = await ScriptedEngine().start()
    engine.on("/v1/intake/onboarding", refusal(503, "unavailable", retry_after="60"))
    other.on("/v1/intake/onboarding", accept)
    async with EngineClient(other.url) as second:
        submitting = submit([client, second], "onboarding", {}, hedge_after=3600)
        assert (await asyncio.wait_for(submitting, 20)).url == other.url
    await other.stop()
