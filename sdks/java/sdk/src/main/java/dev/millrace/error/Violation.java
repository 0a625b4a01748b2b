// One reason among several why a request was refused.
package dev.millrace.error;

/**
 * What is wrong with a request, and where.
 *
 * @param path the JSON path of the offending value
 * @param message for people
 * @param hint what to do about it; null where there is none
 */
public record Violation(String path, String message, String hint) {}
