// How one call is made: its deadline, its repeats, its key.
package dev.millrace;

import java.time.Duration;

/**
 * For calls of a client that {@link EngineClient#with(CallOptions)} gives; null stands for the
 * client's own.
 *
 * @param timeout for the whole call, repeats included
 * @param maxAttempts 1 sends once, whatever happens
 * @param idempotencyKey of a change; one is made for each call where it is null
 */
public record CallOptions(Duration timeout, Integer maxAttempts, String idempotencyKey) {
  /** Everything as the client has it. */
  public static final CallOptions NONE = new CallOptions(null, null, null);

  public CallOptions withTimeout(Duration timeout) {
    return new CallOptions(timeout, maxAttempts, idempotencyKey);
  }

  public CallOptions withMaxAttempts(int maxAttempts) {
    return new CallOptions(timeout, maxAttempts, idempotencyKey);
  }

  /** Use it for one call only: another call with the same key would be taken for a repeat. */
  public CallOptions withIdempotencyKey(String idempotencyKey) {
    return new CallOptions(timeout, maxAttempts, idempotencyKey);
  }
}
