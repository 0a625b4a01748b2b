// An error as the control protocol tells it.
package dev.millrace.conformance;

import dev.millrace.error.EngineException;
import dev.millrace.error.MillraceException;
import dev.millrace.error.TransportException;
import java.util.LinkedHashMap;
import java.util.Map;

final class Errors {
  private Errors() {}

  /** What never was the engine's has the code {@code client}. */
  static Map<String, Object> describe(Throwable failure) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("code", code(failure));
    error.put("message", String.valueOf(failure.getMessage()));
    error.put("retryable", failure instanceof MillraceException known && known.retryable());
    if (!(failure instanceof MillraceException)) failure.printStackTrace();
    return error;
  }

  private static String code(Throwable failure) {
    if (failure instanceof EngineException refused) return refused.code();
    return failure instanceof TransportException ? "unavailable" : "client";
  }
}
