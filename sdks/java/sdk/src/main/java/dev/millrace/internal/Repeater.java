// Makes a call as often as it may be made: its deadline, its pauses, and the next address when one
// fails.
package dev.millrace.internal;

import dev.millrace.Backoff;
import dev.millrace.error.CallInterruptedException;
import dev.millrace.error.EngineException;
import dev.millrace.error.MillraceException;
import dev.millrace.error.TransportException;
import java.time.Duration;

/** The same for REST and gRPC; {@code A} is what an attempt is sent to. */
public final class Repeater<A> {
  /** One try at one address. */
  public interface Attempt<A> {
    Object send(A address, Duration timeout);
  }

  private final ClientSettings settings;
  private final Addresses<A> addresses;

  public Repeater(ClientSettings settings, Addresses<A> addresses) {
    this.settings = settings;
    this.addresses = addresses;
  }

  public Object run(Call call, boolean keyed, Attempt<A> attempt) {
    double deadline = settings.clock().now() + timeout(call).toMillis();
    for (int tries = 1; ; tries++) {
      A address = addresses.current();
      try {
        return attempt.send(address, timeLeft(call, deadline));
      } catch (MillraceException failure) {
        if (isTheAddress(failure)) addresses.leave(address);
        double pauseMs = pauseMs(call, failure, tries);
        boolean again = tries < maxAttempts(call) && mayRepeat(call, keyed, failure);
        if (!again || settings.clock().now() + pauseMs >= deadline) throw failure;
        sleep(pauseMs, failure);
      }
    }
  }

  private Duration timeout(Call call) {
    Duration asked = call.options().timeout();
    return asked != null ? asked : settings.timeout().plus(call.held());
  }

  private Duration timeLeft(Call call, double deadline) {
    double left = Math.max(1, deadline - settings.clock().now());
    double most = settings.attemptTimeout().plus(call.held()).toMillis();
    return Duration.ofNanos((long) (Math.min(left, most) * 1e6));
  }

  /** Every address deserves a try. */
  private int maxAttempts(Call call) {
    Integer asked = call.options().maxAttempts();
    return asked != null ? asked : Math.max(settings.maxAttempts(), addresses.size());
  }

  private static boolean isTheAddress(MillraceException failure) {
    if (failure instanceof EngineException refused)
      return refused.code().equals("unavailable") || refused.code().startsWith("http-5");
    return failure instanceof TransportException;
  }

  private static boolean mayRepeat(Call call, boolean keyed, MillraceException failure) {
    boolean unsent =
        failure instanceof TransportException lost
            && lost.kind() == TransportException.Kind.UNREACHABLE;
    if (unsent) return true;
    boolean harmless = call.operation().takesKey() ? keyed : !call.claims();
    return harmless && failure.retryable();
  }

  /** Another address is tried at once; the same one after a pause, as it asks for. */
  private double pauseMs(Call call, MillraceException failure, int tries) {
    if (isTheAddress(failure) && tries < addresses.size()) return 0;
    Duration asked =
        failure instanceof EngineException refused
            ? refused.retryAfter().orElse(Duration.ZERO)
            : Duration.ZERO;
    return Math.max(asked.toMillis(), Backoff.before(tries).toNanos() / 1e6);
  }

  private void sleep(double ms, MillraceException failure) {
    try {
      if (ms > 0) settings.clock().sleep(ms);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException("interrupted before a repeat", failure);
    }
  }
}
