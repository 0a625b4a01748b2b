// Messages of a topic, for tests.
package dev.millrace.support;

import com.google.protobuf.ByteString;
import dev.millrace.proto.workflow.v1.JobDispatchEvent;
import java.util.Map;

public final class Dispatches {
  private Dispatches() {}

  /** A dispatch of type charge-card with everything that an engine of today tells. */
  public static JobDispatchEvent.Builder dispatch() {
    Map<String, Object> job = Samples.job();
    String id = Samples.id(job);
    return JobDispatchEvent.newBuilder()
        .setSchemaVersion(1)
        .setDedupId("dedup-" + id)
        .setJobId(id)
        .setInstanceId("instance-" + id)
        .setStepId("charge")
        .setStepExecutionId("execution-" + id)
        .setJobType("charge-card")
        .setRetriesRemaining(2)
        .setJobPayload(ByteString.copyFromUtf8("{\"amount\": 42}"))
        .setLeaseToken("token-" + id)
        .setAttempt(1)
        .setIdempotencyKey("key-" + id);
  }

  public static JobDispatchEvent.Builder dispatch(String payload) {
    return dispatch().setJobPayload(ByteString.copyFromUtf8(payload));
  }
}
