// How a runner gets its jobs and reports them.
package dev.millrace.worker;

/** How a runner gets its jobs and reports them. */
public enum Mode {
  /** Asks for jobs, and reports each one by itself. */
  POLL,
  /** Asks for jobs; what finishes while a request is in flight goes together with the next. */
  EXCHANGE,
  /** The engine pushes jobs over gRPC; reports as with EXCHANGE. */
  STREAM
}
