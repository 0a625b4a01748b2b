// A worker: claims jobs, has them run, reports the outcomes, stops in good order.
package dev.millrace.worker;

import dev.millrace.EngineClient;
import dev.millrace.internal.Clock;
import dev.millrace.internal.Threads;
import dev.millrace.internal.kafka.KafkaBench;
import dev.millrace.internal.kafka.KafkaLane;
import dev.millrace.job.Job;
import dev.millrace.job.PollRequest;
import dev.millrace.worker.LeaseWatch.LeaseSpan;
import dev.millrace.worker.metrics.SdkMetrics;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A worker. It asks only for free places, keeps the leases of running jobs alive, and reports what
 * came of them. Running, then draining (no new jobs; handlers finish, reports leave), then over.
 *
 * <pre>{@code
 * HandlerRegistry handlers = new HandlerRegistry().register("charge-card", (job, context) -> ...);
 * Runner.builder(client, handlers, "billing-1").build().run();
 * }</pre>
 */
public final class Runner implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  /** Most jobs one request may ask for. */
  private static final int MOST_JOBS = 100;

  private final RunnerSettings settings;
  private final Slots slots;
  private final ExecutorService executor = Threads.perTask("millrace-worker");
  private final Workbench workbench;
  private final Reporter reports;
  private final AtomicBoolean started = new AtomicBoolean();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final AtomicReference<Throwable> breakdown = new AtomicReference<>();
  private final CompletableFuture<StopResult> stopped = new CompletableFuture<>();
  private volatile boolean draining;
  private volatile boolean over;
  private Thread lane;
  private KafkaLane kafkaLane;

  Runner(RunnerSettings settings) {
    this.settings = settings;
    this.slots = new Slots(settings.concurrency());
    this.workbench = new Workbench(settings, executor, this::finished, this::breakDown);
    this.reports = makeReporter();
  }

  /** A runner with the usual settings is {@code builder(…).build()}; {@code workerId} names it. */
  public static RunnerBuilder builder(
      EngineClient client, HandlerRegistry handlers, String workerId) {
    return new RunnerBuilder(client.jobs(), handlers, workerId);
  }

  /** Starts and returns; {@link #stop} ends it. */
  public Runner start() {
    if (settings.handlers().jobTypes().isEmpty())
      throw new IllegalStateException("this runner has no handlers");
    if (!started.compareAndSet(false, true))
      throw new IllegalStateException("this runner was started before; make a new one");
    Runnable jobs = makeLane();
    if (reports instanceof ReportLane reportLane)
      executor.execute(guarded(reportLane, Duration.ZERO));
    lane = Threads.daemons("millrace-lane").newThread(guarded(jobs, settings.stopTimeout()));
    lane.start();
    return this;
  }

  /**
   * Starts, and returns when the runner was stopped: by {@link #stop}, or by the end of the JVM.
   * Where the runner itself breaks down, such as for want of memory, this throws what broke it:
   * such a worker would go on taking jobs without running them, or running them without a report.
   */
  public StopResult run() {
    start();
    Thread hook = new Thread(this::stop, "millrace-shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      StopResult result = stopped.join();
      rethrow(breakdown.get());
      return result;
    } finally {
      unhook(hook);
    }
  }

  private static void rethrow(Throwable breakdown) {
    if (breakdown instanceof Error error) throw error;
    if (breakdown instanceof RuntimeException exception) throw exception;
  }

  private static void unhook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The hook is what runs.
    }
  }

  /** As {@link #stop(Duration)}, with the runner's own time. */
  public StopResult stop() {
    return stop(settings.stopTimeout());
  }

  /**
   * No new jobs; waits for running handlers and their reports, then ends. Unfinished jobs come back
   * when their leases end.
   */
  public StopResult stop(Duration timeout) {
    if (stopping.compareAndSet(false, true)) stopped.complete(drain(timeout));
    return stopped.join();
  }

  /** Stops, and waits as long as the runner's settings say. */
  @Override
  public void close() {
    stop();
  }

  /** What this runner has measured. */
  public SdkMetrics metrics() {
    return settings.metrics();
  }

  private StopResult drain(Duration timeout) {
    draining = true;
    if (lane != null) lane.interrupt();
    slots.ring();
    boolean drained = awaitDrained(timeout);
    int unfinished = slots.running();
    over = true;
    reports.close();
    workbench.cancelAll();
    if (kafkaLane != null) kafkaLane.close();
    executor.shutdownNow();
    return new StopResult(drained, unfinished);
  }

  private boolean awaitDrained(Duration timeout) {
    try {
      return slots.await(() -> slots.isIdle() && reports.isIdle(), timeout.toMillis());
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** What a runner cannot go on without; {@code patience} is for handlers that run meanwhile. */
  private Runnable guarded(Runnable lane, Duration patience) {
    return () -> {
      try {
        lane.run();
      } catch (Throwable fault) {
        breakDown(fault, patience);
      }
    };
  }

  private void breakDown(Throwable fault) {
    breakDown(fault, settings.stopTimeout());
  }

  /**
   * The stop has a thread of its own, because a lane cannot wait for itself; where no thread is to
   * be had, nothing is waited for.
   */
  private void breakDown(Throwable fault, Duration patience) {
    breakdown.compareAndSet(null, fault);
    LOG.log(Level.ERROR, "the runner breaks down and stops", fault);
    try {
      Threads.daemons("millrace-breakdown").newThread(() -> stop(patience)).start();
    } catch (Throwable noThread) {
      stop(Duration.ZERO);
    }
  }

  private Runnable makeLane() {
    if (settings.kafka() != null) return kafkaLane = settings.kafka().apply(new KafkaPlaces());
    if (settings.mode() == Mode.STREAM)
      return new StreamLane(settings, slots, workbench, () -> draining);
    return new PollLane(settings, new Asker());
  }

  private Reporter makeReporter() {
    Reporter singly = new SingleReporter(settings, executor, workbench::settled, slots::ring);
    if (settings.mode() == Mode.POLL) return singly;
    return new ReportLane(settings, singly, this::ask, workbench::settled, slots::ring);
  }

  /** The place is free and the report waits in one change: no other lane can come between. */
  private void finished(Report report) {
    slots.finish(
        () -> {
          if (report != null && !over) reports.add(report);
        });
  }

  /** A question that rides along with reports; null where there is nothing to ask for. */
  private ReportLane.Ask ask() {
    if (draining || settings.mode() == Mode.STREAM || kafkaLane != null) return null;
    int places = slots.ask(free -> Math.min(MOST_JOBS, free));
    if (places == 0) return null;
    double askedAt = settings.clock().now();
    return new ReportLane.Ask() {
      @Override
      public PollRequest poll() {
        return pollRequest(places);
      }

      @Override
      public void answered(List<Job> jobs) {
        Runner.this.answered(places, jobs, askedAt);
      }
    };
  }

  private PollRequest pollRequest(int places) {
    return PollRequest.of(settings.handlers().jobTypes())
        .maxJobs(places)
        .leaseSeconds(settings.leaseSeconds());
  }

  private void answered(int places, List<Job> jobs, double askedAt) {
    double now = settings.clock().now();
    settings.metrics().polled((now - askedAt) / 1000, jobs.size());
    slots.answered(places, over ? 0 : jobs.size());
    if (!over) workbench.take(jobs, LeaseSpan.between(askedAt, now, settings.leaseSeconds()));
  }

  private final class KafkaPlaces implements KafkaBench {
    @Override
    public void awaitPlace(BooleanSupplier ready) throws InterruptedException {
      slots.await(() -> ready.getAsBoolean() && slots.ask(free -> Math.min(1, free)) > 0);
      slots.answered(1, 1);
    }

    @Override
    public void leavePlace() {
      slots.finish(() -> {});
    }

    @Override
    public void ring() {
      slots.ring();
    }

    @Override
    public Runnable run(Job job, boolean lacksVariables, Consumer<Boolean> ended) {
      double now = settings.clock().now();
      LeaseSpan span =
          job.leaseToken() == null
              ? LeaseSpan.ENDLESS
              : LeaseSpan.between(now, now, settings.leaseSeconds());
      CancellationToken token =
          workbench.start(new Workbench.Claim(job, span, true, lacksVariables, ended));
      return () -> token.cancel(CancellationToken.Reason.LEASE_LOST);
    }

    @Override
    public void broken(Throwable fault) {
      breakDown(fault);
    }

    @Override
    public boolean isDraining() {
      return draining;
    }

    @Override
    public Duration patience() {
      return settings.stopTimeout();
    }

    @Override
    public Clock clock() {
      return settings.clock();
    }
  }

  private final class Asker implements PollLane.Asker {
    /** What is free and not about to be asked for by the reports that wait. */
    @Override
    public int awaitPlaces() throws InterruptedException {
      int[] places = {0};
      slots.await(() -> draining || (places[0] = slots.ask(this::choose)) > 0);
      return places[0];
    }

    private int choose(int free) {
      int spoken = reports.waiting() > 0 ? MOST_JOBS : 0;
      return Math.min(MOST_JOBS, free - spoken);
    }

    @Override
    public int poll(int places) {
      double askedAt = settings.clock().now();
      List<Job> jobs = List.of();
      try {
        PollRequest request = pollRequest(places);
        if (settings.pollInterval() == null) request = request.waitSeconds(settings.waitSeconds());
        jobs = settings.calls().poll(settings.workerId(), request);
        return jobs.size();
      } finally {
        answered(places, jobs, askedAt);
      }
    }

    @Override
    public boolean isDraining() {
      return draining;
    }
  }
}
