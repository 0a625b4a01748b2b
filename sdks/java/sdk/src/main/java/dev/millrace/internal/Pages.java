// Follows a list from page to page.
package dev.millrace.internal;

import dev.millrace.Page;
import dev.millrace.PageRequest;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

public final class Pages {
  private Pages() {}

  /** Lazily: a page is asked for when the one before is used up. */
  public static <T> Stream<T> follow(Function<PageRequest, Page<T>> list) {
    int shape = Spliterator.ORDERED | Spliterator.NONNULL;
    Iterator<T> items = new Items<>(list);
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(items, shape), false);
  }

  private static final class Items<T> implements Iterator<T> {
    private final Function<PageRequest, Page<T>> list;
    private Iterator<T> page;
    private String cursor;

    Items(Function<PageRequest, Page<T>> list) {
      this.list = list;
      turn(PageRequest.FIRST);
    }

    private void turn(PageRequest request) {
      Page<T> next = list.apply(request);
      page = next.items().iterator();
      cursor = next.nextCursor();
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && cursor != null) turn(PageRequest.FIRST.after(cursor));
      return page.hasNext();
    }

    @Override
    public T next() {
      if (!hasNext()) throw new NoSuchElementException();
      return page.next();
    }
  }
}
