// Turns a refusing HTTP answer into an exception, also when a proxy and not the engine wrote it.
package dev.millrace.internal.rest;

import dev.millrace.error.EngineException;
import dev.millrace.error.EngineException.Refusal;
import dev.millrace.error.Violation;
import dev.millrace.internal.Advice;
import dev.millrace.internal.Json;
import dev.millrace.internal.Records;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

final class RestErrors {
  private RestErrors() {}

  /** The envelope, of which a stranger's answer may have nothing. */
  record Envelope(String error, String message, String requestId, List<Violation> details) {}

  static EngineException read(HttpResponse<String> response, Advice.Refused refused) {
    Envelope envelope = readEnvelope(response.body());
    int status = response.statusCode();
    return Advice.on(
        new Refusal(
            textOr(envelope.error(), "http-" + status),
            status,
            textOr(envelope.message(), "the engine answered " + status),
            envelope.requestId(),
            envelope.details(),
            retryAfter(response.headers().firstValue("retry-after").orElse(""))),
        refused);
  }

  private static Envelope readEnvelope(String body) {
    try {
      return Records.read(Envelope.class, Json.read(body));
    } catch (IllegalArgumentException notTheEngines) {
      return new Envelope(null, null, null, List.of());
    }
  }

  private static String textOr(String text, String otherwise) {
    return text == null || text.isEmpty() ? otherwise : text;
  }

  /** Seconds; the date form, which proxies may send, is not worth a clock. */
  private static Duration retryAfter(String header) {
    try {
      double seconds = Double.parseDouble(header);
      return seconds >= 0 ? Duration.ofMillis((long) (seconds * 1000)) : null;
    } catch (NumberFormatException notSeconds) {
      return null;
    }
  }
}
