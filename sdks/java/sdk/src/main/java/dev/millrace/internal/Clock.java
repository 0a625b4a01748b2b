// Monotonic time and waiting; tests put a clock of their own here.
package dev.millrace.internal;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Milliseconds that only grow; no relation to the time of day. */
public interface Clock {
  double now();

  /** Runs {@code then} after so many milliseconds, on a thread that it must not block. */
  Timer after(double ms, Runnable then);

  void sleep(double ms) throws InterruptedException;

  /** Something that will happen unless cancelled. */
  interface Timer {
    void cancel();
  }

  /** The machine's own. */
  Clock MONOTONIC =
      new Clock() {
        private final ScheduledThreadPoolExecutor timers = makeTimers();

        /** Most timers are cancelled long before they are due: they must not be kept. */
        private static ScheduledThreadPoolExecutor makeTimers() {
          var timers = new ScheduledThreadPoolExecutor(1, Threads.daemons("millrace-timer"));
          timers.setRemoveOnCancelPolicy(true);
          return timers;
        }

        @Override
        public double now() {
          return System.nanoTime() / 1e6;
        }

        @Override
        public Timer after(double ms, Runnable then) {
          var future = timers.schedule(then, (long) (ms * 1e6), TimeUnit.NANOSECONDS);
          return () -> future.cancel(false);
        }

        @Override
        public void sleep(double ms) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep((long) (ms * 1e6));
        }
      };
}
