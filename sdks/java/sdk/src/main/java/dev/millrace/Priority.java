// In which of the three lanes work stands.
package dev.millrace;

import dev.millrace.internal.WireName;

/** Of instances, steps and jobs. */
public enum Priority implements WireName {
  CRITICAL,
  HIGH,
  NORMAL,
  /** A word of an engine that is newer than this SDK. */
  UNRECOGNIZED;

  @Override
  public String wire() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
