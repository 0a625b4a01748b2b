// One page of a list.
package dev.millrace;

import java.util.List;

/**
 * One page of a list.
 *
 * @param items in the order of the list
 * @param total how many there are; null where the list does not count
 * @param totalIsExact null where the list does not count
 * @param nextCursor null on the last page, and where the list is paged by number
 */
public record Page<T>(List<T> items, Long total, Boolean totalIsExact, String nextCursor) {}
