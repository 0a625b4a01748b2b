// A clock that stands still until a test moves it.
package dev.millrace.support;

import dev.millrace.internal.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;

public class ManualClock implements Clock {
  private record Pending(double at, Runnable then) {}

  private double now;
  private final List<Pending> pending = new ArrayList<>();

  @Override
  public synchronized double now() {
    return now;
  }

  @Override
  public synchronized Timer after(double ms, Runnable then) {
    Pending added = new Pending(now + ms, then);
    pending.add(added);
    notifyAll();
    return () -> remove(added);
  }

  private synchronized void remove(Pending cancelled) {
    pending.removeIf(p -> p == cancelled);
  }

  @Override
  public void sleep(double ms) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    Timer timer = after(ms, over::countDown);
    try {
      over.await();
    } finally {
      timer.cancel();
    }
  }

  /** How far away what is pending is, nearest first. */
  public synchronized List<Double> pending() {
    return pending.stream().map(p -> p.at() - now).sorted().toList();
  }

  /** Waits until something is due within so many milliseconds. */
  public synchronized void awaitTimerWithin(double ms) throws InterruptedException {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (pending().isEmpty() || pending().get(0) > ms) {
      if (System.nanoTime() > deadline) throw new AssertionError("no timer: " + pending());
      wait(20);
    }
  }

  /** Waits until something is due in exactly so many milliseconds. */
  public synchronized void awaitTimerAt(double ms) throws InterruptedException {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (pending().stream().noneMatch(p -> Math.abs(p - ms) < 1e-6)) {
      if (System.nanoTime() > deadline) throw new AssertionError("no timer: " + pending());
      wait(20);
    }
  }

  public void advance(double ms) {
    List<Pending> due;
    synchronized (this) {
      now += ms;
      due =
          pending.stream()
              .filter(p -> p.at() <= now)
              .sorted(Comparator.comparingDouble(Pending::at))
              .toList();
      pending.removeAll(due);
    }
    due.forEach(p -> p.then().run());
  }
}
