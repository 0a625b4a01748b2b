// A run of a definition.
package dev.millrace.instance;

import dev.millrace.Priority;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A run of a definition.
 *
 * @param input what it was started with; null in lists
 * @param completedAt null while it runs
 * @param failureReason null unless it failed or was cancelled with a reason
 * @param businessKey null where it has none
 * @param linkingId the event that its run may wait for; null where there is none
 * @param parentId the instance that it follows, belongs to, undoes or takes the place of; null
 *     where there is none
 * @param undoneBy the run that undoes its steps; null where none does
 * @param restartOf the instance whose place it has taken by a restart; null in lists
 * @param restartedAs the instance that has taken its place by a restart, the last of several; null
 *     in lists
 * @param key the key that its run was started with; null where it has none
 */
public record Instance(
    String id,
    String definitionId,
    int definitionVersion,
    InstanceStatus status,
    List<String> currentStepIds,
    Map<String, Object> variables,
    Map<String, Object> input,
    Instant startedAt,
    Instant completedAt,
    String failureReason,
    String businessKey,
    String linkingId,
    String parentId,
    String undoneBy,
    String restartOf,
    String restartedAs,
    Priority priority,
    String key) {
  public Instance {
    variables = variables == null ? Map.of() : variables;
  }
}
