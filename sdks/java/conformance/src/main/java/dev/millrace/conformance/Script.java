// A handler that does what its script says.
package dev.millrace.conformance;

import dev.millrace.job.Job;
import dev.millrace.worker.CancellationToken;
import dev.millrace.worker.Handler;
import dev.millrace.worker.HandlerContext;
import dev.millrace.worker.NonRetryableException;
import dev.millrace.worker.RetryLaterException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

record Script(Arguments script, WorkerCommands program) implements Handler {
  @Override
  public Map<String, ?> handle(Job job, HandlerContext context) {
    Delivery delivery = new Delivery(job);
    program.add(delivery);
    context.cancellation().onCancel(() -> delivery.becomes("cancelled"));
    try {
      waitAsTold(context.cancellation());
      // Interrupted by a cancellation, the handler may go on before its listener is told.
      if (context.cancellation().isCancelled()) delivery.becomes("cancelled");
      failAsTold(job);
      Map<String, Object> returned = returned(job);
      delivery.becomes("returned");
      return returned;
    } catch (RuntimeException failure) {
      delivery.becomes("threw");
      throw failure;
    }
  }

  private void waitAsTold(CancellationToken cancellation) {
    if (script.text("waitsFor") != null) waitFor(script.text("waitsFor"), cancellation);
    if (script.number("sleepsMs") != null) sleepUninterrupted(script.number("sleepsMs"));
    if (script.flag("exits")) Runtime.getRuntime().halt(137);
  }

  /** A cancellation interrupts the thread. */
  private void waitFor(String name, CancellationToken cancellation) {
    try {
      if (!cancellation.isCancelled()) program.gate(name).await();
    } catch (InterruptedException cancelled) {
      Thread.interrupted();
    }
  }

  private static void sleepUninterrupted(int ms) {
    long end = System.nanoTime() + ms * 1_000_000L;
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime())
      try {
        Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
      } catch (InterruptedException ignored) {
        // It waits so long, whatever happens.
      }
  }

  private void failAsTold(Job job) {
    String fails = script.text("fails");
    if ("for-good".equals(fails)) throw new NonRetryableException(message());
    if ("retryably".equals(fails) || job.attempt() <= script.number("failsFirst", 0))
      throw retryable();
  }

  private RuntimeException retryable() {
    Duration after = script.seconds("retryAfterSeconds");
    if (after != null) return new RetryLaterException(message(), after);
    return new IllegalStateException(message());
  }

  private String message() {
    String told = script.text("message");
    return told == null ? "failed as told" : told;
  }

  private Map<String, Object> returned(Job job) {
    Map<String, Object> variables = new LinkedHashMap<>();
    if (script.map("sets") != null) variables.putAll(script.map("sets"));
    if (script.map("copies") != null)
      script.map("copies").forEach((to, from) -> variables.put(to, job.variables().get(from)));
    if (script.map("copiesFacts") != null)
      script
          .map("copiesFacts")
          .forEach((to, f) -> variables.put(to, Delivery.fact(job, (String) f)));
    return variables;
  }
}
