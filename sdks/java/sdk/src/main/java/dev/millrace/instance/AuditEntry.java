// A line of an instance's audit trail.
package dev.millrace.instance;

import java.time.Instant;
import java.util.Map;

/**
 * Who did what, and when.
 *
 * @param actor a key's name, a worker id, or {@code local}
 */
public record AuditEntry(
    long seq, Instant at, String actor, String kind, Map<String, Object> detail) {}
