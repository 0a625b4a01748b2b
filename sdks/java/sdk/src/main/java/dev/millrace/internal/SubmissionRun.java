// A submission that is sent until an engine accepts it: one key, several engines, and no giving up
// while it can still work.
package dev.millrace.internal;

import dev.millrace.Backoff;
import dev.millrace.CallOptions;
import dev.millrace.error.CallInterruptedException;
import dev.millrace.error.EngineException;
import dev.millrace.error.TransportException;
import dev.millrace.instance.Submission;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Each engine is asked on a thread of its own, and tells the calling thread what it came to. The
 * next engine is asked when the one before is in trouble, or silent for too long; those that were
 * asked are asked on.
 */
public final class SubmissionRun {
  /** Request Timeout, Too Early and Too Many Requests: of all 4xx only these may pass. */
  private static final Set<Integer> MAY_PASS = Set.of(408, 425, 429);

  /** What is told to the calling thread. */
  private sealed interface News {}

  private record Accepted() implements News {}

  private record Refused(Throwable by) implements News {}

  /** Trouble at an engine, or its silence: the one behind it may be asked. */
  private record Doubt(int engine) implements News {}

  private record Late() implements News {}

  private final Submission submission;
  private final List<Caller> engines;
  private final Clock clock;
  private final BlockingQueue<News> news = new LinkedBlockingQueue<>();
  private final ExecutorService executor = Threads.perTask("millrace-submit");
  private volatile Throwable trouble;
  private Clock.Timer hedge = () -> {};
  private int asked;

  /** The engines are on one database, the nearest first. */
  public SubmissionRun(Submission submission, List<Caller> engines, Clock clock) {
    this.submission = submission;
    this.engines = engines;
    this.clock = clock;
  }

  /** Returns once an engine has accepted, and then takes back what is under way at others. */
  public void run() {
    Clock.Timer late = () -> {};
    if (submission.deadline() != null)
      late = clock.after(submission.deadline().toMillis(), () -> news.add(new Late()));
    try {
      askNext();
      while (!isAccepted(news.take())) {}
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(
          "interrupted during the submission " + submission.key(), interrupted);
    } finally {
      late.cancel();
      hedge.cancel();
      executor.shutdownNow();
    }
  }

  private boolean isAccepted(News next) {
    if (next instanceof Refused refused) throw unchecked(refused.by());
    if (next instanceof Late) throw late();
    if (next instanceof Doubt doubt && doubt.engine() == asked - 1 && asked < engines.size())
      askNext();
    return next instanceof Accepted;
  }

  private static RuntimeException unchecked(Throwable thrown) {
    if (thrown instanceof Error error) throw error;
    return (RuntimeException) thrown;
  }

  private void askNext() {
    int engine = asked++;
    executor.execute(() -> askUntilAccepted(engine));
    hedge.cancel();
    hedge = clock.after(submission.hedgeAfter().toMillis(), () -> news.add(new Doubt(engine)));
  }

  private void askUntilAccepted(int engine) {
    for (int attempt = 1; ; attempt++)
      try {
        ask(engines.get(engine));
        news.add(new Accepted());
        return;
      } catch (RuntimeException | Error failure) {
        if (!mayPass(failure)) {
          news.add(new Refused(failure));
          return;
        }
        trouble = failure;
        news.add(new Doubt(engine));
        if (!pause(failure, attempt)) return;
      }
  }

  private void ask(Caller engine) {
    CallOptions once =
        CallOptions.NONE
            .withTimeout(submission.attemptTimeout())
            .withMaxAttempts(1)
            .withIdempotencyKey(submission.key());
    Object answer = engine.with(once).call(Operation.INTAKE, arguments());
    // A proxy that answers for an engine which is not there has kept nothing.
    if (!(answer instanceof Map<?, ?> taken)
        || !submission.key().equals(taken.get("idempotencyKey")))
      throw new TransportException(
          TransportException.Kind.MALFORMED, "the answer to a submission is not an engine's", null);
  }

  private Map<String, Object> arguments() {
    return Call.arguments(
        "definitionId", submission.definitionId(),
        "payload", submission.payload(),
        "linkingId", submission.linkingId());
  }

  private static boolean mayPass(Throwable failure) {
    if (!(failure instanceof EngineException refused)) return failure instanceof TransportException;
    return refused.status() >= 500 || MAY_PASS.contains(refused.status());
  }

  /** False where another engine has accepted meanwhile. */
  private boolean pause(Throwable failure, int attempt) {
    try {
      clock.sleep(pauseMs(failure, attempt));
      return true;
    } catch (InterruptedException over) {
      return false;
    }
  }

  /**
   * What an engine asks for is told to every caller: up to a fifth is added, or all would be back
   * in the same moment.
   */
  private static double pauseMs(Throwable failure, int attempt) {
    Duration asked =
        failure instanceof EngineException refused
            ? refused.retryAfter().orElse(Duration.ZERO)
            : Duration.ZERO;
    double spread = 1 + ThreadLocalRandom.current().nextDouble() / 5;
    return Math.max(asked.toMillis() * spread, Backoff.before(attempt).toNanos() / 1e6);
  }

  private TransportException late() {
    return new TransportException(
        TransportException.Kind.TIMEOUT,
        "the submission " + submission.key() + " was not accepted within " + submission.deadline(),
        trouble);
  }
}
