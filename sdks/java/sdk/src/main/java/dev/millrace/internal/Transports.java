// Chooses the way to an engine by the scheme of its address.
package dev.millrace.internal;

import dev.millrace.SdkVersion;
import dev.millrace.internal.grpc.GrpcTransport;
import dev.millrace.internal.rest.RestTransport;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

public final class Transports {
  private static final Set<String> REST = Set.of("http", "https");
  private static final Set<String> GRPC = Set.of("grpc", "grpcs");

  private Transports() {}

  /** Several are separated by commas; all must be of one scheme. */
  public static List<URI> addresses(String urls) {
    List<URI> addresses =
        Arrays.stream(urls.split(","))
            .map(String::trim)
            .filter(url -> !url.isEmpty())
            .map(Transports::address)
            .toList();
    if (addresses.isEmpty()) throw new IllegalArgumentException("an address is needed");
    if (addresses.stream().map(URI::getScheme).distinct().count() > 1)
      throw new IllegalArgumentException("the addresses must have one scheme: " + urls);
    return addresses;
  }

  private static URI address(String url) {
    URI address = URI.create(url);
    String scheme = address.getScheme();
    boolean known = scheme != null && (REST.contains(scheme) || GRPC.contains(scheme));
    if (known && address.getHost() != null) return address;
    throw new IllegalArgumentException(
        "\""
            + url
            + "\" is not an engine's address, such as http://127.0.0.1:8080 or"
            + " grpc://127.0.0.1:9090");
  }

  public static Transport open(ClientSettings settings) {
    if (REST.contains(settings.urls().get(0).getScheme()))
      return new RestTransport(settings, settings.urls());
    return openGrpc(settings);
  }

  /** Null where none was named, or the client speaks REST anyhow. */
  public static Transport openRestBeside(ClientSettings settings) {
    if (settings.restUrls().isEmpty()) return null;
    if (!REST.contains(settings.restUrls().get(0).getScheme()))
      throw new IllegalArgumentException("restUrl must be an http or https address");
    return new RestTransport(settings, settings.restUrls());
  }

  private static Transport openGrpc(ClientSettings settings) {
    try {
      return GrpcTransport.open(settings);
    } catch (LinkageError missing) {
      throw new IllegalStateException(
          "grpc:// needs grpc-java 1.76 or newer and protobuf-java 4.33.0 or a newer 4.x, which are"
              + " optional and not on the class path in these versions ("
              + missing
              + "): depend on dev.millrace:millrace-grpc:"
              + SdkVersion.get()
              + ", which brings both, beside dev.millrace:millrace-sdk or instead of it. Where it is"
              + " there, another dependency holds protobuf-java down: name"
              + " com.google.protobuf:protobuf-java:4.33.0 in your own project",
          missing);
    }
  }
}
