// An engine of the tests: hands out the jobs it is offered, writes down what it is told, and
// answers as scripted.
package dev.millrace.support;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.millrace.internal.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

public final class ScriptedEngine implements AutoCloseable {
  /** A request as it came. */
  public record Received(
      String method, String path, String query, Map<String, List<String>> headers, Object body) {
    @SuppressWarnings("unchecked")
    public Map<String, Object> fields() {
      return (Map<String, Object>) body;
    }

    public String header(String name) {
      for (Map.Entry<String, List<String>> header : headers.entrySet())
        if (header.getKey().equalsIgnoreCase(name)) return header.getValue().get(0);
      return null;
    }
  }

  /** An answer; a null body has no content, a status of 0 cuts the connection. */
  public record Answer(int status, Object body, Map<String, String> headers) {
    public static Answer of(int status, Object body) {
      return new Answer(status, body, Map.of());
    }

    public static Answer refusal(int status, String code) {
      return of(status, Map.of("error", code, "message", "no: " + code, "requestId", "r-1"));
    }

    public static Answer cut() {
      return of(0, null);
    }

    public Answer with(String name, String value) {
      Map<String, String> more = new HashMap<>(headers);
      more.put(name, value);
      return new Answer(status, body, more);
    }
  }

  /** Null falls back to what an engine does. */
  public interface Script {
    Answer answer(Received received) throws InterruptedException;
  }

  private final HttpServer server;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final List<Received> received = new ArrayList<>();
  private final List<Map<String, Object>> reports = new ArrayList<>();
  private final LinkedList<Map<String, Object>> offered = new LinkedList<>();
  private final Map<String, Script> scripts = new HashMap<>();
  private final Map<String, LinkedList<Script>> once = new HashMap<>();
  private boolean closed;

  public ScriptedEngine() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public synchronized void offer(Map<String, Object> job) {
    offered.add(job);
    notifyAll();
  }

  public synchronized void on(String path, Script script) {
    scripts.put(path, script);
  }

  /** In the order in which they are added, before {@link #on}. */
  public synchronized void once(String path, Script script) {
    once.computeIfAbsent(path, p -> new LinkedList<>()).add(script);
  }

  public synchronized List<Received> received() {
    return List.copyOf(received);
  }

  public synchronized List<Received> received(String path) {
    return received.stream().filter(r -> r.path().equals(path)).toList();
  }

  /** Every report so far; {@code kind} is completed or failed. */
  public synchronized List<Map<String, Object>> reports() {
    return List.copyOf(reports);
  }

  public Map<String, Object> reportOf(String jobId) {
    until(() -> find(jobId) != null);
    return find(jobId);
  }

  private synchronized Map<String, Object> find(String jobId) {
    for (Map<String, Object> report : reports) if (report.get("jobId").equals(jobId)) return report;
    return null;
  }

  /** Gives up on a test that hangs. */
  public void until(BooleanSupplier condition) {
    until(condition, Duration.ofSeconds(120));
  }

  public synchronized void until(BooleanSupplier condition, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    try {
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() > deadline) throw new AssertionError("it never came to that");
        wait(20);
      }
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Received request =
        new Received(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            exchange.getRequestURI().getRawQuery(),
            Map.copyOf(exchange.getRequestHeaders()),
            text.isEmpty() ? null : Json.read(text));
    try {
      send(exchange, answer(request));
    } catch (InterruptedException stopped) {
      exchange.close();
    }
  }

  private Answer answer(Received request) throws InterruptedException {
    Script script;
    synchronized (this) {
      received.add(request);
      notifyAll();
      LinkedList<Script> first = once.get(request.path());
      script =
          first != null && !first.isEmpty() ? first.removeFirst() : scripts.get(request.path());
    }
    Answer scripted = script == null ? null : script.answer(request);
    return scripted != null ? scripted : usual(request);
  }

  private Answer usual(Received request) throws InterruptedException {
    String path = request.path();
    if (path.equals("/v1/jobs/poll"))
      return Answer.of(200, Map.of("jobs", claim(request.fields())));
    if (path.equals("/v1/jobs/exchange")) return exchange(request.fields());
    if (path.endsWith("/heartbeat"))
      return Answer.of(200, Map.of("lockExpiresAt", "2030-01-01T00:00:00.000Z"));
    if (path.startsWith("/v1/jobs/")) return report(path.split("/"), request.fields());
    return Answer.of(200, Map.of());
  }

  private synchronized Answer report(String[] path, Map<String, Object> fields) {
    Map<String, Object> report = new HashMap<>(fields);
    report.put("jobId", path[3]);
    report.put("kind", path[4].equals("complete") ? "completed" : "failed");
    reports.add(report);
    notifyAll();
    return Answer.of(204, null);
  }

  @SuppressWarnings("unchecked")
  private synchronized Answer exchange(Map<String, Object> fields) throws InterruptedException {
    List<Object> results = new ArrayList<>();
    for (String kind : List.of("completed", "failed"))
      for (Object item : (List<Object>) fields.getOrDefault(kind, List.of())) {
        Map<String, Object> report = new HashMap<>((Map<String, Object>) item);
        report.put("kind", kind);
        reports.add(report);
        results.add(Map.of("jobId", report.get("jobId"), "outcome", "accepted"));
      }
    notifyAll();
    Object poll = fields.get("poll");
    List<Object> jobs = poll == null ? List.of() : claimNow((Map<String, Object>) poll);
    return Answer.of(200, Map.of("results", results, "jobs", jobs));
  }

  private synchronized List<Object> claim(Map<String, Object> poll) throws InterruptedException {
    if (poll.get("waitSeconds") != null) while (offered.isEmpty() && !closed) wait();
    return claimNow(poll);
  }

  private List<Object> claimNow(Map<String, Object> poll) {
    List<Object> jobs = new ArrayList<>();
    long most = (Long) poll.getOrDefault("maxJobs", 10L);
    while (!offered.isEmpty() && jobs.size() < most) jobs.add(offered.removeFirst());
    return jobs;
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    if (answer.status() == 0) {
      exchange.close();
      return;
    }
    answer.headers().forEach(exchange.getResponseHeaders()::add);
    byte[] body =
        answer.body() instanceof String text
            ? text.getBytes(StandardCharsets.UTF_8)
            : Json.write(answer.body()).getBytes(StandardCharsets.UTF_8);
    if (answer.body() == null) exchange.sendResponseHeaders(answer.status(), -1);
    else {
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    server.stop(0);
    executor.shutdownNow();
  }
}
