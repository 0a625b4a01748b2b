// A definition without its steps.
package dev.millrace.definition;

import dev.millrace.internal.OptionalList;
import java.time.Instant;
import java.util.List;

/**
 * A definition without its steps.
 *
 * @param name null in the answer of an upload over gRPC
 * @param description null where it has none
 * @param uploadedBy in lists of versions: a key's name, or {@code local}; else null
 * @param warnings of an upload: what was accepted and may surprise
 */
public record DefinitionSummary(
    String id,
    int version,
    String name,
    String description,
    Instant uploadedAt,
    String uploadedBy,
    @OptionalList List<String> warnings) {}
