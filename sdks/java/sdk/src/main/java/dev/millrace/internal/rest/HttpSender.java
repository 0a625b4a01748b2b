// One HTTP request and its answer. It knows nothing of JSON, repeats or codes.
package dev.millrace.internal.rest;

import dev.millrace.error.CallInterruptedException;
import dev.millrace.error.TransportException;
import dev.millrace.error.TransportException.Kind;
import dev.millrace.internal.Hints;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class HttpSender implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final HttpClient client;
  private volatile boolean closed;

  HttpSender(byte[] trustedCertificates) {
    // An upgrade to HTTP/2 would be asked for with every request in plaintext, for nothing.
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT);
    if (trustedCertificates != null) builder.sslContext(Trust.in(trustedCertificates));
    this.client = builder.build();
  }

  HttpResponse<String> send(
      URI address, RestRequest request, Map<String, String> headers, Duration timeout) {
    if (closed) throw new IllegalStateException("this client is closed");
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(
            httpRequest(address, request, headers),
            HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      answer.cancel(true);
      throw new TransportException(
          Kind.TIMEOUT, "no answer to " + request.line() + " within " + timeout, late);
    } catch (InterruptedException interrupted) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new CallInterruptedException("interrupted during " + request.line(), interrupted);
    } catch (ExecutionException failed) {
      throw explain(failed.getCause(), address, request);
    }
  }

  private static HttpRequest httpRequest(
      URI address, RestRequest request, Map<String, String> headers) {
    String prefix = address.toString().replaceAll("/+$", "");
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(prefix + request.target()));
    headers.forEach(builder::header);
    builder.header("accept", "application/json");
    if (request.body() == null)
      return builder
          .method(request.operation().method(), HttpRequest.BodyPublishers.noBody())
          .build();
    return builder
        .header("content-type", "application/json")
        .method(request.operation().method(), HttpRequest.BodyPublishers.ofString(request.body()))
        .build();
  }

  private static TransportException explain(Throwable cause, URI address, RestRequest request) {
    String hint = Hints.forRest(address, cause);
    if (Hints.isUnsent(cause))
      return new TransportException(
          Kind.UNREACHABLE, "no connection to " + address + " for " + request.line() + hint, cause);
    return new TransportException(
        Kind.INTERRUPTED,
        "the connection to " + address + " broke during " + request.line() + hint,
        cause);
  }

  @Override
  public void close() {
    closed = true;
  }
}
