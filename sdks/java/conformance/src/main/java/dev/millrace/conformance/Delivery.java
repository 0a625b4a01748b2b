// One delivery of a job to a handler, and where the handler is.
package dev.millrace.conformance;

import dev.millrace.job.Job;
import java.util.LinkedHashMap;
import java.util.Map;

final class Delivery {
  private final Job job;
  private volatile String state = "started";

  Delivery(Job job) {
    this.job = job;
  }

  /** The first end of a delivery is the one that is told. */
  synchronized void becomes(String state) {
    if (this.state.equals("started")) this.state = state;
  }

  Map<String, Object> toMap() {
    Map<String, Object> facts = new LinkedHashMap<>();
    for (String fact :
        new String[] {
          "jobType",
          "instanceId",
          "stepId",
          "stepExecutionId",
          "attempt",
          "retriesRemaining",
          "idempotencyKey"
        }) facts.put(fact, fact(job, fact));
    facts.put("jobId", job.id());
    facts.put("state", state);
    return facts;
  }

  static Object fact(Job job, String name) {
    return switch (name) {
      case "id" -> job.id();
      case "jobType" -> job.jobType();
      case "instanceId" -> job.instanceId();
      case "stepId" -> job.stepId();
      case "stepExecutionId" -> job.stepExecutionId();
      case "attempt" -> job.attempt();
      case "retriesRemaining" -> job.retriesRemaining();
      case "idempotencyKey" -> job.idempotencyKey();
      default -> throw new IllegalArgumentException("a job has no fact " + name);
    };
  }
}
