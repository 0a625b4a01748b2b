// Calls operations by whichever way has them, and reads the answers.
package dev.millrace.internal;

import dev.millrace.CallOptions;
import dev.millrace.Page;
import dev.millrace.PageRequest;
import dev.millrace.error.RestAddressNeededException;
import dev.millrace.error.TransportException;
import dev.millrace.job.JobStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Holds the way of the client's URL and, beside a gRPC one, that of REST; the latter may be null.
 */
public final class Caller implements AutoCloseable {
  private final Transport first;
  private final Transport rest;
  private final CallOptions options;

  public Caller(Transport first, Transport rest) {
    this(first, rest, CallOptions.NONE);
  }

  private Caller(Transport first, Transport rest, CallOptions options) {
    this.first = first;
    this.rest = rest;
    this.options = options;
  }

  public Caller with(CallOptions other) {
    return new Caller(first, rest, other);
  }

  /** Everything else as it is. */
  public Caller withKey(String idempotencyKey) {
    return with(options.withIdempotencyKey(idempotencyKey));
  }

  /** Null where the answer has no content. */
  public Object call(Operation operation, Map<String, Object> arguments) {
    return call(operation, arguments, Duration.ZERO);
  }

  public Object call(Operation operation, Map<String, Object> arguments, Duration wait) {
    return way(operation).call(new Call(operation, arguments, wait, options));
  }

  public <R> R get(Class<R> type, Operation operation, Map<String, Object> arguments) {
    return read(operation, call(operation, arguments), answer -> Records.read(type, answer));
  }

  /** The items of an answer that is nothing but a list under this name. */
  public <R> List<R> list(
      Class<R> type, Operation operation, String name, Map<String, Object> arguments) {
    Object answer = call(operation, arguments);
    return read(operation, answer, a -> Records.readList(type, ((Map<?, ?>) a).get(name)));
  }

  public <R> Page<R> page(
      Class<R> type, Operation operation, Map<String, Object> filter, PageRequest page) {
    Map<String, Object> arguments = new LinkedHashMap<>(filter);
    arguments.putAll(
        Call.arguments(
            operation == Operation.LIST_DEAD_LETTERS ? "limit" : "pageSize",
            page.pageSize(),
            "cursor",
            page.cursor(),
            "page",
            page.page()));
    return read(operation, call(operation, arguments), answer -> readPage(type, answer));
  }

  private record Facts(Long total, Boolean totalIsExact, String nextCursor) {}

  private static <R> Page<R> readPage(Class<R> type, Object answer) {
    Facts facts = Records.read(Facts.class, answer);
    List<R> items = Records.readList(type, ((Map<?, ?>) answer).get("items"));
    return new Page<>(items, facts.total(), facts.totalIsExact(), facts.nextCursor());
  }

  public <R> R read(Operation operation, Object answer, Function<Object, R> reader) {
    try {
      return reader.apply(answer);
    } catch (RuntimeException strange) {
      throw new TransportException(
          TransportException.Kind.MALFORMED,
          "the answer to " + operation.id() + " is not what an engine answers",
          strange);
    }
  }

  public boolean hasStream() {
    return first.hasStream();
  }

  public JobStream stream(JobStream.Opening opening, JobStream.Listener listener) {
    return first.stream(opening, listener);
  }

  /** One for each address that has the operation. */
  public List<Caller> each(Operation operation) {
    return way(operation).each().stream().map(one -> new Caller(one, null, options)).toList();
  }

  private Transport way(Operation operation) {
    if (first.has(operation)) return first;
    if (rest != null) return rest;
    throw new RestAddressNeededException(operation.id());
  }

  @Override
  public void close() {
    first.close();
    if (rest != null) rest.close();
  }
}
