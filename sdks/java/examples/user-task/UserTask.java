// Work for a person: the task is found in the inbox, claimed and completed.

import dev.millrace.EngineClient;
import dev.millrace.definition.Definition;
import dev.millrace.definition.Step;
import dev.millrace.instance.Instance;
import dev.millrace.instance.StartInstance;
import dev.millrace.instance.UserTask.Filter;
import java.time.Duration;
import java.util.Map;

public class UserTask {
  public static void main(String[] args) {
    String url = System.getenv().getOrDefault("MILLRACE_URL", "http://127.0.0.1:8080");
    try (EngineClient client = EngineClient.connect(url)) {
      client.uploadDefinition(
          Definition.of("approval", "Approval")
              .steps(
                  Step.userTask("approve")
                      .assigneeGroup("managers")
                      .dueIn(Duration.ofDays(1))
                      .next("done"),
                  Step.end("done")));

      Instance instance =
          client.startInstance(StartInstance.of("approval").variables(Map.of("amount", 1200)));
      String task =
          client
              .userTasks(Filter.ofGroup("managers"))
              .filter(open -> open.instanceId().equals(instance.id()))
              .findFirst()
              .orElseThrow()
              .id();
      client.claimUserTask(task, "ada");
      client.completeUserTask(instance.id(), "approve", "ada", Map.of("approved", true));
      Instance ended = client.getInstance(instance.id());
      System.out.println(ended.status() + " " + ended.variables());
    }
  }
}
