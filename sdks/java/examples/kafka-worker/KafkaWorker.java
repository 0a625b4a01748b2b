// A worker whose jobs come through Kafka, for an engine with WE_DISPATCH_MODE=kafka_outbox. The
// topic workflow.jobs.greet has to be there: the engine says so when the workflow is uploaded, and
// how to make it.

import dev.millrace.EngineClient;
import dev.millrace.definition.Definition;
import dev.millrace.definition.Step;
import dev.millrace.instance.Instance;
import dev.millrace.instance.StartInstance;
import dev.millrace.kafka.Kafka;
import dev.millrace.kafka.KafkaRunner;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.Runner;
import java.nio.file.Path;
import java.util.Map;

public class KafkaWorker {
  public static void main(String[] arguments) throws InterruptedException {
    HandlerRegistry handlers = new HandlerRegistry();
    handlers.register(
        "greet",
        (job, context) -> Map.of("greeting", "Hello, " + job.variables().get("name") + "!"));

    try (EngineClient client =
        EngineClient.connect(setting("MILLRACE_URL", "http://127.0.0.1:8080"))) {
      client.uploadDefinition(
          Definition.of("greeting", "Greeting").steps(Step.serviceTask("greet", "greet")));
      try (Runner runner =
          KafkaRunner.builder(client, handlers, "kafka-worker", kafka()).build().start()) {
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

  private static Kafka kafka() {
    String brokers = setting("KAFKA_BROKERS", "127.0.0.1:9092");
    String password = System.getenv("KAFKA_PASSWORD");
    if (password == null) return Kafka.plaintext(brokers);
    Kafka secured = Kafka.saslScramTls(brokers, System.getenv("KAFKA_USER"), password);
    String authority = System.getenv("KAFKA_CA");
    return authority == null ? secured : secured.withTrustedCertificates(Path.of(authority));
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }
}
