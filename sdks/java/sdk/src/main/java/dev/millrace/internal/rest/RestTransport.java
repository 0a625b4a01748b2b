// Calls over REST.
package dev.millrace.internal.rest;

import dev.millrace.error.TransportException;
import dev.millrace.internal.Addresses;
import dev.millrace.internal.Advice;
import dev.millrace.internal.Call;
import dev.millrace.internal.CallHeaders;
import dev.millrace.internal.ClientSettings;
import dev.millrace.internal.Json;
import dev.millrace.internal.Operation;
import dev.millrace.internal.Repeater;
import dev.millrace.internal.ServerVersion;
import dev.millrace.internal.SnakeCase;
import dev.millrace.internal.Transport;
import dev.millrace.internal.Warnings;
import dev.millrace.job.JobStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** JSON in and out; kept-alive connections of {@code java.net.http}. */
public final class RestTransport implements Transport {
  private final ClientSettings settings;
  private final List<URI> urls;
  private final CallHeaders headers;
  private final Repeater<URI> repeater;
  private final HttpSender sender;

  public RestTransport(ClientSettings settings, List<URI> urls) {
    this(settings, urls, new HttpSender(settings.trustedCertificates()));
  }

  private RestTransport(ClientSettings settings, List<URI> urls, HttpSender sender) {
    this.settings = settings;
    this.urls = urls;
    this.headers = new CallHeaders(settings);
    this.repeater = new Repeater<>(settings, new Addresses<>(urls));
    this.sender = sender;
  }

  @Override
  public List<Transport> each() {
    return urls.stream()
        .<Transport>map(url -> new RestTransport(settings, List.of(url), sender))
        .toList();
  }

  @Override
  public boolean has(Operation operation) {
    return true;
  }

  @Override
  public Object call(Call call) {
    RestRequest request = RestRequest.of(call);
    Map<String, String> sent = headers.of(call);
    boolean keyed = sent.containsKey(CallHeaders.IDEMPOTENCY_KEY);
    return repeater.run(call, keyed, (address, timeout) -> send(address, request, sent, timeout));
  }

  private Object send(
      URI address, RestRequest request, Map<String, String> sent, Duration timeout) {
    HttpResponse<String> response = sender.send(address, request, sent, timeout);
    String version = response.headers().firstValue(ServerVersion.HEADER).orElse(null);
    ServerVersion.check(version);
    Warnings.log(request.operation(), response.headers().allValues("warning"));
    boolean hasKey = sent.containsKey(CallHeaders.AUTHORIZATION);
    if (response.statusCode() / 100 != 2)
      throw RestErrors.read(
          response, new Advice.Refused(address.toString(), request.line(), version, hasKey));
    return parse(request, response);
  }

  private static Object parse(RestRequest request, HttpResponse<String> response) {
    if (response.statusCode() == 204 || response.body().isEmpty()) return null;
    try {
      Object answer = Json.read(response.body());
      return request.operation().isSnakeCase() ? SnakeCase.toCamel(answer) : answer;
    } catch (IllegalArgumentException notJson) {
      throw new TransportException(
          TransportException.Kind.MALFORMED,
          "the answer to " + request.line() + " is not JSON: is this the address of an engine?",
          notJson);
    }
  }

  @Override
  public boolean hasStream() {
    return false;
  }

  @Override
  public JobStream stream(JobStream.Opening opening, JobStream.Listener listener) {
    throw new UnsupportedOperationException(
        "jobs are streamed over gRPC only: use a grpc:// or grpcs:// address, or another mode");
  }

  @Override
  public void close() {
    sender.close();
  }
}
