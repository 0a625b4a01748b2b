// Where an instance is.
package dev.millrace.instance;

/** The status of an instance. */
public enum InstanceStatus {
  ACTIVE,
  WAITING,
  COMPLETED,
  FAILED,
  CANCELLED,
  /** A word of an engine that is newer than this SDK. */
  UNRECOGNIZED;

  /** It will not move again by itself. */
  public boolean isTerminal() {
    return this == COMPLETED || this == FAILED || this == CANCELLED;
  }
}
