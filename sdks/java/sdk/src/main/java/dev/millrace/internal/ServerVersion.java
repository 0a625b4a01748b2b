// The engine's version, learned from its answers.
package dev.millrace.internal;

import dev.millrace.SdkVersion;
import dev.millrace.error.ServerTooOldException;

/** An engine that does not say its version is taken as it is. */
public final class ServerVersion {
  public static final String HEADER = "millrace-version";

  /** The oldest engine that this SDK can use. */
  private static final String OLDEST = "0.1.0";

  private ServerVersion() {}

  public static void check(String version) {
    if (version == null || !isOlder(version, OLDEST)) return;
    throw new ServerTooOldException(
        "the engine is version "
            + version
            + ", and this SDK ("
            + SdkVersion.get()
            + ") needs "
            + OLDEST
            + " or newer: upgrade the engine, or use the SDK of its version");
  }

  /** By the three numbers; what is no number counts as new. */
  static boolean isOlder(String version, String other) {
    String[] left = version.split("[.+-]");
    String[] right = other.split("[.+-]");
    for (int i = 0; i < 3; i++) {
      int order = Integer.compare(part(left, i), part(right, i));
      if (order != 0) return order < 0;
    }
    return false;
  }

  private static int part(String[] parts, int i) {
    try {
      return i < parts.length ? Integer.parseInt(parts[i]) : 0;
    } catch (NumberFormatException unusual) {
      return Integer.MAX_VALUE;
    }
  }
}
