"""The fields of a definition that the old contract has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from legacy_client.refusal import only

DEFINITION = ("id", "version", "uploadedAt", "name", "description", "steps", "autoStartNextWorkflow", "nextWorkflowId")
STEP = [
    "id",
    "name",
    "type",
    "description",
    "nextStep",
    "parallelNextSteps",
    "joinStep",
    "conditionalNextSteps",
    "transformations",
    "jobType",
    "delegateClass",
    "retryCount",
    "boundaryEvents",
]


def check_definition(definition: Mapping[str, Any]) -> None:
    only(definition, *DEFINITION, "metadata")
    for step in definition.get("steps", []):
        only(step, *STEP)
