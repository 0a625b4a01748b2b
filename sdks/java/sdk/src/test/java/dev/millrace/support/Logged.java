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
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  public Logged() {
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  public List<LogRecord> records() {
    return List.copyOf(records);
  }

  public List<String> messages() {
    SimpleFormatter formatter = new SimpleFormatter();
    return records.stream().map(formatter::formatMessage).toList();
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
