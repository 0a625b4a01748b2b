// What a lane remembers, what it may commit, and what is said where the library is missing.
package dev.millrace.internal.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kafka.Kafka;
import dev.millrace.support.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KafkaPartsTest {
  @Test
  @DisplayName("C-112: ids are remembered for ten minutes and swept each quarter of that")
  void forgets() {
    ManualClock clock = new ManualClock();
    SeenIds seen = new SeenIds(clock);
    seen.add("a");
    clock.advance(599_000);
    assertTrue(seen.contains("a"));
    clock.advance(2_000);
    assertFalse(seen.contains("a"));
    seen.add("b");
    assertEquals(1, seen.size());
  }

  @Test
  @DisplayName("C-94: a position is the lowest open offset")
  void positions() {
    Tenure tenure = new Tenure(null, 0);
    assertEquals(OptionalLong.empty(), tenure.position());
    for (long offset : new long[] {5, 6, 9}) tenure.received(offset);
    tenure.handled(6);
    assertEquals(OptionalLong.of(5), tenure.position());
    tenure.handled(5);
    assertEquals(OptionalLong.of(9), tenure.position());
    tenure.handled(9);
    assertEquals(OptionalLong.of(10), tenure.position());
  }

  @Test
  @DisplayName("C-95: settings that would be ignored or fall back to plaintext are refused")
  void refusesHalfSettings() {
    Path file = Path.of("ca.pem");
    assertThrows(IllegalArgumentException.class, () -> Kafka.plaintext(" "));
    assertThrows(IllegalArgumentException.class, () -> Kafka.saslScramTls("b:1", "me", ""));
    assertThrows(IllegalArgumentException.class, () -> Kafka.saslScramTls("b:1", null, "p"));
    Kafka plain = Kafka.plaintext("b:1");
    assertThrows(IllegalArgumentException.class, () -> plain.withTrustedCertificates(file));
    Kafka secured = Kafka.saslScramTls("b:1", "me", "p\"w\\");
    assertThrows(IllegalArgumentException.class, () -> secured.withMechanism("PLAIN"));
    assertFalse(secured.toString().contains("p\""));
    Map<String, Object> config = ConsumerSettings.of(secured, "t", "w", 5);
    assertEquals("SASL_SSL", config.get("security.protocol"));
    assertTrue(((String) config.get("sasl.jaas.config")).endsWith("password=\"p\\\"w\\\\\";"));
    assertEquals("PLAINTEXT", ConsumerSettings.of(plain, "t", "w", 5).get("security.protocol"));
  }

  @Test
  @DisplayName("C-112: without kafka-clients the error names the dependency")
  void namesTheDependency() throws Exception {
    URL own = KafkaLibrary.class.getProtectionDomain().getCodeSource().getLocation();
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader alone = new URLClassLoader(new URL[] {own}, platform)) {
      Method check = alone.loadClass(KafkaLibrary.class.getName()).getMethod("check");
      var failed = assertThrows(InvocationTargetException.class, () -> check.invoke(null));
      assertInstanceOf(IllegalStateException.class, failed.getCause());
      assertTrue(failed.getCause().getMessage().contains("dev.millrace:millrace-kafka:"));
    }
  }
}
