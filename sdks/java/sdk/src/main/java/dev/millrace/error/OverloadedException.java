// The engine cannot take this now.
package dev.millrace.error;

/** Later the same call may succeed: wait for {@link #retryAfter()}. */
public final class OverloadedException extends EngineException {
  OverloadedException(Refusal refusal) {
    super(refusal);
  }
}
