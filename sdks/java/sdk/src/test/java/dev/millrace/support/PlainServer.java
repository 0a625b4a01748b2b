// A server that says one thing to everyone that connects, and hangs up.
package dev.millrace.support;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

public final class PlainServer implements AutoCloseable {
  private final ServerSocket server;
  private final byte[] words;

  public PlainServer(String words) {
    this(listen(), words);
  }

  public PlainServer(ServerSocket server, String words) {
    this.server = server;
    this.words = words.getBytes(StandardCharsets.UTF_8);
    Thread thread = new Thread(this::serve);
    thread.setDaemon(true);
    thread.start();
  }

  private static ServerSocket listen() {
    try {
      return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  public String url(String scheme) {
    return scheme + "://127.0.0.1:" + server.getLocalPort();
  }

  private void serve() {
    while (!server.isClosed())
      try (Socket socket = server.accept()) {
        socket.getInputStream().read(new byte[1024]);
        socket.getOutputStream().write(words);
      } catch (IOException hungUp) {
        // The client has left, or the test is over.
      }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException ignored) {
      // It is closed all the same.
    }
  }
}
