// How often values fell below each bound, by labels.
package dev.millrace.worker.metrics;

import java.util.Map;
import java.util.TreeMap;

final class Histogram {
  private final String name;
  private final String help;
  private final double[] bounds;
  private final Map<String, Series> series = new TreeMap<>();

  Histogram(String name, String help, double[] bounds) {
    this.name = name;
    this.help = help;
    this.bounds = bounds;
  }

  private final class Series {
    final long[] below = new long[bounds.length];
    long count;
    double sum;

    void observe(double value) {
      for (int i = 0; i < bounds.length; i++) if (value <= bounds[i]) below[i]++;
      count++;
      sum += value;
    }
  }

  synchronized void observe(String labels, double value) {
    series.computeIfAbsent(labels, l -> new Series()).observe(value);
  }

  synchronized String text() {
    StringBuilder text = new StringBuilder();
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(" histogram\n");
    series.forEach((labels, values) -> append(text, labels, values));
    return text.toString();
  }

  private void append(StringBuilder text, String labels, Series values) {
    for (int i = 0; i < bounds.length; i++)
      line(text, "_bucket", Labels.braced(labels, bound(bounds[i])), values.below[i]);
    line(text, "_bucket", Labels.braced(labels, Labels.of("le", "+Inf")), values.count);
    line(text, "_sum", Labels.braced(labels), values.sum);
    line(text, "_count", Labels.braced(labels), values.count);
  }

  private static String bound(double bound) {
    boolean whole = bound == Math.rint(bound);
    return Labels.of("le", whole ? String.valueOf((long) bound) : String.valueOf(bound));
  }

  private void line(StringBuilder text, String suffix, String labels, Object value) {
    text.append(name).append(suffix).append(labels).append(' ').append(value).append('\n');
  }
}
