// A count that only grows, by labels.
package dev.millrace.worker.metrics;

import java.util.Map;
import java.util.TreeMap;

final class Counter {
  private final String name;
  private final String help;
  private final Map<String, Long> counts = new TreeMap<>();

  Counter(String name, String help) {
    this.name = name;
    this.help = help;
  }

  synchronized void add(String labels, long more) {
    counts.merge(labels, more, Long::sum);
  }

  synchronized String text() {
    StringBuilder text = new StringBuilder();
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(" counter\n");
    counts.forEach(
        (labels, count) ->
            text.append(name).append(Labels.braced(labels)).append(' ').append(count).append('\n'));
    return text.toString();
  }
}
