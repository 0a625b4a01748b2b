// How often and when a failed step is tried again.
package dev.millrace.definition;

import java.time.Duration;

/**
 * The n-th retry comes after min(cap, base × factor^(n−1)), with jitter. Null stands for the
 * engine's default.
 *
 * @param jitter none, partial or full
 */
public record RetryPolicy(int retries, Duration base, Double factor, Duration cap, String jitter) {
  public static RetryPolicy of(int retries) {
    return new RetryPolicy(retries, null, null, null, null);
  }

  public static RetryPolicy of(int retries, Duration base, double factor, Duration cap) {
    return new RetryPolicy(retries, base, factor, cap, null);
  }
}
