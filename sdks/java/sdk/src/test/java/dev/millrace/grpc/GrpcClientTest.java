// How the client speaks gRPC: the same calls, errors and repeats as over REST.
package dev.millrace.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.rpc.BadRequest;
import com.google.rpc.LocalizedMessage;
import com.google.rpc.RetryInfo;
import dev.millrace.CallOptions;
import dev.millrace.EngineClient;
import dev.millrace.Priority;
import dev.millrace.SdkVersion;
import dev.millrace.definition.Definition;
import dev.millrace.definition.RetryPolicy;
import dev.millrace.definition.Step;
import dev.millrace.definition.VariableSchema;
import dev.millrace.error.ConflictException;
import dev.millrace.error.InvalidRequestException;
import dev.millrace.error.LeaseLostException;
import dev.millrace.error.NotFoundException;
import dev.millrace.error.OverloadedException;
import dev.millrace.error.RestAddressNeededException;
import dev.millrace.error.ServerTooOldException;
import dev.millrace.error.TransportException;
import dev.millrace.error.Violation;
import dev.millrace.instance.Instance;
import dev.millrace.instance.StartInstance;
import dev.millrace.job.Lease;
import dev.millrace.proto.workflow.v1.CompleteJobRequest;
import dev.millrace.proto.workflow.v1.UploadDefinitionRequest;
import dev.millrace.support.Logged;
import dev.millrace.support.PlainServer;
import dev.millrace.support.Samples;
import dev.millrace.support.ScriptedEngine;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GrpcClientTest {
  private final FakeService service = new FakeService();
  private final Logged log = new Logged();
  private final EngineClient client =
      EngineClient.builder(service.url()).apiKey("mill_secret").build();

  @AfterEach
  void end() {
    client.close();
    service.close();
    log.close();
  }

  private static final Definition EVERYTHING =
      Definition.of("all", "All")
          .description("d")
          .nextWorkflow("next")
          .metadata(Map.of("team", "x", "n", 1L))
          .inputSchema(VariableSchema.ANY.required("a", "string"))
          .priority(Priority.HIGH)
          .deadline(java.time.Duration.ofHours(1))
          .retain(java.time.Duration.ofDays(2))
          .events()
          .steps(
              Step.serviceTask("s", "job")
                  .retry(RetryPolicy.of(0, java.time.Duration.ofSeconds(1), 2.5, null))
                  .timeout(java.time.Duration.ofSeconds(3), null, java.time.Duration.ofHours(1))
                  .continueOnError()
                  .priority(Priority.CRITICAL)
                  .downstream("bank")
                  .outputSchema(VariableSchema.ANY.optional("b", "integer"))
                  .interruptAfter(java.time.Duration.ofMinutes(1), "e")
                  .next("d"),
              Step.decision("d").when("z > 1", "t").when("a < 2", "u").when("m == 3", "e"),
              Step.transformation("t").set("z", 1L).set("a", "${x}").set("n", null).next("u"),
              Step.userTask("u")
                  .assignee("ada")
                  .assigneeGroup("g")
                  .dueIn(java.time.Duration.ofDays(1))
                  .form(VariableSchema.ANY.required("ok", "boolean"))
                  .onFailure("e")
                  .next("w"),
              Step.waitFor("w").keepEarly().duration(java.time.Duration.ofHours(2)).next("p"),
              Step.parallel("p", "j", "x", "y"),
              Step.join("j", "e"),
              Step.end("e"));

  @Test
  @DisplayName("W-14: a definition comes back as it was uploaded, order and added fields included")
  void definitions() {
    assertEquals(List.of("odd"), client.uploadDefinition(EVERYTHING).warnings());
    assertEquals(EVERYTHING, client.getDefinition("all"));
    var sent = (UploadDefinitionRequest) service.received.get(0);
    var conditions = sent.getDefinition().getSteps(1).getOrderedConditionalNextStepsList();
    assertEquals(
        List.of("z > 1", "a < 2", "m == 3"),
        conditions.stream().map(c -> c.getCondition()).toList());
    Object transformations = client.getDefinition("all", 1).toJson().contains("{\"z\":1,\"a\":");
    assertEquals(true, transformations);
  }

  @Test
  @DisplayName("W-06: a field that the contract does not have is refused before anything is sent")
  void unknownFields() {
    Definition typo = Definition.fromMap(Map.of("id", "a", "name", "A", "stepz", List.of()));
    InvalidRequestException refused =
        assertThrows(InvalidRequestException.class, () -> client.uploadDefinition(typo));
    assertTrue(refused.getMessage().contains("$.definition.stepz"), refused.getMessage());
    assertEquals(List.of(), service.received);
  }

  @Test
  @DisplayName("C-40: variables travel as they are; whole numbers come back as such")
  void variables() {
    Map<String, Object> odd =
        Map.of("u", "é😀", "n", 9007199254740991L, "d", 2.5, "l", List.of(1L, Map.of()), "e", "");
    Instance started = client.startInstance(StartInstance.of("order").variables(odd));
    assertEquals(odd, started.variables());
  }

  @Test
  @DisplayName("C-40: a number that a double would round is refused, as over REST")
  void largeNumbers() {
    StartInstance start = StartInstance.of("order").variables(Map.of("big", 9007199254740993L));
    InvalidRequestException refused =
        assertThrows(InvalidRequestException.class, () -> client.startInstance(start));
    assertTrue(refused.getMessage().contains("$.variables.big"), refused.getMessage());
  }

  @Test
  @DisplayName("C-40: a value that is nested too deeply is refused before anything is sent")
  void deepValues() {
    Map<String, Object> deep = Map.of();
    for (int i = 0; i < 700; i++) deep = Map.of("a", deep);
    Map<String, Object> tooDeep = deep;
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> client.startInstance(StartInstance.of("order").variables(tooDeep)));
    assertTrue(refused.getMessage().contains("deeper than 32 levels"), refused.getMessage());
    assertThrows(IllegalArgumentException.class, () -> client.signal("i", "s", tooDeep));
    assertThrows(
        IllegalArgumentException.class,
        () -> client.jobs().complete(new Lease("j", "w", "t"), tooDeep));
    assertEquals(List.of(), service.received);
  }

  @Test
  @DisplayName("C-111: a start is sent again with the same key, with the credential and the agent")
  void repeats() {
    service.refusals.add(FakeService.refusal(Status.Code.UNAVAILABLE, "UNAVAILABLE"));
    client.startInstance(StartInstance.of("order"));
    var key = FakeService.key("idempotency-key");
    assertEquals(2, service.metadata.size());
    assertNotNull(service.metadata.get(0).get(key));
    assertEquals(service.metadata.get(0).get(key), service.metadata.get(1).get(key));
    assertEquals(
        "Bearer mill_secret", service.metadata.get(0).get(FakeService.key("authorization")));
    assertTrue(
        service
            .metadata
            .get(0)
            .get(FakeService.key("user-agent"))
            .startsWith(SdkVersion.userAgent()));
  }

  @Test
  @DisplayName("C-39: refusals are read by the engine's code, with violations and waits")
  void refusals() {
    service.trailers.put(FakeService.key("x-request-id"), "r-9");
    service.refusals.add(FakeService.refusal(Status.Code.NOT_FOUND, "NOT_FOUND"));
    NotFoundException missing =
        assertThrows(NotFoundException.class, () -> client.getInstance("nope"));
    assertEquals("not-found", missing.code());
    assertEquals("r-9", missing.requestId());

    service.refusals.add(FakeService.refusal(Status.Code.FAILED_PRECONDITION, "lease-lost"));
    assertThrows(LeaseLostException.class, () -> client.getInstance("i"));

    service.refusals.add(Status.ALREADY_EXISTS.withDescription("taken").asRuntimeException());
    assertThrows(ConflictException.class, () -> client.getInstance("i"));

    BadRequest violations =
        BadRequest.newBuilder()
            .addFieldViolations(
                BadRequest.FieldViolation.newBuilder().setField("$.a").setDescription("no"))
            .addFieldViolations(
                BadRequest.FieldViolation.newBuilder()
                    .setField("$.b")
                    .setDescription("is odd: add one")
                    .setLocalizedMessage(LocalizedMessage.newBuilder().setMessage("is odd")))
            .build();
    service.refusals.add(
        FakeService.refusal(Status.Code.INVALID_ARGUMENT, "BAD_REQUEST", violations));
    InvalidRequestException bad =
        assertThrows(InvalidRequestException.class, () -> client.getInstance("i"));
    assertEquals(
        List.of(new Violation("$.a", "no", null), new Violation("$.b", "is odd", "add one")),
        bad.details());

    RetryInfo wait =
        RetryInfo.newBuilder().setRetryDelay(Duration.newBuilder().setSeconds(7)).build();
    service.refusals.add(FakeService.refusal(Status.Code.RESOURCE_EXHAUSTED, "BACKPRESSURE", wait));
    CallOptions once = CallOptions.NONE.withMaxAttempts(1);
    OverloadedException full =
        assertThrows(OverloadedException.class, () -> client.with(once).getInstance("i"));
    assertEquals(java.time.Duration.ofSeconds(7), full.retryAfter().orElseThrow());
    assertTrue(full.retryable());
  }

  @Test
  @DisplayName("C-111: a deadline ends a call that is not answered")
  void deadline() {
    CallOptions short50 = CallOptions.NONE.withTimeout(java.time.Duration.ofMillis(50));
    TransportException late =
        assertThrows(TransportException.class, () -> client.with(short50).getInstance("silent"));
    assertEquals(TransportException.Kind.TIMEOUT, late.kind());
  }

  @Test
  @DisplayName("W-06: a warning in the trailing metadata is logged")
  void warnings() {
    service.trailers.put(FakeService.key("warning"), "did you mean variables?");
    client.getInstance("i");
    assertTrue(log.heard("did you mean variables?"));
  }

  @Test
  @DisplayName("C-104: an engine that is too old is told so")
  void tooOld() {
    service.trailers.put(FakeService.key("millrace-version"), "0.0.1");
    assertThrows(ServerTooOldException.class, () -> client.getInstance("i"));
    service.trailers.discardAll(FakeService.key("millrace-version"));
    service.refusals.add(Status.UNIMPLEMENTED.asRuntimeException());
    ServerTooOldException unknown =
        assertThrows(ServerTooOldException.class, () -> client.getInstance("i"));
    assertTrue(unknown.getMessage().contains("does not know GetInstance"), unknown.getMessage());
  }

  @Test
  @DisplayName("C-104: when one address does not answer, the next one is asked")
  void failsOver() {
    FakeService gone = new FakeService();
    gone.close();
    try (EngineClient both = EngineClient.connect(gone.url() + "," + service.url())) {
      assertEquals("i", both.getInstance("i").id());
    }
  }

  @Test
  @DisplayName(
      "C-104: what gRPC does not have goes to the REST address, and fails at once without one")
  void restBeside() {
    RestAddressNeededException missing =
        assertThrows(RestAddressNeededException.class, () -> client.schedules().get("s"));
    assertTrue(missing.getMessage().contains("restUrl"), missing.getMessage());
    try (ScriptedEngine rest = new ScriptedEngine();
        EngineClient both = EngineClient.builder(service.url()).restUrl(rest.url()).build()) {
      both.schedules().delete("s");
      both.getInstance("i");
      assertEquals(1, rest.received().size());
      assertEquals(1, service.received.size());
    }
  }

  @Test
  @DisplayName("C-104: a report carries its token; what is not given is absent")
  void reports() {
    client.jobs().complete(new Lease("j", "w", "t"), Map.of("a", 1));
    client.jobs().complete(new Lease("j", "w", null), null);
    CompleteJobRequest told = (CompleteJobRequest) service.received.get(0);
    assertEquals("t", told.getLeaseToken());
    assertEquals(1, told.getVariablesToSet().getFieldsOrThrow("a").getNumberValue());
    assertEquals("", ((CompleteJobRequest) service.received.get(1)).getLeaseToken());
  }

  @Test
  @DisplayName("C-104: mistakes of port and scheme say what to do")
  void mistakes() {
    CallOptions once = CallOptions.NONE.withMaxAttempts(1);
    try (PlainServer rest = new PlainServer("HTTP/1.1 400 Bad Request\r\n\r\n")) {
      assertHint("REST needs http://", rest.url("grpc"), once);
      assertHint("use grpc://", rest.url("grpcs"), once);
    }
    assertHint("is the engine running", "grpc://127.0.0.1:1", once);
  }

  private static void assertHint(String hint, String url, CallOptions options) {
    try (EngineClient lost = EngineClient.connect(url)) {
      TransportException failed =
          assertThrows(TransportException.class, () -> lost.with(options).getInstance("i"));
      assertEquals(TransportException.Kind.UNREACHABLE, failed.kind(), failed.getMessage());
      assertTrue(failed.getMessage().contains(hint), failed.getMessage());
    }
  }

  @Test
  @DisplayName("C-115: without grpc-java on the class path the error names what to add")
  void withoutGrpc() throws Exception {
    var classes = EngineClient.class.getProtectionDomain().getCodeSource().getLocation();
    ClassLoader bare =
        new java.net.URLClassLoader(
            new java.net.URL[] {classes}, ClassLoader.getPlatformClassLoader());
    var connect = bare.loadClass(EngineClient.class.getName()).getMethod("connect", String.class);
    assertNotNull(connect.invoke(null, "http://127.0.0.1:1"));
    var failed =
        assertThrows(
            java.lang.reflect.InvocationTargetException.class,
            () -> connect.invoke(null, "grpc://127.0.0.1:1"));
    String message = failed.getCause().getMessage();
    assertTrue(message.contains("dev.millrace:millrace-grpc:" + SdkVersion.get()), message);
    String protobuf =
        Samples.read("sdks/java/pom.xml").replaceAll("(?s).*<protobuf.version>(.*?)<.*", "$1");
    assertTrue(message.contains("com.google.protobuf:protobuf-java:" + protobuf + " "), message);
    assertTrue(message.contains("grpc-java 1.76"), message);
  }
}
