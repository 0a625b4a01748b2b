// What to do about a connection that does not come about: the usual mistakes, by what they look
// like.
package dev.millrace.internal;

import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

public final class Hints {
  private Hints() {}

  /** Begins with a colon, to be put behind a message. */
  public static String forRest(URI address, Throwable cause) {
    if (has(cause, UnknownHostException.class) || isUnresolved(cause))
      return ": the name of the host is not known";
    if (has(cause, HttpConnectTimeoutException.class))
      return ": the connection did not come about in time; check the host and the port"
          + (isTls(address) ? ", and that it speaks TLS (else use http://)" : "");
    if (has(cause, ConnectException.class))
      return ": nothing listens there; is the engine running, and is this its REST port (8080"
          + " unless set otherwise)?";
    if (has(cause, SSLException.class)) return tlsHint(text(cause), "http://");
    if (text(cause).contains("parsing HTTP/1.1"))
      return ": it does not speak HTTP/1.1; REST is on 8080 unless set otherwise, and the gRPC port"
          + " needs grpc://";
    return ": " + text(cause) + (isTls(address) ? "" : restHint());
  }

  /** Whether the request cannot have left: there was no connection, or none that was agreed on. */
  public static boolean isUnsent(Throwable cause) {
    return has(cause, ConnectException.class)
        || has(cause, HttpConnectTimeoutException.class)
        || has(cause, SSLHandshakeException.class)
        || (has(cause, SSLException.class) && isPlaintext(text(cause)));
  }

  private static String restHint() {
    return "; an engine with TLS needs https://, and its gRPC port needs grpc://";
  }

  /** For gRPC, by what the channel says; empty where that says enough. */
  public static String forGrpc(String said) {
    if (said.contains("UnknownHost") || said.contains("Unable to resolve host"))
      return ": the name of the host is not known";
    if (said.contains("First received frame was not SETTINGS"))
      return ": this is not a gRPC port; the engine serves gRPC on 9090 unless set otherwise, and"
          + " REST needs http://";
    if (said.contains("ALPN") || said.contains("APPLICATION_PROTOCOL"))
      return ": this is not a gRPC port; the engine serves gRPC on 9090 unless set otherwise, and"
          + " REST needs https://";
    if (isCut(said))
      return ": the connection was closed; an engine with TLS needs grpcs://, and REST https://";
    if (isPlaintext(said)
        || said.contains("PKIX")
        || said.contains("SSLHandshake")
        || isMisnamed(said)) return tlsHint(said, "grpc://");
    return "";
  }

  /**
   * So does TLS answer plaintext, and so does an engine end that is killed, perhaps after it has
   * done what it was asked for.
   */
  public static boolean isCut(String said) {
    return said.contains("Network closed for unknown reason") || said.contains("Connection reset");
  }

  private static String tlsHint(String said, String plain) {
    if (isPlaintext(said)) return ": it does not speak TLS; use " + plain;
    if (isMisnamed(said))
      return ": its certificate is for another name; use a name that it has in the address";
    return ": the certificate is not trusted"
        + (said.contains("PKIX") ? "" : " (" + said + ")")
        + "; where it is your own, name its authority with trustedCertificates(path)";
  }

  /** How Java and OpenSSL say that the answer was no TLS. */
  private static boolean isPlaintext(String said) {
    return said.contains("recognized SSL message") || said.contains("not an SSL/TLS record");
  }

  private static boolean isMisnamed(String said) {
    return said.contains("No subject alternative") || said.contains("No name matching");
  }

  private static boolean isTls(URI address) {
    return "https".equals(address.getScheme());
  }

  /** How {@code java.net.http} says that a name has no address. */
  private static boolean isUnresolved(Throwable cause) {
    return has(cause, java.nio.channels.UnresolvedAddressException.class);
  }

  private static boolean has(Throwable cause, Class<? extends Throwable> type) {
    for (Throwable at = cause; at != null; at = at.getCause()) if (type.isInstance(at)) return true;
    return false;
  }

  private static String text(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }
}
