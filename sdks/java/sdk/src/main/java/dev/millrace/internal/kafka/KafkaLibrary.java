// Says what is missing where the optional libraries of Kafka are not there.
package dev.millrace.internal.kafka;

import dev.millrace.SdkVersion;

public final class KafkaLibrary {
  private KafkaLibrary() {}

  /** Loads what a runner will need, so that it fails where it is built and not where it runs. */
  public static void check() {
    try {
      ConsumerSettings.load();
      Dispatch.load();
    } catch (LinkageError missing) {
      throw new IllegalStateException(
          "KafkaRunner needs org.apache.kafka:kafka-clients 4.x and protobuf-java 4.33.0 or a newer"
              + " 4.x, which are optional and not on the class path in these versions ("
              + missing
              + "): depend on dev.millrace:millrace-kafka:"
              + SdkVersion.get()
              + ", which brings both, beside dev.millrace:millrace-sdk or instead of it",
          missing);
    }
  }
}
