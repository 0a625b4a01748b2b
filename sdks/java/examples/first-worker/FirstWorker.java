// A worker that greets: uploads a workflow of one task, starts it, and runs the task.

import dev.millrace.EngineClient;
import dev.millrace.definition.Definition;
import dev.millrace.definition.Step;
import dev.millrace.instance.Instance;
import dev.millrace.instance.StartInstance;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.Runner;
import java.util.Map;

public class FirstWorker {
  public static void main(String[] args) throws InterruptedException {
    String url = System.getenv().getOrDefault("MILLRACE_URL", "http://127.0.0.1:8080");
    HandlerRegistry handlers = new HandlerRegistry();
    handlers.register(
        "greet",
        (job, context) -> Map.of("greeting", "Hello, " + job.variables().get("name") + "!"));

    try (EngineClient client = EngineClient.connect(url)) {
      client.uploadDefinition(
          Definition.of("greeting", "Greeting").steps(Step.serviceTask("greet", "greet")));

      try (Runner runner = Runner.builder(client, handlers, "first-worker").build().start()) {
        Instance instance =
            client.startInstance(StartInstance.of("greeting").variables(Map.of("name", "Ada")));
        while (!instance.status().isTerminal()) {
          Thread.sleep(50);
          instance = client.getInstance(instance.id());
        }
        System.out.println(instance.status() + " " + instance.variables().get("greeting"));
      }
    }
  }
}
