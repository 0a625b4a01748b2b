// An instance that waits for news from outside, and gets it by a signal.

import dev.millrace.EngineClient;
import dev.millrace.definition.Definition;
import dev.millrace.definition.Step;
import dev.millrace.instance.Instance;
import dev.millrace.instance.StartInstance;
import java.time.Duration;
import java.util.Map;

public class Signal {
  public static void main(String[] args) {
    String url = System.getenv().getOrDefault("MILLRACE_URL", "http://127.0.0.1:8080");
    try (EngineClient client = EngineClient.connect(url)) {
      // Without a signal within a day it ends by the timer.
      client.uploadDefinition(
          Definition.of("payment", "Payment")
              .steps(
                  Step.waitFor("paid").interruptAfter(Duration.ofDays(1), "late").next("done"),
                  Step.transformation("late").set("late", true).next("done"),
                  Step.end("done")));

      Instance instance = client.startInstance(StartInstance.of("payment"));
      client
          .getWaiting(instance.id())
          .forEach(reason -> System.out.println("waits: " + reason.detail().get("message")));
      client.signal(instance.id(), "paid", Map.of("receipt", "R-1"));
      Instance ended = client.getInstance(instance.id());
      System.out.println(ended.status() + " " + ended.variables());
    }
  }
}
