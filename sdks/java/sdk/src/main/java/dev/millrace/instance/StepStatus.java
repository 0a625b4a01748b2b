// Where a step execution is.
package dev.millrace.instance;

/** The status of a step execution. */
public enum StepStatus {
  RUNNING,
  COMPLETED,
  FAILED,
  /** Ended by a cancel or a closed scope. */
  SKIPPED,
  /** A word of an engine that is newer than this SDK. */
  UNRECOGNIZED
}
