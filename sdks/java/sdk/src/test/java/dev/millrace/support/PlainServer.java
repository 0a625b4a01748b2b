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
    this.words = words.getBytes(StandardCharsets.UTF_8);
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
    Thread thread = new Thread(this::serve);
    thread.setDaemon(true);
    thread.start();
  }

  public String url(String scheme) {
    return scheme + "://127.0.0.1:" + server.getLocalPort();
  }

  private void serve() {
    try {
      while (true)
        try (Socket socket = server.accept()) {
          socket.getInputStream().read(new byte[1024]);
          socket.getOutputStream().write(words);
        }
    } catch (IOException closed) {
      // The test is over.
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
