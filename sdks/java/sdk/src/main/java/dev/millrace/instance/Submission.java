// A submission that must not get lost.
package dev.millrace.instance;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * What {@link dev.millrace.EngineClient#submit} brings to an engine. Immutable: every method gives
 * a new one. The key alone says what a submission is: the same key with another payload is the same
 * submission, answered alike and dropped.
 *
 * @param key the same for every repeat; made where none is given
 * @param linkingId an event that the run may have to wait for; null where there is none
 * @param hedgeAfter how long an engine may be silent before the next one is asked as well
 * @param attemptTimeout how long one answer may take before the same engine is asked again
 * @param deadline when to give up; null for never
 */
public record Submission(
    String definitionId,
    Map<String, ?> payload,
    String key,
    String linkingId,
    Duration hedgeAfter,
    Duration attemptTimeout,
    Duration deadline) {
  public Submission {
    Objects.requireNonNull(definitionId, "definitionId");
    Objects.requireNonNull(payload, "payload");
    Objects.requireNonNull(key, "key");
  }

  /** With a key that is made here. */
  public static Submission of(String definitionId, Map<String, ?> payload) {
    return new Submission(
        definitionId,
        payload,
        UUID.randomUUID().toString(),
        null,
        Duration.ofMillis(300),
        Duration.ofSeconds(10),
        null);
  }

  /** Give your own where it may have to be submitted again after a deadline or an interrupt. */
  public Submission withKey(String key) {
    return new Submission(
        definitionId, payload, key, linkingId, hedgeAfter, attemptTimeout, deadline);
  }

  public Submission withLinkingId(String linkingId) {
    return new Submission(
        definitionId, payload, key, linkingId, hedgeAfter, attemptTimeout, deadline);
  }

  /** 300 ms unless set. */
  public Submission withHedgeAfter(Duration hedgeAfter) {
    return new Submission(
        definitionId, payload, key, linkingId, hedgeAfter, attemptTimeout, deadline);
  }

  /** 10 s unless set. */
  public Submission withAttemptTimeout(Duration attemptTimeout) {
    return new Submission(
        definitionId, payload, key, linkingId, hedgeAfter, attemptTimeout, deadline);
  }

  /** Never unless set. */
  public Submission withDeadline(Duration deadline) {
    return new Submission(
        definitionId, payload, key, linkingId, hedgeAfter, attemptTimeout, deadline);
  }
}
