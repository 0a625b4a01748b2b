// A reason why something is not moving.
package dev.millrace.instance;

import java.time.Instant;
import java.util.Map;

/**
 * Why an instance or a job is not moving.
 *
 * @param kind such as user-task, signal, job-queued or retry; later engines may know more
 * @param stepId null where no step is meant
 * @param detail {@code message} says it in words, beside the facts of the kind
 */
public record WaitingReason(
    String kind, String stepId, Instant since, Map<String, Object> detail) {}
