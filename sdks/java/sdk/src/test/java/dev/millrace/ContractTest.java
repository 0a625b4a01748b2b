// The SDK and the contracts of the repository say the same.
package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.error.EngineException;
import dev.millrace.error.ErrorCode;
import dev.millrace.internal.Json;
import dev.millrace.internal.Operation;
import dev.millrace.support.Samples;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ContractTest {
  @Test
  @DisplayName("C-104: the codes of errors are those of the catalogue")
  void errorCodes() {
    Pattern entry =
        Pattern.compile(
            "(?m)^([a-z-]+):\\n  status: (\\d+)\\n  grpc: (\\w+)\\n  retryable: (\\w+)");
    Matcher entries = entry.matcher(Samples.read("contracts/errors.yaml"));
    Map<String, String> catalogue = new TreeMap<>();
    while (entries.find())
      catalogue.put(
          entries.group(1), entries.group(2) + " " + entries.group(3) + " " + entries.group(4));
    Map<String, String> known =
        Arrays.stream(ErrorCode.values())
            .collect(
                Collectors.toMap(
                    ErrorCode::wire, ContractTest::describe, (a, b) -> a, TreeMap::new));
    assertEquals(catalogue, known);
  }

  private static String describe(ErrorCode code) {
    EngineException refused =
        EngineException.of(
            new EngineException.Refusal(
                code.wire(), code.status(), "no", null, java.util.List.of(), null));
    return code.status() + " " + code.grpcStatus() + " " + refused.retryable();
  }

  @Test
  @DisplayName("C-104: every operation has the route and the name that the contract gives it")
  void routes() {
    String contract = Samples.read("contracts/openapi.yaml");
    for (Operation operation : Operation.values()) {
      String path = Pattern.quote("\n  " + operation.path() + ":\n");
      String method = "    " + operation.method().toLowerCase() + ":\n";
      Pattern route =
          Pattern.compile(
              path
                  + "(?:    .*\\n|\\n)*?"
                  + method
                  + "      operationId: "
                  + operation.id()
                  + "\\n");
      assertTrue(route.matcher(contract).find(), operation.id());
    }
  }

  @Test
  @DisplayName("C-104: the SDK has the engine's version, and sends it")
  void version() {
    Map<?, ?> engine = (Map<?, ?>) Json.read(Samples.read("engine/package.json"));
    assertEquals(engine.get("version"), SdkVersion.get());
    assertEquals("millrace-java/" + engine.get("version"), SdkVersion.userAgent());
  }
}
