"""Definitions as code."""

import pytest

from millrace import Flow, UsageError
from millrace.transport.grpc_definition import DEFINITION


def order() -> Flow:
    flow = Flow("order", "Order", input_schema={"type": "object"}, priority="high", next_workflow_id="ship")
    flow.transformation("net", {"net": "${amount / 1.19}", "currency": "EUR"}).then("check")
    flow.decision("check").when("net > 100", "ask").when("true", "fork")
    flow.user_task("ask", assignee_group="ops", due_in="P1D").then("fork").on_timer("PT1H", "fork", interrupting=True)
    flow.parallel("fork", ["charge", "paid"], join="joined")
    flow.service_task("charge", "charge-card", name="Charge the card", retries=3).then("joined")
    flow.wait("paid", keep_early=True, duration="PT1H", timeout={"total": "P1D"}).then("joined").on_failure("joined")
    flow.join("joined").then("end")
    flow.end()
    return flow


def test_it_produces_the_json_of_a_definition():
    built = order().build()
    assert [step["type"] for step in built["steps"]] == [
        "TRANSFORMATION",
        "DECISION",
        "USER_TASK",
        "PARALLEL_GATEWAY",
        "SERVICE_TASK",
        "WAIT",
        "JOIN_GATEWAY",
        "END",
    ]
    assert built["autoStartNextWorkflow"] is True
    assert built["steps"][1]["conditionalNextSteps"] == {"net > 100": "ask", "true": "fork"}
    assert built["steps"][4] == {
        "id": "charge",
        "name": "Charge the card",
        "type": "SERVICE_TASK",
        "jobType": "charge-card",
        "retryCount": 3,
        "nextStep": "joined",
    }
    assert built["steps"][5] == {
        "id": "paid",
        "name": "paid",
        "type": "WAIT",
        "keepEarly": True,
        "duration": "PT1H",
        "timeout": {"total": "P1D"},
        "nextStep": "joined",
        "boundaryEvents": [{"type": "ERROR", "interrupting": True, "targetStepId": "joined"}],
    }


def test_what_it_produces_fits_the_contract():
    DEFINITION.encode(order().build())


def test_two_steps_of_one_id_are_refused():
    flow = Flow("a", "A")
    flow.end("x")
    flow.end("x")
    with pytest.raises(UsageError, match="two steps have the id 'x'"):
        flow.build()


@pytest.mark.parametrize(
    "wire", [lambda step: step.then("y"), lambda step: step.on_timer("PT1S", "y"), lambda step: step.on_failure("y")]
)
def test_a_target_that_is_no_step_is_refused(wire):
    flow = Flow("a", "A")
    wire(flow.service_task("x", "job"))
    with pytest.raises(UsageError, match="step 'x' goes on to 'y', which is no step"):
        flow.build()
