// One call to the engine, whichever way it travels.
package dev.millrace.internal;

import dev.millrace.CallOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An operation with its arguments.
 *
 * @param arguments flat, see {@link Operation}
 * @param held how long the engine may hold the answer on purpose
 * @param options the caller's
 */
public record Call(
    Operation operation, Map<String, Object> arguments, Duration held, CallOptions options) {
  /** Names and values in turn; null values are left out. */
  public static Map<String, Object> arguments(Object... namesAndValues) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2)
      if (namesAndValues[i + 1] != null)
        arguments.put((String) namesAndValues[i], Records.write(namesAndValues[i + 1]));
    return arguments;
  }

  /** Of an exchange: whether it asks for jobs. A lost answer would lose what it claimed. */
  public boolean claims() {
    return operation == Operation.POLL || arguments.containsKey("poll");
  }

  public Call with(CallOptions other) {
    return new Call(operation, arguments, held, other);
  }
}
