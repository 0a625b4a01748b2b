// A message of a topic as the job that it dispatches.
package dev.millrace.internal.kafka;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.internal.Json;
import dev.millrace.internal.Records;
import dev.millrace.job.Job;
import dev.millrace.proto.workflow.v1.JobDispatchEvent;
import java.util.HashMap;
import java.util.Map;

/** {@code lacksVariables}: they were too large for the message, and stayed with the engine. */
record Dispatch(String dedupId, Job job, boolean lacksVariables) {
  private static final int SCHEMA_VERSION = 1;

  /** A message that is no dispatch, or one that this version does not know. */
  static final class Undecodable extends Exception {
    Undecodable(String message) {
      super(message);
    }
  }

  /** Fails with a LinkageError where the library is not there. */
  static void load() {
    JobDispatchEvent.getDefaultInstance();
  }

  static Dispatch read(byte[] value) throws Undecodable {
    JobDispatchEvent event = parse(value);
    if (event.getSchemaVersion() != SCHEMA_VERSION)
      throw new Undecodable("of schema version " + event.getSchemaVersion() + ", known is 1");
    if (event.getDedupId().isEmpty() || event.getJobId().isEmpty() || event.getJobType().isEmpty())
      throw new Undecodable("without dedup_id, job_id or job_type");
    return new Dispatch(event.getDedupId(), job(event), event.getPayloadOmitted());
  }

  private static JobDispatchEvent parse(byte[] value) throws Undecodable {
    try {
      return JobDispatchEvent.parseFrom(value == null ? new byte[0] : value);
    } catch (InvalidProtocolBufferException wrong) {
      throw new Undecodable("no JobDispatchEvent: " + wrong.getMessage());
    }
  }

  /** In the words of REST; what an engine with the old fields alone does not tell is left out. */
  private static Job job(JobDispatchEvent event) throws Undecodable {
    Map<String, Object> job = new HashMap<>();
    job.put("id", event.getJobId());
    job.put("jobType", event.getJobType());
    job.put("instanceId", event.getInstanceId());
    job.put("stepId", event.getStepId());
    job.put("stepExecutionId", event.getStepExecutionId());
    job.put("retriesRemaining", (long) event.getRetriesRemaining());
    job.put("variables", variables(event.getJobPayload()));
    job.put("attempt", (long) Math.max(1, event.getAttempt()));
    job.put("priority", otherwise(event.getPriority(), "normal"));
    job.put("definitionId", event.getDefinitionId());
    job.put("idempotencyKey", otherwise(event.getIdempotencyKey(), event.getJobId()));
    job.put("leaseToken", otherwise(event.getLeaseToken(), null));
    job.put("businessKey", otherwise(event.getBusinessKey(), null));
    job.put("traceparent", otherwise(event.getTraceparent(), null));
    job.put("tracestate", otherwise(event.getTracestate(), null));
    if (event.getTimeoutSeconds() > 0) job.put("timeoutSeconds", event.getTimeoutSeconds());
    return Records.read(Job.class, job);
  }

  private static String otherwise(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }

  private static Object variables(ByteString payload) throws Undecodable {
    if (payload.isEmpty()) return Map.of();
    try {
      Object variables = Json.read(payload.toStringUtf8());
      if (variables instanceof Map) return variables;
    } catch (IllegalArgumentException wrong) {
      throw new Undecodable("its payload is not JSON: " + wrong.getMessage());
    }
    throw new Undecodable("its payload is no JSON object");
  }
}
