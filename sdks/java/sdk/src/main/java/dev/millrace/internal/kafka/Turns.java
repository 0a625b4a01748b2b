// Messages of one key wait for their turn: only the first of a line may run.
package dev.millrace.internal.kafka;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

final class Turns {
  private final Map<Object, ArrayDeque<Delivery>> lines = new HashMap<>();

  /** True when it is its turn at once. */
  boolean join(Delivery delivery) {
    ArrayDeque<Delivery> line = lines.computeIfAbsent(delivery.key, key -> new ArrayDeque<>());
    line.add(delivery);
    return line.size() == 1;
  }

  /** The first of the line is done: whose turn it is now, or null. */
  Delivery leave(Delivery first) {
    ArrayDeque<Delivery> line = lines.get(first.key);
    line.remove();
    if (line.isEmpty()) lines.remove(first.key);
    return line.peek();
  }
}
