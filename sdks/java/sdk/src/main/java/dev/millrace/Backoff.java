// How long to wait before the n-th try.
package dev.millrace;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** 100 ms × 2^(n−1), give or take a fifth, at most 30 s. */
public final class Backoff {
  private static final double BASE_MS = 100;
  private static final double CAP_MS = 30_000;
  private static final double JITTER = 0.2;

  private Backoff() {}

  /** {@code attempt} counts from 1; anything below counts as 1. */
  public static Duration before(int attempt) {
    return before(attempt, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** {@code random} gives at least 0 and less than 1. */
  public static Duration before(int attempt, DoubleSupplier random) {
    int exponent = Math.max(1, attempt) - 1;
    double plain = Math.min(CAP_MS, BASE_MS * Math.pow(2, exponent));
    double jittered = plain * (1 + JITTER * (2 * random.getAsDouble() - 1));
    return Duration.ofNanos((long) (Math.min(CAP_MS, Math.max(0, jittered)) * 1e6));
  }
}
