// Reads from what a handler threw whether the system it called pushed back, or did not answer in
// time.
package dev.millrace.worker;

import dev.millrace.error.MillraceException;
import dev.millrace.job.Failure;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

final class Pushback {
  /** How a gateway says that no answer came in time. */
  static final int GATEWAY_TIMEOUT = 504;

  /** Clients wrap: the reason of a failed call is its cause. */
  private static final int DEEPEST = 5;

  /** A quota that is full comes back by tomorrow; a longer wait is a mistake. */
  private static final Duration LONGEST = Duration.ofDays(1);

  private Pushback() {}

  /** The outermost exception that says something of the kind is believed. */
  static Failure addTo(Failure failure, Throwable thrown) {
    Throwable at = thrown;
    for (int depth = 0; at != null && depth <= DEEPEST; depth++, at = at.getCause()) {
      // What the engine itself refuses is no word of the system that the job calls.
      if (at instanceof MillraceException) return failure;
      if (at instanceof PushbackException pushed) return pushedBack(failure, pushed);
      if (isTimeout(at)) return failure.downstreamStatus(GATEWAY_TIMEOUT);
    }
    return failure;
  }

  private static Failure pushedBack(Failure failure, PushbackException pushed) {
    Failure told = failure.downstreamStatus(pushed.status());
    Duration asked = pushed.retryAfter();
    if (asked == null || failure.retryAfter() != null) return told;
    return told.retryAfter(asked.compareTo(LONGEST) > 0 ? LONGEST : asked);
  }

  private static boolean isTimeout(Throwable thrown) {
    return thrown instanceof SocketTimeoutException
        || thrown instanceof HttpTimeoutException
        || thrown instanceof TimeoutException;
  }
}
