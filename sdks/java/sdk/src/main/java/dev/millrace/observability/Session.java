// Who is asking, as the engine sees it.
package dev.millrace.observability;

import java.util.List;

/**
 * Who is asking.
 *
 * @param keyNeeded false on loopback and where keys are off
 * @param name of the key, or {@code local}; null for a caller without one
 * @param scopes what the caller may do
 */
public record Session(boolean keyNeeded, boolean signedIn, String name, List<String> scopes) {}
