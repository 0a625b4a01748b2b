// The time for which this worker has a partition: which messages are handled, and up to where it
// may be committed.
package dev.millrace.internal.kafka;

import java.util.LinkedHashSet;
import java.util.OptionalLong;

/** Messages end in any order; committed is the lowest that is not handled. */
final class Tenure {
  final Source source;
  final int partition;

  /** No handler is started for its messages any more. */
  boolean closing;

  /** The partition is another worker's: nothing of it is committed any more. */
  boolean over;

  private final LinkedHashSet<Long> open = new LinkedHashSet<>();
  private long next = -1;

  Tenure(Source source, int partition) {
    this.source = source;
    this.partition = partition;
  }

  void received(long offset) {
    open.add(offset);
    next = offset + 1;
  }

  void handled(long offset) {
    open.remove(offset);
  }

  /** From where the next owner goes on; empty before the first message. */
  OptionalLong position() {
    if (!open.isEmpty()) return OptionalLong.of(open.iterator().next());
    return next < 0 ? OptionalLong.empty() : OptionalLong.of(next);
  }
}
