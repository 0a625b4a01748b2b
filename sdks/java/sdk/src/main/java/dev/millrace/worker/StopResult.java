// How a runner ended.
package dev.millrace.worker;

/**
 * How a runner ended.
 *
 * @param drained everything that was running finished and was reported
 * @param unfinished handlers left running; their jobs come back when the leases end
 */
public record StopResult(boolean drained, int unfinished) {}
