// Builds a client: its addresses, its key, its limits.
package dev.millrace;

import dev.millrace.internal.Caller;
import dev.millrace.internal.ClientSettings;
import dev.millrace.internal.Clock;
import dev.millrace.internal.Transport;
import dev.millrace.internal.Transports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** The settings of a client; {@link #build()} connects on first use. */
public final class EngineClientBuilder {
  private final String url;
  private String restUrl;
  private String apiKey;
  private Duration timeout = Duration.ofSeconds(60);
  private Duration attemptTimeout = Duration.ofSeconds(30);
  private int maxAttempts = 5;
  private boolean autoIdempotencyKeys = true;
  private Supplier<Optional<TraceContext>> traceContext = TraceContext::current;
  private byte[] trustedCertificates;
  private Clock clock = Clock.MONOTONIC;

  EngineClientBuilder(String url) {
    this.url = Objects.requireNonNull(url, "url");
  }

  /** Beside a gRPC address: where calls go that gRPC does not have, such as schedules. */
  public EngineClientBuilder restUrl(String restUrl) {
    this.restUrl = restUrl;
    return this;
  }

  /** Sent as {@code Authorization: Bearer}; null where none is needed. */
  public EngineClientBuilder apiKey(String apiKey) {
    this.apiKey = apiKey;
    return this;
  }

  /** For a call with its repeats; 60 s unless set. A long poll adds its wait. */
  public EngineClientBuilder timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** For one attempt; 30 s unless set. */
  public EngineClientBuilder attemptTimeout(Duration timeout) {
    this.attemptTimeout = timeout;
    return this;
  }

  /** Of a call that may be repeated; 5 unless set, 1 turns repeats off. */
  public EngineClientBuilder maxAttempts(int maxAttempts) {
    this.maxAttempts = maxAttempts;
    return this;
  }

  /**
   * Whether each change gets a key of its own, so that it can be repeated safely; true unless set.
   */
  public EngineClientBuilder autoIdempotencyKeys(boolean on) {
    this.autoIdempotencyKeys = on;
    return this;
  }

  /**
   * Asked at every call that is not a worker's own, and sent along. Unless set, it is the trace of
   * the job that the calling thread handles.
   */
  public EngineClientBuilder traceContext(Supplier<Optional<TraceContext>> traceContext) {
    this.traceContext = traceContext;
    return this;
  }

  /** A PEM file of the authorities to trust, instead of the machine's. */
  public EngineClientBuilder trustedCertificates(Path pem) {
    try {
      this.trustedCertificates = Files.readAllBytes(pem);
      return this;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  EngineClientBuilder clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  public EngineClient build() {
    ClientSettings settings =
        new ClientSettings(
            Transports.addresses(url),
            restUrl == null ? java.util.List.of() : Transports.addresses(restUrl),
            apiKey,
            timeout,
            attemptTimeout,
            maxAttempts,
            autoIdempotencyKeys,
            traceContext,
            trustedCertificates,
            clock);
    Transport first = Transports.open(settings);
    return new EngineClient(new Caller(first, Transports.openRestBeside(settings)), clock);
  }
}
