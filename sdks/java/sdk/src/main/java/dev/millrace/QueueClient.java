// Jobs that stand alone, and what steers the queue while the engine runs.
package dev.millrace;

import static dev.millrace.internal.Call.arguments;

import dev.millrace.instance.WaitingReason;
import dev.millrace.internal.Caller;
import dev.millrace.internal.Operation;
import dev.millrace.internal.Pages;
import dev.millrace.internal.Records;
import dev.millrace.queue.Downstream;
import dev.millrace.queue.EndedJob;
import dev.millrace.queue.JobType;
import dev.millrace.queue.LiveJob;
import dev.millrace.queue.NewJob;
import dev.millrace.queue.Pause;
import dev.millrace.queue.QueueMetrics;
import dev.millrace.queue.StandaloneJob;
import dev.millrace.queue.Watermarks;
import dev.millrace.queue.Weights;
import dev.millrace.queue.WorkerInView;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The queue: over REST, also for a client of gRPC. */
public final class QueueClient {
  private final Caller caller;

  QueueClient(Caller caller) {
    this.caller = caller;
  }

  /** Puts a job into the queue, for the workers of its type. */
  public StandaloneJob enqueue(NewJob job) {
    return caller.get(StandaloneJob.class, Operation.ENQUEUE, job.toMap());
  }

  /** Up to 1000 jobs: their ids, in this order. */
  public List<String> enqueueMany(List<NewJob> jobs) {
    return caller.list(String.class, Operation.ENQUEUE_MANY, "ids", arguments("jobs", jobs));
  }

  public StandaloneJob getJob(String id) {
    return caller.get(StandaloneJob.class, Operation.GET_JOB, arguments("jobId", id));
  }

  /** {@code reason} may be null. */
  public StandaloneJob cancelJob(String id, String reason) {
    Map<String, Object> asked = arguments("jobId", id, "reason", reason);
    return caller.get(StandaloneJob.class, Operation.CANCEL_JOB, asked);
  }

  /** Why a job is not moving. */
  public List<WaitingReason> getJobWaiting(String id) {
    Map<String, Object> asked = arguments("jobId", id);
    return caller.list(WaitingReason.class, Operation.GET_JOB_WAITING, "reasons", asked);
  }

  /** One page of the jobs that are not done, of workflows and standalone ones. */
  @SuppressWarnings("unchecked")
  public Page<LiveJob> listJobs(LiveJob.Filter filter, PageRequest page) {
    Map<String, Object> asked = (Map<String, Object>) Records.write(filter);
    return caller.page(LiveJob.class, Operation.LIST_JOBS, asked, page);
  }

  /** Every one that matches, page after page. */
  public Stream<LiveJob> jobs(LiveJob.Filter filter) {
    return Pages.follow(page -> listJobs(filter, page));
  }

  /** One page of the standalone jobs that have ended, newest first. */
  @SuppressWarnings("unchecked")
  public Page<EndedJob> listEndedJobs(EndedJob.Filter filter, PageRequest page) {
    Map<String, Object> asked = (Map<String, Object>) Records.write(filter);
    return caller.page(EndedJob.class, Operation.LIST_ENDED_JOBS, asked, page);
  }

  /** Every one that matches, page after page. */
  public Stream<EndedJob> endedJobs(EndedJob.Filter filter) {
    return Pages.follow(page -> listEndedJobs(filter, page));
  }

  /** The attempts of a standalone job that are over, the latest first. */
  public List<EndedJob.Attempt> getJobAttempts(String id) {
    Map<String, Object> asked = arguments("jobId", id);
    return caller.list(EndedJob.Attempt.class, Operation.GET_JOB_ATTEMPTS, "items", asked);
  }

  /**
   * Enqueues a new job with the payload of one that has ended, and returns its id. A dead letter is
   * replayed instead.
   */
  public String rerunJob(String id) {
    Map<String, Object> asked = arguments("jobId", id);
    return caller.get(EndedJob.Rerun.class, Operation.RERUN_JOB, asked).jobId();
  }

  public QueueMetrics metrics() {
    return caller.get(QueueMetrics.class, Operation.GET_QUEUE_METRICS, Map.of());
  }

  public Weights.InForce weights() {
    return caller.get(Weights.InForce.class, Operation.GET_WEIGHTS, Map.of());
  }

  /** In force everywhere when this returns. */
  @SuppressWarnings("unchecked")
  public Weights.InForce setWeights(Weights weights) {
    Map<String, Object> asked = (Map<String, Object>) Records.write(weights);
    return caller.get(Weights.InForce.class, Operation.SET_WEIGHTS, asked);
  }

  /** Back to what is configured. */
  public void resetWeights() {
    caller.call(Operation.RESET_WEIGHTS, Map.of());
  }

  /** Where admission stops and goes on. */
  public Watermarks.InForce watermarks() {
    return caller.get(Watermarks.InForce.class, Operation.GET_WATERMARKS, Map.of());
  }

  /** In force for the next job; what is not named keeps what it has. */
  @SuppressWarnings("unchecked")
  public Watermarks.InForce setWatermarks(Watermarks watermarks) {
    Map<String, Object> asked = (Map<String, Object>) Records.write(watermarks);
    return caller.get(Watermarks.InForce.class, Operation.SET_WATERMARKS, asked);
  }

  /** Back to what is configured. */
  public void resetWatermarks() {
    caller.call(Operation.RESET_WATERMARKS, Map.of());
  }

  public List<Pause> pauses() {
    return caller.list(Pause.class, Operation.LIST_PAUSES, "items", Map.of());
  }

  /** Its jobs are taken in, and not handed out. {@code reason} may be null. */
  public Pause pause(Pause.Kind kind, String name, String reason) {
    Map<String, Object> asked = arguments("kind", kind, "name", name, "reason", reason);
    return caller.get(Pause.class, Operation.PAUSE, asked);
  }

  public void resume(Pause.Kind kind, String name) {
    caller.call(Operation.RESUME, arguments("kind", kind, "name", name));
  }

  /** Hands out nothing of a priority. */
  public void pauseQueue(Priority name, String reason) {
    caller.call(Operation.PAUSE_QUEUE, arguments("name", name, "reason", reason));
  }

  public void resumeQueue(Priority name, String reason) {
    caller.call(Operation.RESUME_QUEUE, arguments("name", name, "reason", reason));
  }

  public List<Downstream> downstreams() {
    return caller.list(Downstream.class, Operation.LIST_DOWNSTREAMS, "items", Map.of());
  }

  public Downstream downstream(String name) {
    return caller.get(Downstream.class, Operation.GET_DOWNSTREAM, arguments("name", name));
  }

  /** These limits and no others: what is null is not limited. */
  @SuppressWarnings("unchecked")
  public Downstream setDownstream(String name, Downstream.Limits limits) {
    Map<String, Object> asked = new LinkedHashMap<>(arguments("name", name));
    asked.putAll((Map<String, Object>) Records.write(limits));
    return caller.get(Downstream.class, Operation.SET_DOWNSTREAM, asked);
  }

  public void deleteDownstream(String name) {
    caller.call(Operation.DELETE_DOWNSTREAM, arguments("name", name));
  }

  public List<JobType> jobTypes() {
    return caller.list(JobType.class, Operation.LIST_JOB_TYPES, "items", Map.of());
  }

  /** How long one attempt may run, for jobs that name no time; null is not limited. */
  public JobType setJobType(String name, Duration timeout) {
    Map<String, Object> asked = arguments("name", name, "timeout", timeout);
    return caller.get(JobType.class, Operation.SET_JOB_TYPE, asked);
  }

  public List<WorkerInView> workers() {
    return caller.list(WorkerInView.class, Operation.LIST_WORKERS, "items", Map.of());
  }
}
