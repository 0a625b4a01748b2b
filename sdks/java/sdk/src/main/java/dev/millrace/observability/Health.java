// Which parts of an engine's process are well.
package dev.millrace.observability;

import java.util.Map;

/**
 * Which parts of an engine's process are well.
 *
 * @param status ok or degraded
 * @param components postgres, pulse and process, each in a word; null for a caller without a key
 *     where one is needed
 */
public record Health(String status, Map<String, String> components) {}
