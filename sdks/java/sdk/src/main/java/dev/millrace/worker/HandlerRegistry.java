// Which handler runs which job type. Registering is a map insert and nothing else.
package dev.millrace.worker;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The handlers of a worker. */
public final class HandlerRegistry {
  private final Map<String, Handler> handlers = new LinkedHashMap<>();

  /** One handler for each job type. */
  public synchronized HandlerRegistry register(String jobType, Handler handler) {
    if (jobType == null || jobType.isBlank())
      throw new IllegalArgumentException("a job type must not be empty");
    Objects.requireNonNull(handler, () -> "the handler of \"" + jobType + "\"");
    if (handlers.putIfAbsent(jobType, handler) != null)
      throw new IllegalArgumentException("\"" + jobType + "\" has a handler already");
    return this;
  }

  /** In the order in which they were registered. */
  public synchronized List<String> jobTypes() {
    return List.copyOf(handlers.keySet());
  }

  public synchronized Optional<Handler> find(String jobType) {
    return Optional.ofNullable(handlers.get(jobType));
  }
}
