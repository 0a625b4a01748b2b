// Counts what a runner may still take on: handlers that run, and places promised to requests that
// ask for jobs.
package dev.millrace.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;

/**
 * free = capacity − running − asked. A request asks only for free places, so the answer always
 * fits. Every change wakes those who wait here.
 */
final class Slots {
  private final int capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int running;
  private int asked;

  Slots(int capacity) {
    this.capacity = capacity;
  }

  /** Promises places: as many as {@code choose} says of those that are free, perhaps none. */
  int ask(IntUnaryOperator choose) {
    lock.lock();
    try {
      int places = Math.max(0, choose.applyAsInt(capacity - running - asked));
      asked += places;
      return places;
    } finally {
      lock.unlock();
    }
  }

  /** Takes promised places back; so many of them now run a handler. */
  void answered(int places, int jobs) {
    change(
        () -> {
          asked -= places;
          running += jobs;
        });
  }

  /** One handler is over; {@code then} is part of the same change. */
  void finish(Runnable then) {
    change(
        () -> {
          running--;
          then.run();
        });
  }

  /** Something else changed that those who wait may want to know. */
  void ring() {
    change(() -> {});
  }

  int running() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  boolean isIdle() {
    lock.lock();
    try {
      return running == 0 && asked == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the condition holds; false after so many milliseconds. */
  boolean await(BooleanSupplier condition, double ms) throws InterruptedException {
    long left = (long) (ms * 1e6);
    lock.lockInterruptibly();
    try {
      while (!condition.getAsBoolean()) {
        if (left <= 0) return false;
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  void await(BooleanSupplier condition) throws InterruptedException {
    await(condition, TimeUnit.DAYS.toMillis(36_500));
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
