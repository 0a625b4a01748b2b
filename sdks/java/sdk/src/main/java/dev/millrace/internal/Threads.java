// Threads of the SDK: virtual ones where the running Java has them.
package dev.millrace.internal;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** All are daemons: an application that ends is not kept alive by its worker. */
public final class Threads {
  private Threads() {}

  public static ThreadFactory daemons(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** One thread for each task; virtual from Java 21 on. */
  public static ExecutorService perTask(String name) {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException olderJava) {
      return Executors.newCachedThreadPool(daemons(name));
    }
  }
}
