// A claimed job, as a worker gets it.
package dev.millrace.job;

import dev.millrace.Priority;
import dev.millrace.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A claimed job.
 *
 * @param instanceId empty on a standalone job, as are stepId, stepExecutionId and definitionId
 * @param retriesRemaining what is left after this attempt
 * @param variables the instance's as of the claim; the payload of a standalone job
 * @param leaseToken proves the latest claim; send it with every report
 * @param attempt counts from 1
 * @param businessKey null where the instance has none
 * @param idempotencyKey constant over attempts; for outside effects
 * @param timeoutSeconds how long this attempt may run; null where there is no limit
 * @param traceparent W3C trace context of what asked for the work; null where nothing traces
 * @param tracestate null without a traceparent
 */
public record Job(
    String id,
    String jobType,
    String instanceId,
    String stepId,
    String stepExecutionId,
    int retriesRemaining,
    Map<String, Object> variables,
    Instant lockExpiresAt,
    String leaseToken,
    int attempt,
    Priority priority,
    String definitionId,
    String businessKey,
    String idempotencyKey,
    Double timeoutSeconds,
    String traceparent,
    String tracestate) {
  public Job {
    instanceId = instanceId == null ? "" : instanceId;
    stepId = stepId == null ? "" : stepId;
    stepExecutionId = stepExecutionId == null ? "" : stepExecutionId;
    definitionId = definitionId == null ? "" : definitionId;
    variables = variables == null ? Map.of() : variables;
  }

  /** The same job with other variables. */
  public Job withVariables(Map<String, Object> other) {
    return new Job(
        id,
        jobType,
        instanceId,
        stepId,
        stepExecutionId,
        retriesRemaining,
        other,
        lockExpiresAt,
        leaseToken,
        attempt,
        priority,
        definitionId,
        businessKey,
        idempotencyKey,
        timeoutSeconds,
        traceparent,
        tracestate);
  }

  /** How long this attempt may run. */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeoutSeconds).map(s -> Duration.ofMillis((long) (s * 1000)));
  }

  /** Where the work stands in a trace. */
  public Optional<TraceContext> traceContext() {
    return Optional.ofNullable(traceparent).map(parent -> new TraceContext(parent, tracestate));
  }
}
