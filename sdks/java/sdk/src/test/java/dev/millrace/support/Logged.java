// Listens to what the SDK logs.
package dev.millrace.support;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

public final class Logged extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.millrace");
  private final SimpleFormatter formatter = new SimpleFormatter();
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  public Logged() {
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  public List<LogRecord> records() {
    return List.copyOf(records);
  }

  public List<String> messages() {
    return records.stream().map(formatter::formatMessage).toList();
  }

  /** The messages that begin so and come without a stack. */
  public List<String> lines(String start) {
    return records.stream()
        .filter(record -> record.getThrown() == null)
        .map(formatter::formatMessage)
        .filter(message -> message.startsWith(start))
        .toList();
  }

  public boolean heard(String part) {
    return messages().stream().anyMatch(message -> message.contains(part));
  }

  @Override
  public void publish(LogRecord record) {
    records.add(record);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
