// Where the code that calls stands in a trace, by the names of the W3C.
package dev.millrace;

import java.util.Optional;

/**
 * W3C Trace Context. While a handler runs, {@link #current()} is that of its job, and calls that
 * the handler makes go on with it.
 *
 * @param traceparent never null
 * @param tracestate null where there is none
 */
public record TraceContext(String traceparent, String tracestate) {
  private static final ThreadLocal<TraceContext> CURRENT = new ThreadLocal<>();

  /** Of the job that this thread handles. */
  public static Optional<TraceContext> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  /** For the worker: what the thread works on from now; null ends it. */
  public static void enter(TraceContext context) {
    if (context == null) CURRENT.remove();
    else CURRENT.set(context);
  }
}
