// Which Kafka a runner reads from, and how it gets in.
package dev.millrace.kafka;

import java.nio.file.Path;
import java.util.Set;

/**
 * Where the brokers are and how a worker gets in. No transport is the default, and none falls back
 * to plaintext.
 *
 * @param brokers some of them, such as {@code kafka-1:9093,kafka-2:9093}; they tell of the others
 * @param username null with plaintext, as is the password
 * @param certificates a file in PEM with the authority of the brokers' certificates; null for those
 *     that Java trusts
 */
public record Kafka(
    String brokers,
    Transport transport,
    String username,
    String password,
    String mechanism,
    Path certificates) {
  private static final Set<String> MECHANISMS = Set.of("SCRAM-SHA-512", "SCRAM-SHA-256");

  /** How the brokers are spoken to. */
  public enum Transport {
    PLAINTEXT,
    /** TLS and a password. */
    SASL_SCRAM_TLS
  }

  public Kafka {
    if (brokers == null || brokers.isBlank())
      throw new IllegalArgumentException("brokers are needed, such as kafka-1:9093,kafka-2:9093");
    boolean secured = transport == Transport.SASL_SCRAM_TLS;
    if (secured && (isEmpty(username) || isEmpty(password)))
      throw new IllegalArgumentException("SASL_SCRAM_TLS needs a username and a password");
    if (secured && !MECHANISMS.contains(mechanism))
      throw new IllegalArgumentException("the mechanism is SCRAM-SHA-512 or SCRAM-SHA-256");
    if (!secured && (username != null || password != null || certificates != null))
      throw new IllegalArgumentException(
          "a username, a password and certificates are for SASL_SCRAM_TLS, not for PLAINTEXT");
  }

  /** Without TLS and password: for a network that is your own. */
  public static Kafka plaintext(String brokers) {
    return new Kafka(brokers, Transport.PLAINTEXT, null, null, null, null);
  }

  /** TLS, and a password by SCRAM-SHA-512. */
  public static Kafka saslScramTls(String brokers, String username, String password) {
    return new Kafka(brokers, Transport.SASL_SCRAM_TLS, username, password, "SCRAM-SHA-512", null);
  }

  /** SCRAM-SHA-512 or SCRAM-SHA-256. */
  public Kafka withMechanism(String mechanism) {
    return new Kafka(brokers, transport, username, password, mechanism, certificates);
  }

  /** A file in PEM with the authority of the brokers' certificates. */
  public Kafka withTrustedCertificates(Path certificates) {
    return new Kafka(brokers, transport, username, password, mechanism, certificates);
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "Kafka[" + brokers + ", " + transport + "]";
  }
}
