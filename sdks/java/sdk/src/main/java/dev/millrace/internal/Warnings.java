// Logs what the engine warned of beside its answer.
package dev.millrace.internal;

import java.util.List;

public final class Warnings {
  private static final System.Logger LOG = System.getLogger("dev.millrace");

  private Warnings() {}

  /** One line each, in the engine's words. */
  public static void log(Operation operation, List<String> warnings) {
    for (String warning : warnings)
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", operation.id(), warning);
  }
}
