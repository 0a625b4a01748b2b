// An instance that a search has found.
package dev.millrace.instance;

/**
 * An instance that a search has found.
 *
 * @param matched what begins with the prefix: key, businessKey or id
 * @param text the whole of what begins with the prefix
 * @param key what its run was started with; null where there is none
 * @param businessKey null where it has none
 * @param linkingId the event that its run may wait for; null where there is none
 */
public record FoundInstance(
    String instanceId,
    String matched,
    String text,
    String key,
    String businessKey,
    String linkingId,
    String definitionId,
    InstanceStatus status) {}
