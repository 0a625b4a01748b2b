// What came beside an answer: warnings, the engine's version, the id of the request.
package dev.millrace.internal.grpc;

import dev.millrace.internal.Operation;
import dev.millrace.internal.ServerVersion;
import dev.millrace.internal.Warnings;
import io.grpc.Metadata;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

record AnswerMetadata(AtomicReference<Metadata> headers, AtomicReference<Metadata> trailers) {
  AnswerMetadata() {
    this(new AtomicReference<>(), new AtomicReference<>());
  }

  /** Logs warnings; throws where the engine is too old. */
  void note(Operation operation) {
    Warnings.log(operation, all("warning"));
    ServerVersion.check(serverVersion());
  }

  /** Null where the engine does not tell. */
  String serverVersion() {
    List<String> versions = all(ServerVersion.HEADER);
    return versions.isEmpty() ? null : versions.get(0);
  }

  /** Null where none came. */
  String requestId() {
    List<String> ids = all("x-request-id");
    return ids.isEmpty() ? null : ids.get(0);
  }

  private List<String> all(String name) {
    Metadata.Key<String> key = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    List<String> values = new ArrayList<>();
    for (AtomicReference<Metadata> metadata : List.of(headers, trailers))
      if (metadata.get() != null && metadata.get().getAll(key) != null)
        metadata.get().getAll(key).forEach(values::add);
    return values;
  }
}
