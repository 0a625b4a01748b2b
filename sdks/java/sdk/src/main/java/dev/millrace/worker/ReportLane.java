// Brings finished jobs back to the engine, one request at a time, and asks for more work on the
// same way.
package dev.millrace.worker;

import dev.millrace.error.EngineException;
import dev.millrace.error.MillraceException;
import dev.millrace.error.TransportException;
import dev.millrace.job.Exchange;
import dev.millrace.job.Job;
import dev.millrace.job.JobCalls;
import dev.millrace.job.PollRequest;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What finishes while a request is in flight goes together in the next one: alone, a report leaves
 * at once; under load batches grow by themselves. Reports that could not be delivered stay at the
 * front until their leases are surely gone. A batch that the engine refuses, or over which it or
 * the connection breaks, is sent one by one, so that one bad report does not hold up the others; so
 * is one that cannot be sent at all.
 */
final class ReportLane implements Reporter, Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");
  private static final int MOST_REPORTS = 500;

  /** The engine takes bodies up to 1 MiB; this leaves room for ids, tokens and escapes. */
  private static final int MOST_CHARACTERS = 300_000;

  private static final int OVERHEAD = 300;

  /** A question for more jobs that rides along with reports. */
  interface Ask {
    PollRequest poll();

    /** Called once, whatever happens: the jobs, or none. */
    void answered(List<Job> jobs);
  }

  private final RunnerSettings settings;
  private final JobCalls calls;
  private final Reporter singly;
  private final Supplier<Ask> ask;
  private final Report.Settled settled;
  private final Runnable changed;
  private final LinkedList<Report> queue = new LinkedList<>();
  private int underWay;
  private int failures;
  private boolean exchanges = true;
  private boolean mayAsk = true;
  private boolean closed;

  ReportLane(
      RunnerSettings settings,
      Reporter singly,
      Supplier<Ask> ask,
      Report.Settled settled,
      Runnable changed) {
    this.settings = settings;
    this.calls = settings.calls().with(SingleReporter.reportOptions(settings));
    this.singly = singly;
    this.ask = ask;
    this.settled = settled;
    this.changed = changed;
  }

  @Override
  public synchronized void add(Report report) {
    queue.add(report);
    notifyAll();
  }

  @Override
  public synchronized int waiting() {
    return queue.size();
  }

  @Override
  public synchronized boolean isIdle() {
    return queue.isEmpty() && underWay == 0 && singly.isIdle();
  }

  @Override
  public synchronized void close() {
    closed = true;
    singly.close();
    notifyAll();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void run() {
    try {
      while (awaitReports()) {
        dropHopeless();
        exchange();
        changed.run();
      }
    } catch (InterruptedException stopped) {
      close();
    }
  }

  private synchronized boolean awaitReports() throws InterruptedException {
    while (queue.isEmpty() && !closed) wait();
    return !closed;
  }

  /** Places are asked for while the reports still wait: the poll lane leaves them to this one. */
  private void exchange() throws InterruptedException {
    Ask more = exchanges && mayAsk && waiting() > 0 ? ask.get() : null;
    List<Report> batch = takeBatch();
    List<Job> jobs = List.of();
    try {
      if (batch.isEmpty()) return;
      if (exchanges && haveTokens(batch)) jobs = send(batch, more);
      else batch.forEach(singly::add);
    } finally {
      if (more != null) more.answered(jobs);
      batchOver();
    }
  }

  /** An exchange takes no report without one. */
  private static boolean haveTokens(List<Report> batch) {
    return batch.stream().allMatch(report -> report.job().leaseToken() != null);
  }

  private List<Job> send(List<Report> batch, Ask more) throws InterruptedException {
    try {
      Exchange.Answer answer = calls.exchange(requestOf(batch, more));
      failures = 0;
      settle(batch, answer);
      return answer.jobs();
    } catch (MillraceException failure) {
      afterFailure(batch, failure);
      return List.of();
    } catch (RuntimeException | StackOverflowError unsendable) {
      if (!isClosed()) batch.forEach(singly::add);
      return List.of();
    }
  }

  private Exchange requestOf(List<Report> batch, Ask more) {
    Exchange request = Exchange.of(settings.workerId());
    for (Report report : inAnswerOrder(batch)) request = report.addTo(request);
    return more == null ? request : request.poll(more.poll());
  }

  private void settle(List<Report> batch, Exchange.Answer answer) {
    List<Report> ordered = inAnswerOrder(batch);
    for (int i = 0; i < ordered.size(); i++) {
      boolean told = i < answer.results().size();
      settled.settled(
          ordered.get(i), told ? answer.results().get(i).outcome() : Exchange.Outcome.UNKNOWN);
    }
  }

  private void afterFailure(List<Report> batch, RuntimeException failure)
      throws InterruptedException {
    if (isClosed()) return;
    if (learns(failure)) putBack(batch);
    else if (SingleReporter.isRefusal(failure)
        || isBreakdown(failure)
        || isLost(failure, batch.size())) batch.forEach(singly::add);
    else tryAgainLater(batch, failure);
  }

  /** An engine without exchange, or one that dispatches through Kafka and takes reports only. */
  private boolean learns(RuntimeException failure) {
    int status = failure instanceof EngineException refused ? refused.status() : 0;
    if (status == 404 || status == 405) exchanges = false;
    else if (status == 410 && mayAsk) mayAsk = false;
    else return false;
    LOG.log(
        Level.INFO, "the engine takes reports in another way, adapting: {0}", failure.toString());
    return true;
  }

  /**
   * The engine answers, but cannot do it: the fault lies with this request and not with the link.
   */
  private static boolean isBreakdown(RuntimeException failure) {
    return failure instanceof EngineException refused && refused.status() == 500;
  }

  /**
   * The engine was there, and this request got no answer: the fault may lie with its size. Many
   * that are late together are not sent one by one, which an engine with too much to do would take
   * longer for.
   */
  private static boolean isLost(RuntimeException failure, int reports) {
    if (!(failure instanceof TransportException lost)) return false;
    return lost.kind() == TransportException.Kind.INTERRUPTED
        || lost.kind() == TransportException.Kind.TIMEOUT && reports == 1;
  }

  private void tryAgainLater(List<Report> batch, RuntimeException failure)
      throws InterruptedException {
    putBack(batch);
    failures++;
    LOG.log(Level.WARNING, "{0} reports not delivered, trying again: {1}", batch.size(), failure);
    settings.clock().sleep(SingleReporter.pauseMs(failure, failures));
  }

  private synchronized List<Report> takeBatch() {
    List<Report> batch = new ArrayList<>();
    int characters = 0;
    while (!queue.isEmpty() && batch.size() < MOST_REPORTS) {
      characters += queue.getFirst().outcome().size() + OVERHEAD;
      if (!batch.isEmpty() && characters > MOST_CHARACTERS) break;
      batch.add(queue.removeFirst().tried());
    }
    underWay = batch.size();
    return batch;
  }

  private synchronized void batchOver() {
    underWay = 0;
  }

  private synchronized void putBack(List<Report> batch) {
    queue.addAll(0, batch);
  }

  private void dropHopeless() {
    List<Report> hopeless = new ArrayList<>();
    synchronized (this) {
      double now = settings.clock().now();
      for (Report report : queue) if (report.isHopeless(now)) hopeless.add(report);
      queue.removeAll(hopeless);
    }
    for (Report report : hopeless) settled.settled(report, null);
  }

  /** The order in which an exchange answers: completed, then failed. */
  private static List<Report> inAnswerOrder(List<Report> batch) {
    List<Report> ordered = new ArrayList<>();
    for (Report report : batch) if (report.outcome().completed()) ordered.add(report);
    for (Report report : batch) if (!report.outcome().completed()) ordered.add(report);
    return ordered;
  }
}
