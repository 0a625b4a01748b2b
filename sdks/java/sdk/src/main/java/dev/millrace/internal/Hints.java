// What to do about a connection that does not come about: the usual mistakes, by what they look
// like.
package dev.millrace.internal;

import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import javax.net.ssl.SSLException;

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
    if (has(cause, SSLException.class)) return ": " + text(cause) + tlsHint(cause, "http://");
    return ": " + text(cause) + (isTls(address) ? "" : restHint());
  }

  private static String restHint() {
    return "; an engine with TLS needs https://, and its gRPC port needs grpc://";
  }

  /** For gRPC, by what the channel says. */
  public static String forGrpc(String said) {
    if (said.contains("First received frame was not SETTINGS"))
      return ": this is not a gRPC port; the engine serves gRPC on 9090 unless set otherwise, and"
          + " REST needs http://";
    if (said.contains("not an SSL/TLS record"))
      return ": it does not speak TLS; use grpc:// instead of grpcs://";
    if (said.contains("Network closed for unknown reason") || said.contains("Connection reset"))
      return ": the connection was closed; an engine with TLS needs grpcs://";
    if (said.contains("PKIX") || said.contains("SSLHandshake")) return tlsHint(null, "grpc://");
    return "";
  }

  private static String tlsHint(Throwable cause, String plain) {
    if (cause != null && text(cause).contains("recognized SSL message"))
      return "; it does not speak TLS: use " + plain;
    return "; where the engine's certificate is your own, name its authority with"
        + " trustedCertificates(path)";
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
