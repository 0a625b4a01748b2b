// A call that the engine does not know: the engine is too old, or the address is wrong.
package dev.millrace.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.SdkVersion;
import dev.millrace.error.EngineException;
import dev.millrace.error.ServerTooOldException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AdviceTest {
  private static EngineException refusedBy(String version, String call) {
    EngineException.Refusal refusal =
        new EngineException.Refusal(
            "not-found", 404, "there is no such route", null, List.of(), null);
    return Advice.on(refusal, new Advice.Refused("http://engine", call, version, false));
  }

  @Test
  @DisplayName("C-111: an engine that is older than the SDK is too old for an unknown route")
  void olderEngine() {
    EngineException old = refusedBy("0.0.9", "GET /v1/instances");
    assertInstanceOf(ServerTooOldException.class, old);
    assertEquals(
        "the engine at http://engine is version 0.0.9 and does not know GET /v1/instances: upgrade"
            + " it to "
            + SdkVersion.get()
            + " or newer, the version of this SDK, or do without this call",
        old.getMessage());
  }

  @Test
  @DisplayName("C-111: one of the SDK's version is not, by whichever wire")
  void sameEngine() {
    for (String call : List.of("GET /v1/instances", "GetInstance")) {
      EngineException wrong = refusedBy(SdkVersion.get(), call);
      assertFalse(wrong instanceof ServerTooOldException, wrong.getMessage());
      assertTrue(wrong.getMessage().contains("Is http://engine the right address"));
    }
  }
}
