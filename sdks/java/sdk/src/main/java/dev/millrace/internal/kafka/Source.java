// A consumer of one topic, as the lane sees it.
package dev.millrace.internal.kafka;

import java.util.OptionalLong;

public interface Source {
  String topic();

  void start();

  /** One message less is here; {@code position} may be committed. */
  void handled(int partition, OptionalLong position);

  /** No more messages; it stays in its group, and commits. */
  void rest();

  /** Leaves its group. */
  void close();
}
