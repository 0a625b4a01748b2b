// The rules of outcome: what a handler returned or threw, as the engine is told.
package dev.millrace.worker;

import dev.millrace.internal.Json;
import dev.millrace.internal.Records;
import dev.millrace.job.Failure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/**
 * What came of a job.
 *
 * @param variables of a completed one; null sets none
 * @param failure null where it completed
 * @param size about how many characters it takes on the wire
 */
record Outcome(Map<String, Object> variables, Failure failure, int size) {
  /** Longer messages help no reader, and a report has to fit into a request. */
  private static final int LONGEST_MESSAGE = 4_000;

  /** No engine takes a larger request, whatever its settings. */
  private static final int LARGEST_RESULT = 16 << 20;

  /** The engine keeps no more of a stack; its beginning says most. */
  private static final int LONGEST_STACK = 8_000;

  private static final String REPORTED = "variables";

  /**
   * What is not JSON, or more deeply nested than an engine takes, would fail in the same way on
   * every attempt. It is judged as part of a report, which is one level more.
   */
  @SuppressWarnings("unchecked")
  static Outcome ofReturn(Map<String, ?> returned) {
    if (returned == null) return new Outcome(null, null, 0);
    try {
      Map<String, Object> report = (Map<String, Object>) Records.write(Map.of(REPORTED, returned));
      Map<String, Object> variables = (Map<String, Object>) report.get(REPORTED);
      int size = Json.write(report).length();
      return size > LARGEST_RESULT ? tooLarge(size) : new Outcome(variables, null, size);
    } catch (Throwable notJson) {
      return failed(
          Failure.forGood(
              "the handler returned variables that are not JSON: " + messageOf(notJson)));
    }
  }

  static Outcome ofThrown(Throwable thrown) {
    String message = messageOf(thrown);
    boolean forGood = thrown instanceof Error || thrown instanceof NonRetryableException;
    Failure failure = forGood ? Failure.forGood(message) : Failure.retryable(message);
    if (thrown instanceof RetryLaterException later) failure = failure.retryAfter(later.after());
    return failed(withPushback(failure.stack(stackOf(thrown)), thrown));
  }

  /** An exception of the user's may throw where it is asked for its cause, too. */
  private static Failure withPushback(Failure failure, Throwable thrown) {
    try {
      return Pushback.addTo(failure, thrown);
    } catch (Throwable unreadable) {
      return failure;
    }
  }

  static Outcome noHandler(String jobType) {
    return failed(Failure.forGood("no handler registered for " + jobType));
  }

  static Outcome timedOut(double seconds) {
    String shown = seconds == Math.rint(seconds) ? String.valueOf((long) seconds) : "" + seconds;
    return failed(
        Failure.retryable("timed out after " + shown + " s")
            .downstreamStatus(Pushback.GATEWAY_TIMEOUT));
  }

  private static Outcome tooLarge(int size) {
    return failed(
        Failure.forGood(
            "the handler returned "
                + size
                + " characters of variables: return a reference to what is large"));
  }

  /** The engine will not take these variables, now or later. */
  static Outcome refusedByEngine(String message) {
    return failed(Failure.forGood("the engine refused the result: " + message));
  }

  /** The wire cannot carry these variables, now or later. */
  static Outcome unsendable(Throwable fault) {
    return failed(
        Failure.forGood("the handler returned variables that cannot be sent: " + messageOf(fault)));
  }

  boolean completed() {
    return failure == null;
  }

  private static Outcome failed(Failure failure) {
    String message = clean(failure.errorMessage(), LONGEST_MESSAGE);
    String stack = failure.stack() == null ? null : clean(failure.stack(), LONGEST_STACK);
    Failure told =
        new Failure(
            failure.retryable(), message, failure.retryAfter(), failure.downstreamStatus(), stack);
    return new Outcome(null, told, message.length() + (stack == null ? 0 : stack.length()));
  }

  /** Null where it cannot be printed: an exception is printed by code of the user's as well. */
  private static String stackOf(Throwable thrown) {
    try {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      return text.toString();
    } catch (Throwable unprintable) {
      return null;
    }
  }

  /** A message is made by code of the user's, which may throw; the failure is told all the same. */
  private static String messageOf(Throwable thrown) {
    String name = thrown.getClass().getSimpleName();
    try {
      String message = thrown.getMessage();
      return message == null || message.isEmpty() ? name : message;
    } catch (Throwable unreadable) {
      return name + ", whose message could not be read: its getMessage() throws";
    }
  }

  /** NUL and half surrogates cannot be stored, and a failure refused for its text would be lost. */
  private static String clean(String text, int longest) {
    String cut = text.substring(0, Math.min(longest, text.length()));
    StringBuilder cleaned = new StringBuilder(cut.length());
    cut.codePoints()
        .map(
            c ->
                c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)
                    ? 0xfffd
                    : c)
        .forEach(cleaned::appendCodePoint);
    return cleaned.toString();
  }
}
