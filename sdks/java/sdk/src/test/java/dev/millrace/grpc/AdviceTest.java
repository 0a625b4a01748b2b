// Errors that say what to do next, over real sockets: a wrong port, plaintext and TLS the wrong way
// round, a certificate that is not trusted.
package dev.millrace.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.EngineClient;
import dev.millrace.EngineClientBuilder;
import dev.millrace.error.EngineException;
import dev.millrace.error.MillraceException;
import dev.millrace.error.TransportException;
import dev.millrace.support.PlainServer;
import dev.millrace.support.ScriptedEngine;
import dev.millrace.support.TestCertificate;
import io.grpc.TlsServerCredentials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdviceTest {
  private static final String NOT_FOUND =
      "HTTP/1.1 404 Not Found\r\nMillrace-Version: 0.1.0\r\nContent-Length: 0\r\n"
          + "Connection: close\r\n\r\n";

  @TempDir static Path folder;

  private static TestCertificate certificate;
  private PlainServer tlsRest;
  private FakeService tlsGrpc;
  private final ScriptedEngine rest = new ScriptedEngine();
  private final FakeService grpc = new FakeService();

  @BeforeAll
  static void certify() throws Exception {
    certificate = new TestCertificate(folder, "ip:127.0.0.1");
  }

  @BeforeEach
  void start() throws Exception {
    tlsRest = new PlainServer(certificate.listen(), NOT_FOUND);
    tlsGrpc =
        new FakeService(
            TlsServerCredentials.create(
                certificate.certificate().toFile(), certificate.key().toFile()));
  }

  @AfterEach
  void end() {
    tlsRest.close();
    tlsGrpc.close();
    rest.close();
    grpc.close();
  }

  private static MillraceException failure(EngineClientBuilder builder) {
    try (EngineClient client = builder.maxAttempts(1).build()) {
      return assertThrows(MillraceException.class, () -> client.getInstance("i"));
    }
  }

  /** Nothing was sent, so that the next address may be tried whatever the call is. */
  private static void assertUnsent(String advice, String url) {
    TransportException failed = (TransportException) failure(EngineClient.builder(url));
    assertTrue(failed.getMessage().contains(advice), failed.getMessage());
    assertEquals(TransportException.Kind.UNREACHABLE, failed.kind(), failed.getMessage());
  }

  private static String at(String scheme, String url) {
    return scheme + url.substring(url.indexOf(':'));
  }

  @Test
  @DisplayName("C-104: REST at the gRPC port: use grpc://")
  void restAtGrpc() {
    MillraceException failed = failure(EngineClient.builder(at("http", grpc.url())));
    assertTrue(failed.getMessage().contains("it does not speak HTTP/1.1"), failed.getMessage());
    assertTrue(failed.getMessage().contains("needs grpc://"), failed.getMessage());
    assertFalse(failed.getMessage().contains("\u0000"), "what the port said is not text");
  }

  @Test
  @DisplayName("C-104: gRPC at the REST port: use http://")
  void grpcAtRest() {
    assertUnsent("REST needs http://", at("grpc", rest.url()));
  }

  @Test
  @DisplayName("C-104: plaintext against TLS: use https:// or grpcs://")
  void plaintextAgainstTls() {
    MillraceException failed = failure(EngineClient.builder(tlsRest.url("http")));
    assertTrue(failed.getMessage().contains("needs https://"), failed.getMessage());
    MillraceException cut = failure(EngineClient.builder(at("grpc", tlsGrpc.url())));
    assertTrue(cut.getMessage().contains("needs grpcs://"), cut.getMessage());
  }

  @Test
  @DisplayName("C-111: a connection that is cut may have had its effect, on both wires")
  void cut() {
    try (PlainServer killed = new PlainServer("")) {
      for (String scheme : List.of("http", "grpc")) {
        MillraceException failed = failure(EngineClient.builder(killed.url(scheme)));
        TransportException.Kind kind = ((TransportException) failed).kind();
        assertEquals(TransportException.Kind.INTERRUPTED, kind, failed.getMessage());
      }
    }
  }

  @Test
  @DisplayName("C-104: TLS against plaintext: use http:// or grpc://")
  void tlsAgainstPlaintext() {
    assertUnsent("use http://", at("https", rest.url()));
    assertUnsent("use grpc://", at("grpcs", grpc.url()));
  }

  @Test
  @DisplayName("C-104: a certificate that is not trusted: name its authority")
  void untrusted() {
    assertUnsent("trustedCertificates(path)", tlsRest.url("https"));
    assertUnsent("trustedCertificates(path)", at("grpcs", tlsGrpc.url()));
  }

  @Test
  @DisplayName("C-104: with its authority named, the certificate is trusted on both wires")
  void trusted() throws Exception {
    Path pem = certificate.certificate();
    MillraceException answered =
        failure(EngineClient.builder(tlsRest.url("https")).trustedCertificates(pem));
    assertEquals(404, ((EngineException) answered).status());
    try (EngineClient client =
        EngineClient.builder(at("grpcs", tlsGrpc.url())).trustedCertificates(pem).build()) {
      assertEquals("i", client.getInstance("i").id());
    }
  }

  @Test
  @DisplayName("C-104: a certificate for another name: use the name that it has")
  void otherName() throws Exception {
    TestCertificate other =
        new TestCertificate(Files.createDirectory(folder.resolve("other")), "dns:engine.test");
    try (PlainServer server = new PlainServer(other.listen(), NOT_FOUND)) {
      MillraceException failed =
          failure(
              EngineClient.builder(server.url("https")).trustedCertificates(other.certificate()));
      assertTrue(failed.getMessage().contains("is for another name"), failed.getMessage());
    }
  }

  @Test
  @DisplayName("C-104: gRPC at the REST port with TLS: use https://")
  void grpcAtRestWithTls() throws Exception {
    MillraceException failed =
        failure(
            EngineClient.builder(tlsRest.url("grpcs"))
                .trustedCertificates(certificate.certificate()));
    assertTrue(failed.getMessage().contains("REST needs https://"), failed.getMessage());
  }

  @Test
  @DisplayName("C-104: REST at the gRPC port with TLS is no matter of keys")
  void restAtGrpcWithTls() {
    rest.on("/v1/instances/i", r -> ScriptedEngine.Answer.of(403, null));
    MillraceException refused = failure(EngineClient.builder(rest.url()));
    assertTrue(refused.getMessage().contains("no answer of an engine"), refused.getMessage());
  }

  @Test
  @DisplayName("C-104: a host without an address, on both wires")
  void unknownHost() {
    assertUnsent("the name of the host is not known", "http://no.such.invalid:1");
    assertUnsent("the name of the host is not known", "grpc://no.such.invalid:1");
  }
}
