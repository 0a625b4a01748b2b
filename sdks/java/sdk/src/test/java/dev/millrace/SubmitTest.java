// A submission goes on until an engine has accepted it.
package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.error.CallInterruptedException;
import dev.millrace.error.NotFoundException;
import dev.millrace.error.OverloadedException;
import dev.millrace.error.RestAddressNeededException;
import dev.millrace.error.TransportException;
import dev.millrace.instance.Submission;
import dev.millrace.support.ManualClock;
import dev.millrace.support.ScriptedEngine;
import dev.millrace.support.ScriptedEngine.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class SubmitTest {
  private static final String INTAKE = "/v1/intake/onboarding";
  private static final Submission ONE =
      Submission.of("onboarding", Map.of("email", "ada@example.org")).withKey("s-1");

  private final ScriptedEngine first = new ScriptedEngine();
  private final ScriptedEngine second = new ScriptedEngine();
  private final ManualClock clock = new ManualClock();
  private final CountDownLatch over = new CountDownLatch(1);
  private final EngineClient client =
      EngineClient.builder(first.url() + "," + second.url()).clock(clock).build();

  SubmitTest() {
    first.on(INTAKE, r -> accepted());
    second.on(INTAKE, r -> accepted());
  }

  @AfterEach
  void end() {
    over.countDown();
    client.close();
    first.close();
    second.close();
  }

  private static Answer accepted() {
    return Answer.of(202, Map.of("idempotencyKey", "s-1"));
  }

  private Answer silence() throws InterruptedException {
    over.await();
    return accepted();
  }

  @Test
  @DisplayName("A-03: the first engine that accepts is enough")
  void accepts() {
    assertEquals("s-1", client.submit(ONE.withLinkingId("user-1")));
    ScriptedEngine.Received asked = first.received(INTAKE).get(0);
    assertEquals("s-1", asked.header("idempotency-key"));
    assertEquals("linkingId=user-1", asked.query());
    assertEquals(Map.of("email", "ada@example.org"), asked.body());
    assertEquals(List.of(), second.received());
  }

  @Test
  @DisplayName("A-03: an engine in trouble makes the next one be asked at once, with the same key")
  void trouble() {
    first.on(INTAKE, r -> Answer.refusal(503, "unavailable"));
    assertEquals("s-1", client.submit(ONE));
    assertEquals("s-1", second.received(INTAKE).get(0).header("idempotency-key"));
  }

  @Test
  @DisplayName("A-03: an engine that is silent makes the next one be asked after a while")
  void silent() throws Exception {
    first.on(INTAKE, r -> silence());
    CompletableFuture<String> submitted = CompletableFuture.supplyAsync(() -> client.submit(ONE));
    clock.awaitTimerAt(300);
    assertEquals(List.of(), second.received());
    clock.advance(300);
    assertEquals("s-1", submitted.get());
  }

  @Test
  @DisplayName("A-03: failures that may pass are sat out, as Retry-After asks")
  void satOut() throws Exception {
    try (EngineClient alone = EngineClient.builder(first.url()).clock(clock).build()) {
      first.once(INTAKE, r -> Answer.refusal(429, "rate-limited").with("retry-after", "5"));
      first.once(INTAKE, r -> Answer.cut());
      first.once(INTAKE, r -> Answer.of(200, Map.of("hello", "from a proxy")));
      Submission patient = ONE.withHedgeAfter(Duration.ofDays(1));
      CompletableFuture<String> submitted =
          CompletableFuture.supplyAsync(() -> alone.submit(patient));
      clock.awaitTimerWithin(6_000);
      assertTrue(clock.pending().get(0) >= 5_000);
      clock.advance(6_000);
      for (double plain : new double[] {200, 400}) {
        clock.awaitTimerWithin(plain * 1.2);
        clock.advance(plain * 1.2);
      }
      assertEquals("s-1", submitted.get());
      assertEquals(4, first.received(INTAKE).size());
    }
  }

  @Test
  @DisplayName("A-03: a refusal for good is thrown at once")
  void refused() {
    first.on(INTAKE, r -> Answer.refusal(404, "not-found"));
    assertThrows(NotFoundException.class, () -> client.submit(ONE));
    assertEquals(1, first.received().size());
    assertEquals(List.of(), second.received());
  }

  @Test
  @DisplayName("A-03: a deadline ends it, and tells what the trouble was")
  void deadline() throws Exception {
    first.on(INTAKE, r -> Answer.refusal(503, "unavailable"));
    second.on(INTAKE, r -> silence());
    Submission late = ONE.withDeadline(Duration.ofSeconds(60));
    CompletableFuture<TransportException> thrown =
        CompletableFuture.supplyAsync(
            () -> assertThrows(TransportException.class, () -> client.submit(late)));
    second.until(() -> second.received().size() == 1);
    clock.advance(60_000);
    assertEquals(TransportException.Kind.TIMEOUT, thrown.get().kind());
    assertInstanceOf(OverloadedException.class, thrown.get().getCause());
    assertTrue(thrown.get().getMessage().contains("s-1"), thrown.get().getMessage());
  }

  @Test
  @DisplayName("A-03: an interrupt ends it, with the flag set")
  void interrupted() throws Exception {
    first.on(INTAKE, r -> silence());
    CompletableFuture<Boolean> flagged = new CompletableFuture<>();
    Thread submitting =
        new Thread(
            () -> {
              assertThrows(CallInterruptedException.class, () -> client.submit(ONE));
              flagged.complete(Thread.currentThread().isInterrupted());
            });
    submitting.start();
    first.until(() -> first.received().size() == 1);
    submitting.interrupt();
    assertTrue(flagged.get());
  }

  @Test
  @DisplayName("C-104: a client of gRPC needs a REST address for it")
  void overGrpc() {
    try (EngineClient grpc = EngineClient.connect("grpc://127.0.0.1:1")) {
      assertThrows(RestAddressNeededException.class, () -> grpc.submit(ONE));
    }
  }
}
