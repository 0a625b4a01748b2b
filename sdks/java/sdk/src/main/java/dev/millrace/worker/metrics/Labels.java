// The labels of a sample, as Prometheus' text format has them.
package dev.millrace.worker.metrics;

final class Labels {
  private Labels() {}

  /** Names and values in turn. */
  static String of(String... namesAndValues) {
    StringBuilder labels = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2)
      labels
          .append(i == 0 ? "" : ",")
          .append(namesAndValues[i])
          .append("=\"")
          .append(escaped(namesAndValues[i + 1]))
          .append('"');
    return labels.toString();
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  static String braced(String... labels) {
    String joined =
        String.join(",", java.util.Arrays.stream(labels).filter(l -> !l.isEmpty()).toList());
    return joined.isEmpty() ? "" : "{" + joined + "}";
  }
}
