// What a lane needs of its runner.
package dev.millrace.internal.kafka;

import dev.millrace.internal.Clock;
import dev.millrace.job.Job;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

public interface KafkaBench {
  /** Waits until something is ready and a place is free, and takes the place. */
  void awaitPlace(BooleanSupplier ready) throws InterruptedException;

  /** Gives a place back that was not needed. */
  void leavePlace();

  /** What waits for a place looks again. */
  void ring();

  /**
   * Runs a job in a place that was taken. {@code ended} is called once: true when the engine has
   * the outcome or wants none from here, false when nothing was reported. The returned function
   * tells the handler to stop. With {@code lacksVariables} the engine is asked for them first.
   */
  Runnable run(Job job, boolean lacksVariables, Consumer<Boolean> ended);

  /** A consumer broke: the worker has to stop. */
  void broken(Throwable fault);

  /** The runner drains. */
  boolean isDraining();

  /** How long handlers may take to end. */
  Duration patience();

  Clock clock();
}
