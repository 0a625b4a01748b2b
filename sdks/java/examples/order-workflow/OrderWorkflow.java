// An order: a decision, two tasks at the same time, retries, and a failure that no retry can mend.

import dev.millrace.EngineClient;
import dev.millrace.definition.Definition;
import dev.millrace.definition.RetryPolicy;
import dev.millrace.definition.Step;
import dev.millrace.instance.Instance;
import dev.millrace.instance.StartInstance;
import dev.millrace.job.Job;
import dev.millrace.worker.HandlerContext;
import dev.millrace.worker.HandlerRegistry;
import dev.millrace.worker.NonRetryableException;
import dev.millrace.worker.Runner;
import java.time.Duration;
import java.util.Map;

public class OrderWorkflow {
  static Map<String, ?> chargeCard(Job job, HandlerContext context) {
    if ((Long) job.variables().get("amount") > 10_000)
      throw new NonRetryableException("the card's limit is 10,000");
    // The bank sees the same key however often this runs.
    String key = job.idempotencyKey();
    return Map.of("receipt", "R-" + key.substring(key.length() - 4));
  }

  static Map<String, ?> reserveStock(Job job, HandlerContext context) {
    if (job.attempt() == 1) throw new IllegalStateException("the warehouse does not answer");
    return Map.of("reserved", true);
  }

  static Definition order() {
    RetryPolicy quickly = RetryPolicy.of(3, Duration.ofMillis(100), 2, Duration.ofSeconds(1));
    return Definition.of("order", "Order")
        .steps(
            Step.decision("size").when("amount == 0", "free").when("true", "fulfil"),
            Step.parallel("fulfil", "fulfilled", "charge", "reserve"),
            Step.serviceTask("charge", "charge-card").retryCount(3).next("fulfilled"),
            Step.serviceTask("reserve", "reserve-stock").retry(quickly).next("fulfilled"),
            Step.join("fulfilled", "done"),
            Step.transformation("free").set("receipt", "none needed").next("done"),
            Step.end("done"));
  }

  static Instance ended(EngineClient client, Instance instance) throws InterruptedException {
    while (!instance.status().isTerminal()) {
      Thread.sleep(50);
      instance = client.getInstance(instance.id());
    }
    return instance;
  }

  public static void main(String[] args) throws InterruptedException {
    String url = System.getenv().getOrDefault("MILLRACE_URL", "http://127.0.0.1:8080");
    HandlerRegistry handlers =
        new HandlerRegistry()
            .register("charge-card", OrderWorkflow::chargeCard)
            .register("reserve-stock", OrderWorkflow::reserveStock);

    try (EngineClient client = EngineClient.connect(url)) {
      client.uploadDefinition(order());
      try (Runner runner = Runner.builder(client, handlers, "orders-1").build().start()) {
        for (int amount : new int[] {0, 42, 99_999}) {
          StartInstance start = StartInstance.of("order").variables(Map.of("amount", amount));
          Instance instance = ended(client, client.startInstance(start));
          Object told = instance.variables().getOrDefault("receipt", instance.failureReason());
          System.out.println(amount + " " + instance.status() + " " + told);
        }
      }
    }
  }
}
