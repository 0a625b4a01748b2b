// The addresses of one engine's replicas, and which of them is used.
package dev.millrace.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls stay with one address until it fails them; then all go on to the next. */
public final class Addresses<A> {
  private final List<A> all;
  private final AtomicInteger current = new AtomicInteger();

  public Addresses(List<A> all) {
    if (all.isEmpty()) throw new IllegalArgumentException("an address is needed");
    this.all = List.copyOf(all);
  }

  public A current() {
    return all.get(current.get());
  }

  /** Goes on to the next, unless another call did so before. */
  public void leave(A failed) {
    int index = all.indexOf(failed);
    current.compareAndSet(index, (index + 1) % all.size());
  }

  public int size() {
    return all.size();
  }

  public List<A> all() {
    return all;
  }
}
