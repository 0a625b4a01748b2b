// Holds a client and a worker, and does one command after the other or several at once.
package dev.millrace.conformance;

import dev.millrace.EngineClient;
import dev.millrace.EngineClientBuilder;
import java.util.Map;

final class Program {
  private final WorkerCommands worker = new WorkerCommands();
  private volatile EngineClient client;

  Object run(String command, Arguments with) {
    return switch (command) {
      case "open" -> open(with);
      case "close" -> close();
      case "startWorker" -> worker.start(client(), with);
      case "handled" -> Map.of("items", worker.handled());
      case "release" -> worker.release(with.text("name"));
      case "stopWorker" -> Map.of("drained", worker.stop(with.seconds("timeoutSeconds")));
      default -> new ClientCalls(client()).run(command, with);
    };
  }

  private Object open(Arguments with) {
    close();
    EngineClientBuilder builder =
        EngineClient.builder(with.text("url"))
            .apiKey(with.text("apiKey"))
            .restUrl(with.text("restUrl"));
    client = builder.build();
    return null;
  }

  private Object close() {
    if (client != null) client.close();
    client = null;
    return null;
  }

  private EngineClient client() {
    if (client == null) throw new IllegalStateException("no client is open");
    return client;
  }

  /** Drains the worker and closes the client; whether the worker drained. */
  boolean end() {
    boolean drained = worker.stop(null);
    close();
    return drained;
  }
}
