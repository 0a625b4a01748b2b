"""Clients and workers for the Millrace workflow engine, over REST and gRPC."""

from millrace.backoff import backoff
from millrace.client.engine_client import EngineClient
from millrace.client.submit import Submitted, submit
from millrace.client.sync_client import SyncEngineClient
from millrace.definition.builder import Flow, Step, boundary_error, boundary_timer
from millrace.errors import (
    BackpressureError,
    BadRequestError,
    ConflictError,
    EngineError,
    ForbiddenError,
    IdempotencyMismatchError,
    InternalEngineError,
    LeaseLostError,
    MillraceError,
    NotFoundError,
    PollingDisabledError,
    RateLimitedError,
    ServerTooOldError,
    TransportError,
    UnauthenticatedError,
    UnavailableError,
    UsageError,
)
from millrace.transport.job_trace import job_trace
from millrace.types import Job
from millrace.version import __version__
from millrace.worker.cancellation import Cancellation, JobCancelled, JobTimeout, LeaseLost, RunnerStopped
from millrace.worker.handlers import Handler, HandlerContext, NonRetryableError, RetryLaterError
from millrace.worker.kafka.options import Kafka
from millrace.worker.kafka.runner import KafkaRunner
from millrace.worker.metrics import Metrics, SdkMetrics
from millrace.worker.registry import HandlerRegistry
from millrace.worker.runner import Runner, StopResult

__all__ = [
    "BackpressureError",
    "BadRequestError",
    "Cancellation",
    "ConflictError",
    "EngineClient",
    "EngineError",
    "Flow",
    "ForbiddenError",
    "Handler",
    "HandlerContext",
    "HandlerRegistry",
    "IdempotencyMismatchError",
    "InternalEngineError",
    "Job",
    "JobCancelled",
    "JobTimeout",
    "Kafka",
    "KafkaRunner",
    "LeaseLost",
    "LeaseLostError",
    "Metrics",
    "MillraceError",
    "NonRetryableError",
    "NotFoundError",
    "PollingDisabledError",
    "RateLimitedError",
    "RetryLaterError",
    "Runner",
    "RunnerStopped",
    "SdkMetrics",
    "ServerTooOldError",
    "Step",
    "StopResult",
    "Submitted",
    "SyncEngineClient",
    "TransportError",
    "UnauthenticatedError",
    "UnavailableError",
    "UsageError",
    "__version__",
    "backoff",
    "boundary_error",
    "boundary_timer",
    "job_trace",
    "submit",
]
