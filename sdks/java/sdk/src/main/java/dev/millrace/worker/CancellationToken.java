// Tells a handler to stop.
package dev.millrace.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Fires once, and interrupts the handler's thread. */
public final class CancellationToken {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  private final CountDownLatch fired = new CountDownLatch(1);
  private final List<Runnable> listeners = new ArrayList<>();
  private Reason reason;
  private Thread thread;

  /** Why a handler has to stop. */
  public enum Reason {
    /** The lease is lost, or could not be extended in time. */
    LEASE_LOST,
    /** The time for one attempt is over. */
    TIMEOUT,
    /** The runner stops and will not wait any longer. */
    RUNNER_STOPPED
  }

  public boolean isCancelled() {
    return fired.getCount() == 0;
  }

  /** Empty until it fires. */
  public synchronized Optional<Reason> reason() {
    return Optional.ofNullable(reason);
  }

  /** Runs {@code listener} when it fires, or at once where it has; keep it quick. */
  public void onCancel(Runnable listener) {
    synchronized (this) {
      if (reason == null) {
        listeners.add(listener);
        return;
      }
    }
    listener.run();
  }

  /** Waits until it fires; false after that much time. */
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    return fired.await(time, unit);
  }

  /** Only the first reason counts. */
  void cancel(Reason why) {
    List<Runnable> told;
    synchronized (this) {
      if (reason != null) return;
      reason = why;
      fired.countDown();
      told = List.copyOf(listeners);
      if (thread != null) thread.interrupt();
    }
    told.forEach(CancellationToken::tell);
  }

  /** What one listener throws must not keep the others from being told. */
  private static void tell(Runnable listener) {
    try {
      listener.run();
    } catch (Throwable dropped) {
      LOG.log(System.Logger.Level.WARNING, "a listener to a cancellation failed", dropped);
    }
  }

  /** The calling thread is the handler's from now. */
  synchronized void attach() {
    thread = Thread.currentThread();
    if (reason != null) thread.interrupt();
  }

  /** The handler is over: the thread is used for other things, and must not be interrupted. */
  synchronized void detach() {
    thread = null;
    Thread.interrupted();
  }
}
