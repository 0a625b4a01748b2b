"""Calls over gRPC: the same words in and out as over REST."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import grpc
import pytest

from millrace import (
    BackpressureError,
    BadRequestError,
    ConflictError,
    EngineClient,
    EngineError,
    LeaseLostError,
    NotFoundError,
    Runner,
    ServerTooOldError,
    TransportError,
    UsageError,
    __version__,
)
from millrace._generated import engine_pb2 as pb
from millrace.transport.call import Call
from millrace.transport.grpc_definition import DEFINITION, STEP
from millrace.transport.grpc_fields import Shape
from millrace.transport.grpc_methods import METHODS
from millrace.transport.grpc_shapes import INSTANCE, JOB, STEP_EXECUTION
from millrace.transport.struct_values import from_struct, to_struct
from millrace.types import CompletedReport, FailedReport, PollOptions
from support.grpc_engine import GrpcEngine, Refusing, bad_request, error_info, retry_info
from support.samples import sample_job
from support.scripted_engine import Reply, ScriptedEngine

StatusCode = grpc.StatusCode

DEFINITION_JSON = {
    "id": "order",
    "name": "Order",
    "description": "An order",
    "autoStartNextWorkflow": True,
    "nextWorkflowId": "ship",
    "metadata": {"team": "billing"},
    "inputSchema": {"type": "object", "required": ["amount"]},
    "priority": "high",
    "execution": "graph",
    "recover": "resume",
    "deadline": "PT1H",
    "retain": "P1D",
    "events": True,
    "steps": [
        {
            "id": "charge",
            "name": "Charge",
            "type": "SERVICE_TASK",
            "jobType": "charge-card",
            "delegateClass": "org.Charge",
            "retry": {"retries": 3, "base": "PT1S", "factor": 2.5, "cap": "PT1M", "jitter": "full"},
            "timeout": {"run": "PT5S", "queue": "PT10S", "total": "PT1M"},
            "onError": "continue",
            "priority": "critical",
            "downstream": "bank",
            "outputSchema": {"type": "object"},
            "nextStep": "ask",
            "boundaryEvents": [
                {"type": "TIMER", "duration": "PT30S", "interrupting": True, "targetStepId": "ask"},
            ],
        },
        {
            "id": "ask",
            "name": "Ask",
            "type": "USER_TASK",
            "assignee": "ada",
            "assigneeGroup": "ops",
            "dueIn": "P1D",
            "form": {"type": "object"},
            "conditionalNextSteps": {"b == 2": "b", "a == 1": "a"},
        },
        {
            "id": "set",
            "name": "Set",
            "type": "TRANSFORMATION",
            "transformations": {"z": 1, "a": "${z}"},
            "nextStep": "fork",
        },
        {"id": "fork", "name": "Fork", "type": "PARALLEL_GATEWAY", "parallelNextSteps": ["a", "b"], "joinStep": "join"},
        {
            "id": "paid",
            "name": "Paid",
            "type": "WAIT",
            "nextStep": "old",
            "keepEarly": True,
            "duration": "PT1H",
            "boundaryEvents": [{"type": "ERROR", "interrupting": True, "targetStepId": "old"}],
        },
        {"id": "old", "name": "Old", "type": "SERVICE_TASK", "jobType": "x", "retryCount": 2},
    ],
}


@pytest.fixture
async def grpc_engine() -> AsyncIterator[GrpcEngine]:
    started = await GrpcEngine().start()
    yield started
    await started.stop()


@pytest.fixture
async def client(grpc_engine: GrpcEngine) -> AsyncIterator[EngineClient]:
    async with EngineClient(grpc_engine.url) as made:
        yield made


def test_a_definition_goes_over_and_comes_back_whole():
    """W-14: Get and Upload over gRPC lose nothing, and order is kept."""
    message = DEFINITION.encode(DEFINITION_JSON)
    back = DEFINITION.decode(pb.WorkflowDefinition.FromString(message.SerializeToString()))
    assert back == DEFINITION_JSON
    assert list(back["steps"][1]["conditionalNextSteps"]) == ["b == 2", "a == 1"]
    assert list(back["steps"][2]["transformations"]) == ["z", "a"]


@pytest.mark.parametrize(
    ("shape", "message", "left_out"),
    [
        (DEFINITION, pb.WorkflowDefinition, set()),
        (STEP, pb.WorkflowStep, {"conditional_next_steps", "transformations"}),
        (INSTANCE, pb.WorkflowInstance, set()),
        (STEP_EXECUTION, pb.StepExecution, set()),
        (JOB, pb.Job, set()),
    ],
)
def test_every_field_of_the_contract_is_carried(shape: Shape, message, left_out):
    """W-14: what the contract adds is not forgotten here."""
    assert {field.message for field in shape._fields} | left_out == set(message.DESCRIPTOR.fields_by_name)


def test_every_call_of_the_service_is_there():
    """C-36: all RPCs."""
    service = pb.DESCRIPTOR.services_by_name["WorkflowEngine"]
    assert {method.name for method in METHODS.values()} | {"StreamJobs"} == set(service.methods_by_name)


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"a": None, "b": [1, [2.5, "x"], {}], "c": {"d": True}},
        {"n": 2**53 - 1, "m": -(2**53) + 1},
        {"ü": "🎉\u0000"},
    ],
)
def test_variables_keep_their_shape(variables):
    """C-40: variables travel as Struct; whole numbers come back whole."""
    back = from_struct(to_struct(variables))
    assert back == variables
    assert all(type(back[name]) is type(value) for name, value in variables.items())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, "\ud800", {(5,): 1}, {float("nan"): 1}, 10**400])
def test_what_is_not_json_is_refused(value):
    with pytest.raises(UsageError, match="cannot be sent as JSON"):
        to_struct({"a": value})


@pytest.mark.parametrize("name", [5, -1, 2.5, True, False, None, 1e300])
def test_a_name_that_is_no_string_is_that_of_json(name):
    given = {"counts": {name: 1}}
    assert from_struct(to_struct(given)) == json.loads(json.dumps(given))


def test_an_unknown_field_of_a_definition_is_refused_with_the_closest():
    with pytest.raises(UsageError, match="unknown field 'nextStp'; did you mean 'nextStep'"):
        DEFINITION.encode({**DEFINITION_JSON, "steps": [{"id": "a", "nextStp": "b"}]})


async def test_starts_an_instance(grpc_engine, client):
    """C-104: the same call over the other wire."""
    instance = pb.WorkflowInstance(
        id="i-1", definition_id="order", definition_version=1, status="INSTANCE_STATUS_WAITING", current_step_ids=["a"]
    )
    instance.variables.update({"amount": 5})
    instance.started_at.FromJsonString("2025-01-01T00:00:00.123456Z")
    grpc_engine.on("StartInstance", pb.StartInstanceResponse(instance=instance))
    started = await client.start_instance("order", variables={"amount": 5}, business_key="k", linking_id="l")
    assert (started.id, started.status, started.variables, started.current_step_ids) == (
        "i-1",
        "WAITING",
        {"amount": 5},
        ["a"],
    )
    assert (started.started_at, started.completed_at) == ("2025-01-01T00:00:00.123Z", None)
    request, metadata = grpc_engine.requests[0][1:]
    assert (request.definition_id, request.business_key, request.linking_id) == ("order", "k", "l")
    assert metadata["idempotency-key"]
    assert metadata["user-agent"].startswith(f"millrace-python/{__version__}")


async def test_a_start_whose_answer_was_lost_is_sent_again_with_the_same_key(grpc_engine, client):
    grpc_engine.on("StartInstance", Refusing(StatusCode.UNAVAILABLE), pb.StartInstanceResponse())
    await client.start_instance("order")
    first, second = (metadata["idempotency-key"] for _, _, metadata in grpc_engine.requests)
    assert first == second


async def test_a_poll_is_not_repeated(grpc_engine, client):
    grpc_engine.on("PollJobs", Refusing(StatusCode.UNAVAILABLE), pb.PollJobsResponse())
    with pytest.raises(TransportError):
        await client.poll(["a"], worker_id="w")
    assert len(grpc_engine.requests) == 1


async def test_the_api_key_is_sent_as_bearer(grpc_engine):
    async with EngineClient(grpc_engine.url, api_key="mill_k") as client:
        await client.get_instance("i")
    assert grpc_engine.requests[0][2]["authorization"] == "Bearer mill_k"


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (StatusCode.FAILED_PRECONDITION, "lease-lost", LeaseLostError),
        (StatusCode.FAILED_PRECONDITION, "LEASE_LOST", LeaseLostError),
        (StatusCode.ALREADY_EXISTS, "conflict", ConflictError),
        (StatusCode.NOT_FOUND, None, NotFoundError),
        (StatusCode.INVALID_ARGUMENT, None, BadRequestError),
        (StatusCode.ALREADY_EXISTS, None, ConflictError),
    ],
)
async def test_a_refusal_is_the_error_of_its_code(grpc_engine, client, code, reason, kind):
    """C-39: by ErrorInfo, or by the status where there is none."""
    grpc_engine.on("GetInstance", Refusing(code, details=(error_info(reason),) if reason else ()))
    with pytest.raises(kind) as caught:
        await client.get_instance("i")
    assert (caught.value.message, caught.value.status >= 400, caught.value.retryable) == ("no", True, False)


async def test_a_refusal_tells_what_is_wrong_and_how_long_to_wait(grpc_engine, client):
    details = (error_info("backpressure"), retry_info(62.5), bad_request("$.a", "is missing", "add it"))
    grpc_engine.on("StartInstance", Refusing(StatusCode.RESOURCE_EXHAUSTED, "full", details=details))
    with pytest.raises(BackpressureError) as caught:
        await client.start_instance("order", timeout=60)
    error = caught.value
    assert (error.retry_after, error.retryable, error.request_id) == (62.5, True, "request-1")
    assert error.details == [{"path": "$.a", "message": "is missing", "hint": "add it"}]


async def test_a_deadline_that_passes_is_a_timeout(grpc_engine, client):
    grpc_engine.on("GetInstance", lambda request, context: asyncio.sleep(3600))
    with pytest.raises(TransportError) as caught:
        await client.get_instance("i", timeout=0.05)
    assert caught.value.kind == "timeout"


async def test_a_method_that_the_engine_does_not_have_means_that_it_is_too_old(grpc_engine, client):
    grpc_engine.on("RetryStep", Refusing(StatusCode.UNIMPLEMENTED))
    with pytest.raises(ServerTooOldError, match="does not know RetryStep: upgrade it"):
        await client.retry_step("i", "s")


async def test_an_engine_of_this_version_is_not_too_old_for_a_method(grpc_engine, client):
    """C-111: it may be the wrong address."""

    async def refuse(request, context):
        await context.abort(StatusCode.UNIMPLEMENTED, "no", (("millrace-version", __version__),))

    grpc_engine.on("RetryStep", refuse)
    with pytest.raises(EngineError, match="the right address, and the engine new enough"):
        await client.retry_step("i", "s")


async def test_the_warning_of_the_engine_is_logged(grpc_engine, client, caplog):
    """W-06: as trailing metadata."""

    def warn(request, context):
        context.set_trailing_metadata((("warning", '299 - "two conditions may both hold"'),))
        return pb.GetInstanceResponse()

    grpc_engine.on("GetInstance", warn)
    with caplog.at_level(logging.WARNING, "millrace"):
        await client.get_instance("i")
    assert "two conditions may both hold" in caplog.text


async def test_a_rest_port_is_told_from_a_grpc_port(client):
    rest = await ScriptedEngine().start()
    async with EngineClient(rest.url.replace("http", "grpc"), max_attempts=1) as wrong:
        with pytest.raises(TransportError):
            await wrong.get_instance("i")
    await rest.stop()


async def test_no_engine_at_all_is_unreachable(grpc_engine):
    await grpc_engine.stop()
    async with EngineClient(grpc_engine.url, max_attempts=1) as client:
        with pytest.raises(TransportError) as caught:
            await client.start_instance("order")
    assert caught.value.kind == "unreachable"


async def test_fails_over_to_the_next_address(grpc_engine):
    dead = await GrpcEngine().start()
    await dead.stop()
    async with EngineClient(f"{dead.url},{grpc_engine.url}") as client:
        await client.poll(["a"], worker_id="w")
    assert len(grpc_engine.requests) == 1


async def test_what_the_service_does_not_have_needs_a_rest_address(client):
    with pytest.raises(UsageError, match=r"getQueueMetrics is not part of the gRPC service: give .* REST address"):
        await client.queues.metrics()


async def test_what_the_service_does_not_have_goes_over_rest(grpc_engine):
    rest = await ScriptedEngine().start()
    rest.on("/v1/instances/i/audit", Reply({"items": []}))
    async with EngineClient(grpc_engine.url, rest_url=rest.url) as client:
        assert await client.get_audit("i") == []
        await client.get_instance("i")
    assert (len(rest.received), len(grpc_engine.requests)) == (1, 1)
    await rest.stop()


def test_without_its_packages_grpc_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "millrace.transport.grpc_transport", None)
    with pytest.raises(UsageError, match=r"pip install './sdks/python\[grpc\]'"):
        EngineClient("grpc://127.0.0.1")


CALLS = [
    ("uploadDefinition", Call("uploadDefinition", body=DEFINITION_JSON), pb.UploadDefinitionRequest),
    ("getDefinition", Call("getDefinition", path={"definitionId": "o"}), pb.GetDefinitionRequest(id="o")),
    (
        "getDefinitionVersion",
        Call("getDefinitionVersion", path={"definitionId": "o", "version": 2}),
        pb.GetDefinitionRequest(id="o", version=2),
    ),
    (
        "cancelInstance",
        Call("cancelInstance", path={"instanceId": "i"}, body={"reason": "r"}),
        pb.CancelInstanceRequest(id="i", reason="r"),
    ),
    (
        "completeUserTask",
        Call(
            "completeUserTask",
            path={"instanceId": "i", "stepId": "s"},
            body={"completedBy": "me", "variables": {"a": 1}},
        ),
        pb.CompleteUserTaskRequest(
            instance_id="i", user_task_step_id="s", completed_by="me", result=to_struct({"a": 1})
        ),
    ),
    (
        "signalInstance",
        Call("signalInstance", path={"instanceId": "i", "stepId": "s"}, body={"instanceId": 1}),
        pb.SignalWaitRequest(instance_id="i", wait_step_id="s", variables=to_struct({"instanceId": 1})),
    ),
    (
        "retryStep",
        Call("retryStep", path={"instanceId": "i", "stepId": "s"}, body={"variables": {"a": 1}}),
        pb.RetryStepRequest(instance_id="i", step_id="s", variables=to_struct({"a": 1})),
    ),
    (
        "failJob",
        Call(
            "failJob", path={"jobId": "j"}, body={"workerId": "w", "retryable": True, "retryAfter": 0, "stack": "at a"}
        ),
        pb.FailJobRequest(job_id="j", worker_id="w", retryable=True, retry_after=0, stack="at a"),
    ),
]


@pytest.mark.parametrize(("operation", "call", "message"), CALLS)
def test_a_call_is_its_message(operation, call, message):
    encoded = METHODS[operation].encode(call)
    assert encoded == message if not isinstance(message, type) else isinstance(encoded, message)


async def test_an_exchange_carries_reports_and_a_question(grpc_engine, client):
    results = [pb.ReportResult(job_id="a", outcome="REPORT_OUTCOME_STALE")]
    job = pb.Job(id="j", job_type="t", attempt=1, lease_token="1-t", idempotency_key="k")
    grpc_engine.on("ExchangeJobs", pb.ExchangeJobsResponse(results=results, jobs=[job]))
    answer = await client.exchange(
        worker_id="w",
        completed=[CompletedReport(job_id="a", lease_token="1-a", variables={"x": 1})],
        failed=[FailedReport(job_id="b", lease_token="1-b", error_message="e", retry_after=1.5, stack="at b")],
        poll=PollOptions(job_types=["t"], max_jobs=5),
    )
    assert [(result.job_id, result.outcome) for result in answer.results] == [("a", "stale")]
    assert (answer.jobs[0].lease_token, answer.jobs[0].variables, answer.jobs[0].timeout_seconds) == ("1-t", {}, None)
    sent = grpc_engine.asked("ExchangeJobs")[0]
    assert (sent.worker_id, sent.poll.max_jobs) == ("w", 5)
    assert (sent.failed[0].retry_after, sent.failed[0].stack) == (1.5, "at b")
    assert from_struct(sent.completed[0].variables) == {"x": 1}


@pytest.mark.parametrize("levels", [40, 90, 100_000])
@pytest.mark.parametrize("kind", [list, dict])
async def test_a_value_nested_too_deeply_is_refused_before_anything_is_sent(grpc_engine, client, levels, kind):
    value = kind()
    for _ in range(levels):
        value = [[value]] if kind is list else {"a": value}
    with pytest.raises(UsageError, match="nested too deeply"):
        await client.start_instance("order", variables={"a": value})
    assert grpc_engine.requests == []


async def test_a_result_nested_too_deeply_fails_its_job_and_holds_no_other(grpc_engine, client):
    jobs = [sample_job(), sample_job()]
    deep = {"a": {}}
    for _ in range(60):
        deep = {"a": deep}
    grpc_engine.on("PollJobs", pb.PollJobsResponse(jobs=[_message(job) for job in jobs]), _never)
    grpc_engine.on("ExchangeJobs", pb.ExchangeJobsResponse())
    handler = {"charge-card": lambda job, context: deep if job.id == jobs[0]["id"] else {"ok": True}}
    runner = Runner(client, handler, worker_id="w")
    runner.start()
    await grpc_engine.until(lambda: any(request.failed for request in grpc_engine.asked("ExchangeJobs")))
    failed = [one for request in grpc_engine.asked("ExchangeJobs") for one in request.failed]
    assert [(one.job_id, one.retryable) for one in failed] == [(jobs[0]["id"], False)]
    assert "nested too deeply" in failed[0].error_message
    assert [request.job_id for request in grpc_engine.asked("CompleteJob")] == [jobs[1]["id"]]
    await runner.stop()


def _message(job):
    return pb.Job(id=job["id"], job_type=job["jobType"], lease_token=job["leaseToken"], attempt=1)


async def _never(request, context):
    await asyncio.Event().wait()
