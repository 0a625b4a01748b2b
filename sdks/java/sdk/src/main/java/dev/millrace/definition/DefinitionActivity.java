// At which steps the live instances of a definition stand.
package dev.millrace.definition;

import java.util.List;

/**
 * At which steps live instances stand.
 *
 * @param instances live ones that were looked at
 * @param isExact false where there are more
 */
public record DefinitionActivity(List<StepActivity> items, long instances, boolean isExact) {
  /**
   * How often a step is open.
   *
   * @param older of those, open for longer than was asked for
   */
  public record StepActivity(int version, String stepId, long open, long older) {}
}
