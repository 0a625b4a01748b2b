// What tests are made of: a job, and the files of the repository.
package dev.millrace.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

public final class Samples {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private Samples() {}

  /** A job of type charge-card; names and values in turn change it. */
  public static Map<String, Object> job(Object... changes) {
    String id = "job-" + COUNT.incrementAndGet();
    Map<String, Object> job = new LinkedHashMap<>();
    job.put("id", id);
    job.put("jobType", "charge-card");
    job.put("instanceId", "instance-1");
    job.put("stepId", "charge");
    job.put("stepExecutionId", "execution-1");
    job.put("retriesRemaining", 3);
    job.put("variables", Map.of("amount", 42));
    job.put("lockExpiresAt", "2030-01-01T00:00:00.000Z");
    job.put("leaseToken", "token-" + id);
    job.put("attempt", 1);
    job.put("priority", "normal");
    job.put("definitionId", "order");
    job.put("idempotencyKey", "key-" + id);
    for (int i = 0; i < changes.length; i += 2) job.put((String) changes[i], changes[i + 1]);
    return job;
  }

  public static String id(Map<String, Object> job) {
    return (String) job.get("id");
  }

  /** A file of the repository. */
  public static String read(String path) {
    try {
      return Files.readString(Path.of("../../..").resolve(path));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }
}
