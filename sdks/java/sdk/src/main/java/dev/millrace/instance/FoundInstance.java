// An instance that a search has found.
package dev.millrace.instance;

/**
 * An instance that a search has found.
 *
 * @param matched what begins with the prefix: key, businessKey or id
 * @param text the whole of what begins with the prefix
 */
public record FoundInstance(
    String instanceId, String matched, String text, String definitionId, InstanceStatus status) {}
