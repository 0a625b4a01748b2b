// What a client was built with.
package dev.millrace.internal;

import dev.millrace.TraceContext;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The settings of a client.
 *
 * @param urls addresses of one scheme
 * @param restUrls addresses of REST beside gRPC ones; empty where there are none
 * @param apiKey null where none is needed
 * @param timeout of a call with its repeats
 * @param attemptTimeout of one try
 * @param maxAttempts of a call that may be repeated
 * @param autoIdempotencyKeys whether each change gets a key of its own
 * @param traceContext asked at every call that is not a worker's own
 * @param trustedCertificates PEM of the authorities to trust; null for the machine's
 */
public record ClientSettings(
    List<URI> urls,
    List<URI> restUrls,
    String apiKey,
    Duration timeout,
    Duration attemptTimeout,
    int maxAttempts,
    boolean autoIdempotencyKeys,
    Supplier<Optional<TraceContext>> traceContext,
    byte[] trustedCertificates,
    Clock clock) {
  /** Without the key: settings may end up in a log. */
  @Override
  public String toString() {
    return "ClientSettings[urls=" + urls + ", restUrls=" + restUrls + "]";
  }
}
