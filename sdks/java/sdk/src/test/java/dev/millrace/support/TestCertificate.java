// A certificate of the tests, signed by itself, made by the JDK's own keytool.
package dev.millrace.support;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

public final class TestCertificate {
  private static final String PASSWORD = "of-the-tests";
  private static final String ALIAS = "engine";

  private final Path folder;
  private final KeyStore store;

  /** {@code name} is a subject alternative name, such as {@code ip:127.0.0.1}. */
  public TestCertificate(Path folder, String name) throws Exception {
    this.folder = folder;
    Path file = folder.resolve("store.p12");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair -keyalg EC -storetype PKCS12 -dname CN=engine -validity 2"
                .replace(' ', '\n'),
            "-alias\n" + ALIAS + "\n-ext\nsan=" + name,
            "-storepass\n" + PASSWORD + "\n-keystore\n" + file);
    List<String> words = command.stream().flatMap(part -> part.lines()).toList();
    Process keytool = new ProcessBuilder(words).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes());
    if (keytool.waitFor() != 0) throw new AssertionError(said);
    store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
  }

  /** The certificate as PEM, which is its own authority. */
  public Path certificate() throws GeneralSecurityException, IOException {
    return pem("certificate.pem", "CERTIFICATE", store.getCertificate(ALIAS).getEncoded());
  }

  public Path key() throws GeneralSecurityException, IOException {
    byte[] key = store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
    return pem("key.pem", "PRIVATE KEY", key);
  }

  private Path pem(String file, String kind, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String text = "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
    return Files.writeString(folder.resolve(file), text);
  }

  /** A server socket on loopback that shows this certificate. */
  public ServerSocket listen() throws GeneralSecurityException, IOException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context
        .getServerSocketFactory()
        .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }
}
