// The lease of a job ended before its report.
package dev.millrace.error;

/** Stop working on this job: its lease ended and the result was not taken. */
public final class LeaseLostException extends ConflictException {
  LeaseLostException(Refusal refusal) {
    super(refusal);
  }
}
