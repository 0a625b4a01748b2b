// The headers of a call, which are its metadata on gRPC.
package dev.millrace.internal;

import dev.millrace.CallOptions;
import dev.millrace.SdkVersion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Made once for a call: its repeats carry the same key. */
public final class CallHeaders {
  public static final String IDEMPOTENCY_KEY = "idempotency-key";
  public static final String AUTHORIZATION = "authorization";

  private final ClientSettings settings;

  public CallHeaders(ClientSettings settings) {
    this.settings = settings;
  }

  public Map<String, String> of(Call call) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("user-agent", SdkVersion.userAgent());
    if (settings.apiKey() != null) headers.put(AUTHORIZATION, "Bearer " + settings.apiKey());
    String key = keyOf(call);
    if (key != null) headers.put(IDEMPOTENCY_KEY, key);
    if (!call.operation().isWorkers()) trace(headers);
    return headers;
  }

  /** Of a stream: it carries no key and no trace. */
  public Map<String, String> ofStream() {
    return of(new Call(Operation.POLL, Map.of(), java.time.Duration.ZERO, CallOptions.NONE));
  }

  private String keyOf(Call call) {
    if (!call.operation().takesKey()) return null;
    String given = call.options().idempotencyKey();
    if (given != null) return given;
    return settings.autoIdempotencyKeys() ? UUID.randomUUID().toString() : null;
  }

  private void trace(Map<String, String> headers) {
    settings
        .traceContext()
        .get()
        .ifPresent(
            context -> {
              headers.put("traceparent", context.traceparent());
              if (context.tracestate() != null) headers.put("tracestate", context.tracestate());
            });
  }
}
