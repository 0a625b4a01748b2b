// A finished job on its way back to the engine.
package dev.millrace.worker;

import dev.millrace.job.Exchange;
import dev.millrace.job.Job;
import dev.millrace.job.Lease;

/**
 * A finished job on its way back to the engine.
 *
 * @param giveUpAt nothing waits for it after this moment: its lease surely ended and was swept up
 * @param once its lease is lost already: worth one try, because the engine takes it if no other
 *     worker claimed the job
 */
record Report(Workbench.Claim claim, Outcome outcome, double giveUpAt, boolean once, int tries) {
  /** What became of a report; null outcomes were dropped. */
  interface Settled {
    void settled(Report report, Exchange.Outcome verdict);
  }

  Job job() {
    return claim.job();
  }

  Report tried() {
    return new Report(claim, outcome, giveUpAt, once, tries + 1);
  }

  Report with(Outcome other) {
    return new Report(claim, other, giveUpAt, once, 0);
  }

  boolean isHopeless(double now) {
    return tries > 0 && (once || giveUpAt <= now);
  }

  Lease lease(String workerId) {
    return Lease.of(job(), workerId);
  }

  Exchange addTo(Exchange exchange) {
    if (outcome.completed())
      return exchange.completed(job().id(), job().leaseToken(), outcome.variables());
    return exchange.failed(job().id(), job().leaseToken(), outcome.failure());
  }
}
