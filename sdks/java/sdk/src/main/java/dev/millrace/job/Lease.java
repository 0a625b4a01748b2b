// Who reports on which job, and by which claim.
package dev.millrace.job;

/**
 * By what a report is judged.
 *
 * @param leaseToken of the claim; null leaves the engine to go by the worker, and a report that
 *     comes too late is then dropped without a word
 */
public record Lease(String jobId, String workerId, String leaseToken) {
  /** Of a job that this worker has claimed. */
  public static Lease of(Job job, String workerId) {
    return new Lease(job.id(), workerId, job.leaseToken());
  }
}
