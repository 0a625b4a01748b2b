// How the client speaks REST: headers, repeats, fail-over, errors.
package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.definition.Definition;
import dev.millrace.error.AccessDeniedException;
import dev.millrace.error.CallInterruptedException;
import dev.millrace.error.EngineException;
import dev.millrace.error.ErrorCode;
import dev.millrace.error.InvalidRequestException;
import dev.millrace.error.LeaseLostException;
import dev.millrace.error.NotFoundException;
import dev.millrace.error.OverloadedException;
import dev.millrace.error.ServerTooOldException;
import dev.millrace.error.TransportException;
import dev.millrace.error.Violation;
import dev.millrace.instance.Bulk;
import dev.millrace.instance.FoundInstance;
import dev.millrace.instance.Instance;
import dev.millrace.instance.InstanceFilter;
import dev.millrace.instance.InstanceStatus;
import dev.millrace.instance.RunSteps;
import dev.millrace.instance.StartInstance;
import dev.millrace.instance.UserTask;
import dev.millrace.internal.Records;
import dev.millrace.job.PollRequest;
import dev.millrace.observability.Overview;
import dev.millrace.observability.Stats;
import dev.millrace.queue.DeadLetter;
import dev.millrace.queue.NewJob;
import dev.millrace.queue.Pause;
import dev.millrace.queue.Schedule;
import dev.millrace.queue.Watermarks;
import dev.millrace.support.Logged;
import dev.millrace.support.ManualClock;
import dev.millrace.support.PlainServer;
import dev.millrace.support.ScriptedEngine;
import dev.millrace.support.ScriptedEngine.Answer;
import dev.millrace.support.ScriptedEngine.Received;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RestClientTest {
  private final ScriptedEngine engine = new ScriptedEngine();
  private final Logged log = new Logged();
  private final EngineClient client = quick(engine.url());

  /** Repeats without pauses. */
  private static EngineClient quick(String url) {
    ManualClock instant =
        new ManualClock() {
          @Override
          public void sleep(double ms) {
            advance(ms);
          }
        };
    return EngineClient.builder(url).apiKey("mill_secret").clock(instant).build();
  }

  @AfterEach
  void end() {
    client.close();
    engine.close();
    log.close();
  }

  private static final Map<String, Object> INSTANCE =
      Map.of(
          "id", "i-1",
          "definitionId", "order",
          "definitionVersion", 2,
          "status", "ACTIVE",
          "currentStepIds", List.of("charge"),
          "variables", Map.of("amount", 42),
          "startedAt", "2025-03-01T09:31:00.000Z",
          "priority", "high",
          "somethingNew", true);

  private Received last() {
    return engine.received().get(engine.received().size() - 1);
  }

  @Test
  @DisplayName(
      "C-104: a start goes out with the key, the agent and what was given; the answer is an instance")
  void starts() {
    engine.on("/v1/instances", r -> Answer.of(201, INSTANCE));
    Instance started =
        client.startInstance(
            StartInstance.of("order").variables(Map.of("amount", 42)).priority(Priority.HIGH));
    assertEquals("i-1", started.id());
    assertEquals(InstanceStatus.ACTIVE, started.status());
    assertEquals(Instant.parse("2025-03-01T09:31:00Z"), started.startedAt());
    assertEquals(Map.of("amount", 42L), started.variables());
    assertNull(started.businessKey());
    assertEquals("Bearer mill_secret", last().header("authorization"));
    assertEquals(SdkVersion.userAgent(), last().header("user-agent"));
    assertEquals(
        Map.of("definitionId", "order", "variables", Map.of("amount", 42L), "priority", "high"),
        last().body());
  }

  @Test
  @DisplayName("C-111: a start whose answer is lost is sent again with the same key: one start")
  void repeatsWithTheSameKey() {
    engine.once("/v1/instances", r -> Answer.cut());
    engine.once("/v1/instances", r -> Answer.refusal(503, "unavailable"));
    engine.on("/v1/instances", r -> Answer.of(201, INSTANCE));
    client.startInstance(StartInstance.of("order"));
    List<String> keys =
        engine.received().stream().map(r -> r.header("idempotency-key")).distinct().toList();
    assertEquals(3, engine.received().size());
    assertEquals(1, keys.size());
    assertNotNull(keys.get(0));
  }

  @Test
  @DisplayName("C-111: a key of the caller's own is sent as it is")
  void sendsTheGivenKey() {
    engine.on("/v1/instances", r -> Answer.of(201, INSTANCE));
    client.withIdempotencyKey("order-1001").startInstance(StartInstance.of("order"));
    assertEquals("order-1001", last().header("idempotency-key"));
  }

  @Test
  @DisplayName("C-111: without keys a change that may have had its effect is not sent again")
  void doesNotRepeatWithoutAKey() {
    engine.on("/v1/instances", r -> Answer.cut());
    EngineClient keyless = EngineClient.builder(engine.url()).autoIdempotencyKeys(false).build();
    assertThrows(TransportException.class, () -> keyless.startInstance(StartInstance.of("order")));
    assertEquals(1, engine.received().size());
  }

  @Test
  @DisplayName("C-111: a poll is not sent again: its lost answer may have claimed jobs")
  void doesNotRepeatAPoll() {
    engine.on("/v1/jobs/poll", r -> Answer.refusal(503, "unavailable"));
    assertThrows(
        OverloadedException.class, () -> client.jobs().poll("w", PollRequest.of("charge-card")));
    assertEquals(1, engine.received().size());
  }

  @Test
  @DisplayName("C-111: repeats end after five attempts, or as many as are asked for")
  void repeatsEnd() {
    engine.on("/v1/instances/i-1", r -> Answer.refusal(503, "unavailable"));
    assertThrows(OverloadedException.class, () -> client.getInstance("i-1"));
    assertEquals(5, engine.received().size());
    CallOptions once = CallOptions.NONE.withMaxAttempts(1);
    assertThrows(OverloadedException.class, () -> client.with(once).getInstance("i-1"));
    assertEquals(6, engine.received().size());
  }

  @Test
  @DisplayName("C-111: a refusal for good is thrown at once, by its code")
  void refuses() {
    engine.on("/v1/instances/nope", r -> Answer.refusal(404, "not-found"));
    NotFoundException refused =
        assertThrows(NotFoundException.class, () -> client.getInstance("nope"));
    assertEquals("not-found", refused.code());
    assertEquals(Optional.of(ErrorCode.NOT_FOUND), refused.errorCode());
    assertEquals("r-1", refused.requestId());
    assertEquals(1, engine.received().size());
  }

  @Test
  @DisplayName("C-104: every violation of a refused request is told")
  void tellsViolations() {
    Map<String, Object> body =
        Map.of(
            "error", "bad-request",
            "message", "2 violations",
            "requestId", "r-2",
            "details", List.of(Map.of("path", "$.a", "message", "no", "hint", "b")));
    engine.on("/v1/definitions", r -> Answer.of(400, body));
    InvalidRequestException refused =
        assertThrows(
            InvalidRequestException.class, () -> client.uploadDefinition(Definition.of("a", "A")));
    assertEquals(List.of(new Violation("$.a", "no", "b")), refused.details());
  }

  @Test
  @DisplayName("C-104: a lost lease is a conflict of its own; what a proxy says goes by its status")
  void tellsConflictsApart() {
    engine.once("/v1/instances/i-1", r -> Answer.refusal(409, "lease-lost"));
    assertThrows(LeaseLostException.class, () -> client.getInstance("i-1"));
    engine.once("/v1/instances/i-1", r -> Answer.of(418, "<html>"));
    EngineException odd = assertThrows(EngineException.class, () -> client.getInstance("i-1"));
    assertEquals("http-418", odd.code());
  }

  @Test
  @DisplayName("C-104: when one address does not answer, the next one is asked, and stays")
  void failsOver() {
    ScriptedEngine gone = new ScriptedEngine();
    gone.close();
    engine.on("/v1/instances/i-1", r -> Answer.of(200, INSTANCE));
    try (EngineClient both = quick(gone.url() + ", " + engine.url())) {
      assertEquals("i-1", both.getInstance("i-1").id());
      assertEquals("i-1", both.getInstance("i-1").id());
      assertEquals(List.of(), both.jobs().poll("w", PollRequest.of("charge-card")));
    }
    assertEquals(3, engine.received().size());
  }

  @Test
  @DisplayName("C-104: an engine that drains is left for the next one")
  void leavesADrainingEngine() {
    try (ScriptedEngine draining = new ScriptedEngine()) {
      draining.on("/v1/instances/i-1", r -> Answer.refusal(503, "unavailable"));
      engine.on("/v1/instances/i-1", r -> Answer.of(200, INSTANCE));
      EngineClient both = quick(draining.url() + "," + engine.url());
      both.getInstance("i-1");
      both.getInstance("i-1");
      assertEquals(1, draining.received().size());
      assertEquals(2, engine.received().size());
    }
  }

  @Test
  @DisplayName("C-111: a deadline ends a call that is not answered")
  void deadline() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    engine.on(
        "/v1/instances/i-1",
        r -> {
          never.await();
          return null;
        });
    CallOptions short50 = CallOptions.NONE.withTimeout(Duration.ofMillis(50));
    EngineClient real = EngineClient.connect(engine.url());
    TransportException late =
        assertThrows(TransportException.class, () -> real.with(short50).getInstance("i-1"));
    assertEquals(TransportException.Kind.TIMEOUT, late.kind());
    never.countDown();
  }

  @Test
  @DisplayName("C-104: an interrupted caller is let go, with its flag set")
  void interrupt() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    engine.on(
        "/v1/instances/i-1",
        r -> {
          never.await();
          return null;
        });
    CompletableFuture<Boolean> flagged = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              assertThrows(CallInterruptedException.class, () -> client.getInstance("i-1"));
              flagged.complete(Thread.currentThread().isInterrupted());
            });
    caller.start();
    engine.until(() -> engine.received().size() == 1);
    caller.interrupt();
    assertTrue(flagged.get());
    never.countDown();
  }

  @Test
  @DisplayName("W-06: a warning of the engine is logged")
  void logsWarnings() {
    engine.on(
        "/v1/instances/i-1",
        r -> Answer.of(200, INSTANCE).with("Warning", "299 - \"did you mean variables?\""));
    client.getInstance("i-1");
    assertTrue(log.heard("did you mean variables?"));
  }

  @Test
  @DisplayName(
      "C-104: an engine that is too old is told so; one that does not say is taken as it is")
  void serverTooOld() {
    engine.once(
        "/v1/instances/i-1", r -> Answer.of(200, INSTANCE).with("Millrace-Version", "0.0.9"));
    ServerTooOldException old =
        assertThrows(ServerTooOldException.class, () -> client.getInstance("i-1"));
    assertTrue(old.getMessage().contains("0.0.9"));
    engine.on(
        "/v1/instances/i-1", r -> Answer.of(200, INSTANCE).with("Millrace-Version", "1.2.3-rc.1"));
    client.getInstance("i-1");
  }

  @Test
  @DisplayName(
      "C-104: refusals for a key or an address say what to do; the port for metrics is a wrong address")
  void advice() {
    engine.on("/v1/instances/i-1", r -> Answer.refusal(401, "unauthenticated"));
    assertAdvice(AccessDeniedException.class, "Check the apiKey", client);
    assertAdvice(
        AccessDeniedException.class,
        "Give the client an apiKey",
        EngineClient.connect(engine.url()));
    engine.on("/v1/instances/i-1", r -> Answer.refusal(403, "forbidden"));
    assertAdvice(AccessDeniedException.class, "a key whose scopes", client);
    Map<String, Object> unknown =
        Map.of("error", "not-found", "message", "there is no such route", "requestId", "r");
    engine.on("/v1/instances/i-1", r -> Answer.of(404, unknown));
    String ask =
        "Is " + engine.url() + " the right address, and the engine new enough? An engine has REST";
    assertAdvice(NotFoundException.class, ask, client);
    engine.on("/v1/instances/i-1", r -> Answer.of(404, unknown).with("Millrace-Version", "0.1.0"));
    assertAdvice(NotFoundException.class, ask, client);
  }

  private static void assertAdvice(
      Class<? extends EngineException> type, String advice, EngineClient asked) {
    EngineException refused = assertThrows(type, () -> asked.getInstance("i-1"));
    assertTrue(refused.getMessage().contains(advice), refused.getMessage());
  }

  @Test
  @DisplayName("C-104: a call goes on with the trace it is made in")
  void traces() {
    engine.on("/v1/instances/i-1", r -> Answer.of(200, INSTANCE));
    EngineClient traced =
        EngineClient.builder(engine.url())
            .traceContext(() -> Optional.of(new TraceContext("00-a-b-01", "x=1")))
            .build();
    traced.getInstance("i-1");
    assertEquals("00-a-b-01", last().header("traceparent"));
    assertEquals("x=1", last().header("tracestate"));
  }

  @Test
  @DisplayName("C-104: pages are followed by their cursor")
  void followsPages() {
    Map<String, Object> first =
        Map.of("items", List.of(INSTANCE), "total", 2, "totalIsExact", true, "nextCursor", "c/2");
    engine.once("/v1/instances", r -> Answer.of(200, first));
    engine.once(
        "/v1/instances",
        r -> Answer.of(200, Map.of("items", List.of(INSTANCE), "total", 2, "totalIsExact", true)));
    InstanceFilter failed = InstanceFilter.ALL.definitionId("order").status(InstanceStatus.FAILED);
    assertEquals(2, client.instances(failed).count());
    assertEquals("definitionId=order&status=FAILED", engine.received().get(0).query());
    assertEquals("definitionId=order&status=FAILED&cursor=c%2F2", engine.received().get(1).query());
  }

  @Test
  @DisplayName("C-104: the routes of the queue are spoken to in snake_case, payloads as they are")
  void snakeCase() {
    Map<String, Object> job =
        Map.of(
            "id", "j-1",
            "type", "mail",
            "status", "PENDING",
            "priority", "normal",
            "payload", Map.of("snake_key", 1, "camelKey", 2),
            "retry_count", 3,
            "created_at", "2025-03-01T09:31:00.000Z",
            "updated_at", "2025-03-01T09:31:00.000Z");
    engine.on("/jobs", r -> Answer.of(202, job));
    var enqueued =
        client
            .queues()
            .enqueue(
                NewJob.of("mail", Map.of("camelKey", 2)).fairKey("t").delay(Duration.ofSeconds(5)));
    assertEquals(
        Map.of("type", "mail", "payload", Map.of("camelKey", 2L), "fair_key", "t", "delay", "PT5S"),
        last().body());
    assertEquals(3, enqueued.retryCount());
    assertEquals(Map.of("snake_key", 1L, "camelKey", 2L), enqueued.payload());
  }

  @Test
  @DisplayName("C-104: ids are encoded, and those that would address something else are refused")
  void encodesIds() {
    engine.on("/v1/user-tasks/a/b", r -> Answer.of(200, Map.of("id", "a/b", "status", "OPEN")));
    client.getUserTask("a/b");
    for (String id : List.of("", ".", ".."))
      assertThrows(IllegalArgumentException.class, () -> client.getInstance(id));
  }

  @Test
  @DisplayName("C-104: each call has its route, its query and its body")
  void routesOfTheRest() {
    Instant day = Instant.parse("2025-03-01T00:00:00Z");
    client.signal("i", "paid", Map.of("receipt", "R"));
    assertSent("POST /v1/instances/i/signals/paid", Map.of("receipt", "R"));
    client.signal("i", "paid", null);
    assertSent("POST /v1/instances/i/signals/paid", Map.of());
    client.completeUserTask("i", "ok", "ada", Map.of("yes", true));
    assertSent(
        "POST /v1/instances/i/user-tasks/ok/complete",
        Map.of("completedBy", "ada", "variables", Map.of("yes", true)));
    client.startBulk(
        new Bulk.Request(Bulk.Action.RETRY, InstanceFilter.ALL.definitionId("o"), true, null));
    assertSent(
        "POST /v1/instances/bulk",
        Map.of("action", "retry", "filter", Map.of("definitionId", "o"), "dryRun", true));
    client.deadLetters().replayAll(DeadLetter.Filter.ALL.definitionId("o").since(day), true);
    assertSent(
        "POST /queues/dlq/replay",
        Map.of(
            "filter",
            Map.of("definition_id", "o", "since", "2025-03-01T00:00:00.000Z"),
            "dryRun",
            true));
    client.events().publish("paid", Map.of("some_id", "x"), "p-1", Map.of("trace-id", "a"));
    assertSent(
        "POST /v1/events",
        Map.of(
            "type",
            "paid",
            "payload",
            Map.of("some_id", "x"),
            "key",
            "p-1",
            "headers",
            Map.of("trace-id", "a")));
    client.schedules().create(Schedule.Request.cron("@daily").jobType("mail").overlap("skip"));
    assertSent(
        "POST /v1/schedules", Map.of("cron", "@daily", "jobType", "mail", "overlap", "skip"));
    client.queues().pause(Pause.Kind.JOB_TYPE, "mail", "too many");
    assertSent("POST /v1/pauses", Map.of("kind", "jobType", "name", "mail", "reason", "too many"));
    client.queues().resume(Pause.Kind.JOB_TYPE, "mail");
    assertSent("DELETE /v1/pauses/jobType/mail", null);
    client.listUserTasks(UserTask.Filter.assignedTo("ada"), PageRequest.ofSize(5));
    assertSent("GET /v1/user-tasks?assignee=ada&pageSize=5", null);
    client.unclaimUserTask("u", null);
    assertSent("POST /v1/user-tasks/u/unclaim", Map.of());
    client.delegateUserTask("u", "bo", "ada");
    assertSent("POST /v1/user-tasks/u/delegate", Map.of("assignee", "bo", "from", "ada"));
    client.setUserTaskDue("u", Instant.parse("2030-01-01T08:00:00Z"));
    assertSent("POST /v1/user-tasks/u/due", Map.of("dueAt", "2030-01-01T08:00:00.000Z"));
    client.setUserTaskDue("u", null);
    assertSent("POST /v1/user-tasks/u/due", Map.of());
    client.deadLetters().list(DeadLetter.Filter.ALL, PageRequest.ofSize(5));
    assertSent("GET /queues/dlq?limit=5", null);
  }

  private void assertSent(String line, Object body) {
    String query = last().query() == null ? "" : "?" + last().query();
    assertEquals(line, last().method() + " " + last().path() + query);
    assertEquals(body, last().body());
  }

  @Test
  @DisplayName("C-104: watermarks are read, set one by one and reset")
  void watermarks() {
    Map<String, Object> mark = Map.of("high", 100, "low", 20, "source", "config");
    Map<String, Object> set =
        Map.of(
            "high", 500,
            "low", 80,
            "source", "database",
            "changed_at", "2025-03-01T09:31:00.000Z",
            "changed_by", "ada");
    Map<String, Object> marks =
        Map.of("critical", mark, "high", mark, "normal", set, "total", mark);
    engine.on("/queues/watermarks", r -> Answer.of(200, marks));
    Watermarks.InForce inForce =
        client.queues().setWatermarks(Watermarks.UNCHANGED.withNormal(500, 80));
    assertSent("PUT /queues/watermarks", Map.of("normal", Map.of("high", 500L, "low", 80L)));
    assertEquals("ada", inForce.normal().changedBy());
    assertEquals(20, client.queues().watermarks().total().low());
    client.queues().resetWatermarks();
    assertSent("DELETE /queues/watermarks", null);
  }

  @Test
  @DisplayName("C-104: the steps of a run are read with their waits, and written as they came")
  void steps() {
    Map<String, Object> step =
        Map.of(
            "id", "i-1/pay",
            "stepId", "pay",
            "stepType", "WAIT",
            "attemptNumber", 1L,
            "status", "WAITING",
            "wait", Map.of("kind", "sleep", "dueAt", "2025-03-01T09:16:00.000Z"));
    Map<String, Object> steps =
        Map.of("form", "list", "currentSteps", List.of("pay"), "items", List.of(step));
    engine.on("/v1/instances/i-1/steps", r -> Answer.of(200, steps));
    RunSteps read = client.getSteps("i-1");
    assertEquals(RunSteps.Status.WAITING, read.items().get(0).status());
    assertEquals("sleep", read.items().get(0).waitsFor().kind());
    assertEquals(List.of(), read.items().get(0).attempts());
    assertEquals(steps, Records.write(read));

    Map<String, Object> found =
        Map.of(
            "instanceId", "i-1",
            "matched", "key",
            "text", "order-1001",
            "definitionId", "order",
            "status", "FAILED");
    engine.on("/v1/search", r -> Answer.of(200, Map.of("items", List.of(found))));
    List<FoundInstance> instances = client.searchInstances("order-10", null);
    assertEquals("prefix=order-10", last().query());
    assertEquals(InstanceStatus.FAILED, instances.get(0).status());
  }

  @Test
  @DisplayName("C-104: how the engine stands and went is read by its parts")
  void observability() {
    engine.on("/v1/overview", r -> Answer.of(200, OVERVIEW));
    Overview overview = client.observability().overview();
    assertEquals(Priority.HIGH, overview.lanes().get(1).name());
    assertEquals(12, overview.lanes().get(1).depth());
    assertNull(overview.lanes().get(0).oldestWaitingSeconds());
    assertEquals(352, overview.total().depth());

    Map<String, Object> series = Map.of("at", List.of(1, 2), "leased", Arrays.asList(null, 48));
    Map<String, Object> stats =
        Map.of(
            "window", "P1D", "stepSeconds", 300, "from", "2025-03-01T09:16:00Z", "series", series);
    engine.on("/v1/stats", r -> Answer.of(200, stats));
    Stats day = client.observability().stats(Stats.Window.DAY);
    assertEquals("window=P1D", last().query());
    assertEquals(Stats.Window.DAY, day.window());
    assertEquals(Arrays.asList(null, 48L), day.series().leased());

    Map<String, Object> parts = Map.of("postgres", "ok", "pulse", "late", "process", "ok");
    engine.on("/health", r -> Answer.of(200, Map.of("status", "ok", "components", parts)));
    assertEquals("late", client.observability().health().components().get("pulse"));

    Map<String, Object> who =
        Map.of("keyNeeded", true, "signedIn", true, "name", "ada", "scopes", List.of("admin"));
    engine.on("/v1/session", r -> Answer.of(200, who));
    assertEquals(List.of("admin"), client.observability().session().scopes());
  }

  /** Two of the three lanes suffice. */
  private static final Map<String, Object> OVERVIEW =
      Map.of(
          "lanes",
          List.of(
              Map.of("name", "critical", "depth", 0),
              Map.of("name", "high", "depth", 12, "weight", 30)),
          "total",
          Map.of("depth", 352));

  @Test
  @DisplayName("C-104: a submission carries its key, and its payload is the body")
  void takesIn() {
    engine.on("/v1/intake/onboarding", r -> Answer.of(202, Map.of("idempotencyKey", "k")));
    assertEquals("k", client.intake("onboarding", "k", Map.of("a", 1), "user-1"));
    assertEquals("k", last().header("idempotency-key"));
    assertEquals("linkingId=user-1", last().query());
    assertEquals(Map.of("a", 1L), last().body());
  }

  @Test
  @DisplayName("C-104: mistakes of address say what to do")
  void addresses() {
    for (String url : List.of("ftp://x", "127.0.0.1:8080", "", "http://a,grpc://b"))
      assertThrows(IllegalArgumentException.class, () -> EngineClient.connect(url), url);
    ScriptedEngine gone = new ScriptedEngine();
    gone.close();
    TransportException refused =
        assertThrows(TransportException.class, () -> quick(gone.url()).ready());
    assertEquals(TransportException.Kind.UNREACHABLE, refused.kind());
    assertTrue(refused.getMessage().contains("is the engine running"), refused.getMessage());
    try (PlainServer server = new PlainServer("HTTP/1.1 400 Bad Request\r\n\r\n")) {
      TransportException plain =
          assertThrows(TransportException.class, () -> quick(server.url("https")).ready());
      assertTrue(plain.getMessage().contains("use http://"), plain.getMessage());
    }
    client.close();
    assertThrows(IllegalStateException.class, () -> client.ready());
  }
}
