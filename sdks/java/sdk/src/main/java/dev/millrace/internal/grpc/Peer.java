// One address of an engine, and the channel to it.
package dev.millrace.internal.grpc;

import dev.millrace.SdkVersion;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Connects on first use. */
final class Peer {
  private static final int DEFAULT_PORT = 9090;

  private final String address;
  private final ManagedChannel channel;

  Peer(String address, ManagedChannel channel) {
    this.address = address;
    this.channel = channel;
  }

  static Peer connect(URI url, byte[] trusted) {
    int port = url.getPort() < 0 ? DEFAULT_PORT : url.getPort();
    ChannelCredentials credentials =
        url.getScheme().equals("grpcs") ? tls(trusted) : InsecureChannelCredentials.create();
    // A connection that stands still is broken within half of the usual lease.
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress(url.getHost(), port, credentials)
            .userAgent(SdkVersion.userAgent())
            .keepAliveTime(10, TimeUnit.SECONDS)
            .keepAliveTimeout(5, TimeUnit.SECONDS)
            .build();
    return new Peer(url.toString(), channel);
  }

  private static ChannelCredentials tls(byte[] trusted) {
    if (trusted == null) return TlsChannelCredentials.create();
    try {
      return TlsChannelCredentials.newBuilder()
          .trustManager(new ByteArrayInputStream(trusted))
          .build();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** With these headers on what is sent, and a note of what comes beside the answer. */
  Channel channel(Map<String, String> sent, AnswerMetadata answered) {
    if (channel.isShutdown()) throw new IllegalStateException("this client is closed");
    // The channel's own pause between tries grows to two minutes; who calls has paused already.
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE)
      channel.resetConnectBackoff();
    return ClientInterceptors.intercept(
        channel,
        MetadataUtils.newAttachHeadersInterceptor(metadata(sent)),
        MetadataUtils.newCaptureMetadataInterceptor(answered.headers(), answered.trailers()));
  }

  private static Metadata metadata(Map<String, String> sent) {
    Metadata metadata = new Metadata();
    sent.forEach(
        (name, value) -> {
          // The channel has its own way to say this.
          if (!name.equals("user-agent"))
            metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
        });
    return metadata;
  }

  void close() {
    channel.shutdownNow();
  }

  @Override
  public String toString() {
    return address;
  }
}
