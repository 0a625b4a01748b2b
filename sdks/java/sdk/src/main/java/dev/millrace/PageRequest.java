// Which page of a list.
package dev.millrace;

/**
 * Which page of a list; null stands for the engine's default.
 *
 * @param cursor the nextCursor of the page before
 * @param page from 0, for lists that are paged by number
 */
public record PageRequest(Integer pageSize, String cursor, Integer page) {
  /** The first page, of the usual size. */
  public static final PageRequest FIRST = new PageRequest(null, null, null);

  public static PageRequest ofSize(int pageSize) {
    return new PageRequest(pageSize, null, null);
  }

  /** Goes on where that page ended. */
  public PageRequest after(String cursor) {
    return new PageRequest(pageSize, cursor, null);
  }

  public PageRequest number(int page) {
    return new PageRequest(pageSize, null, page);
  }
}
