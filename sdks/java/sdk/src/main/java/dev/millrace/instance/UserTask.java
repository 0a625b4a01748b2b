// Work that waits for a person.
package dev.millrace.instance;

import java.time.Instant;
import java.util.Map;

/**
 * Work that waits for a person.
 *
 * @param businessKey of its instance; null where that has none
 * @param key what its run was started with; null where there is none
 * @param linkingId the event that its run may wait for; null where there is none
 * @param assignee null while it is unclaimed
 * @param assigneeGroup null where it has none
 * @param dueAt null where it has no due time
 * @param form null where it has none
 * @param completedAt null while it is open
 * @param completedBy null while it is open
 */
public record UserTask(
    String id,
    String instanceId,
    String stepId,
    String definitionId,
    String name,
    Status status,
    String businessKey,
    String key,
    String linkingId,
    String assignee,
    String assigneeGroup,
    Instant dueAt,
    Map<String, Object> form,
    Map<String, Object> variables,
    Instant createdAt,
    Instant completedAt,
    String completedBy) {
  /** Where a user task is. */
  public enum Status {
    OPEN,
    COMPLETED,
    CANCELLED,
    /** A word of an engine that is newer than this SDK. */
    UNRECOGNIZED
  }

  /**
   * Which user tasks a list means; null stands for any.
   *
   * @param status those that are OPEN where it is null
   */
  public record Filter(Status status, String assignee, String group) {
    /** Every open one. */
    public static final Filter OPEN = new Filter(null, null, null);

    /** The open ones of a person. */
    public static Filter assignedTo(String assignee) {
      return new Filter(null, assignee, null);
    }

    /** The open ones of a group. */
    public static Filter ofGroup(String group) {
      return new Filter(null, null, group);
    }
  }
}
