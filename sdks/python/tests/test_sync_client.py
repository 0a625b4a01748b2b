"""The sync face: the same calls without an event loop."""

import inspect
import threading

import pytest

from millrace import EngineClient, NotFoundError, SyncEngineClient
from support.scripted_engine import Reply, refusal

PARTS = ("queues", "dead_letters", "schedules", "observability")


def public(thing: object) -> dict[str, inspect.Signature]:
    methods = inspect.getmembers(type(thing), inspect.isfunction)
    return {name: inspect.signature(method) for name, method in methods if not name.startswith("_")}


def test_it_has_every_call_with_the_same_arguments():
    client = EngineClient("http://127.0.0.1:1")
    with SyncEngineClient("http://127.0.0.1:1") as face:
        for of, sync in [(client, face), *((getattr(client, part), getattr(face, part)) for part in PARTS)]:
            theirs, ours = public(of), public(sync)
            theirs.pop("clone", None)
            assert list(ours) == list(theirs)
            for name in ours:
                assert list(ours[name].parameters) == list(theirs[name].parameters)


def test_a_call_blocks_until_its_answer_is_there(engine_in_thread):
    engine_in_thread.on("/v1/instances/i-1", Reply({"id": "i-1", "status": "COMPLETED"}))
    with SyncEngineClient(engine_in_thread.url) as client:
        assert client.get_instance("i-1").status == "COMPLETED"


def test_errors_are_the_same(engine_in_thread):
    engine_in_thread.on("/v1/instances/i-2", refusal(404, "not-found"))
    with SyncEngineClient(engine_in_thread.url) as client, pytest.raises(NotFoundError):
        client.get_instance("i-2")


def test_walks_every_page(engine_in_thread):
    pages = [Reply({"items": [{"id": "a"}], "nextCursor": "c"}), Reply({"items": [{"id": "b"}]})]
    engine_in_thread.on("/v1/user-tasks", lambda _: pages.pop(0))
    with SyncEngineClient(engine_in_thread.url) as client:
        assert [task.id for task in client.user_tasks()] == ["a", "b"]


def test_it_leaves_no_thread_behind():
    before = threading.active_count()
    SyncEngineClient("http://127.0.0.1:1").close()
    assert threading.active_count() == before
