// How long a lease holds, by the monotonic clock.
package dev.millrace.worker;

/**
 * A lease has two ends here, because the moment the engine granted it is known only to lie between
 * question and answer.
 *
 * @param endsAt counted from the question: before it the lease surely holds
 * @param goneAt counted from the answer: after it the lease surely ended
 */
record LeaseSpan(double endsAt, double goneAt) {
  static LeaseSpan between(double askedAt, double answeredAt, int leaseSeconds) {
    double leaseMs = leaseSeconds * 1000.0;
    return new LeaseSpan(askedAt + leaseMs, answeredAt + leaseMs);
  }

  /**
   * Of a job that came by itself. How long it was on its way is not known; half a lease is left for
   * that, within which keepalive has broken a stream that stands still.
   */
  static LeaseSpan pushed(double receivedAt, int leaseSeconds) {
    double leaseMs = leaseSeconds * 1000.0;
    return new LeaseSpan(receivedAt + leaseMs / 2, receivedAt + leaseMs);
  }
}
