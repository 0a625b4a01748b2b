// Dead letters: what was given up, looked at, put back or thrown away.
package dev.millrace;

import static dev.millrace.internal.Call.arguments;

import dev.millrace.instance.Bulk;
import dev.millrace.internal.Caller;
import dev.millrace.internal.Operation;
import dev.millrace.internal.Pages;
import dev.millrace.queue.DeadLetter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Dead letters: over REST, also for a client of gRPC. */
public final class DeadLetterClient {
  private final Caller caller;

  DeadLetterClient(Caller caller) {
    this.caller = caller;
  }

  /** One page, newest first. */
  public Page<DeadLetter> list(DeadLetter.Filter filter, PageRequest page) {
    return caller.page(DeadLetter.class, Operation.LIST_DEAD_LETTERS, filter.toMap(), page);
  }

  /** Every one that matches, page after page. */
  public Stream<DeadLetter> all(DeadLetter.Filter filter) {
    return Pages.follow(page -> list(filter, page));
  }

  /** By error, the most frequent first; both times may be null. */
  public List<DeadLetter.Group> groups(Instant since, Instant before) {
    Map<String, Object> asked = arguments("since", since, "before", before);
    return caller.list(DeadLetter.Group.class, Operation.GROUP_DEAD_LETTERS, "items", asked);
  }

  /** With how each of its attempts ended. */
  public DeadLetter get(String id) {
    return caller.get(DeadLetter.class, Operation.GET_DEAD_LETTER, arguments("deadLetterId", id));
  }

  /** Back into its lane, with its budget of retries as it was. */
  public DeadLetter.Replayed replay(String id) {
    Map<String, Object> asked = arguments("deadLetterId", id);
    return caller.get(DeadLetter.Replayed.class, Operation.REPLAY_DEAD_LETTER, asked);
  }

  public void discard(String id) {
    caller.call(Operation.DISCARD_DEAD_LETTER, arguments("deadLetterId", id));
  }

  /** Follow it with {@link EngineClient#getBulk}. A dry run counts, and changes nothing. */
  public Bulk replayAll(DeadLetter.Filter filter, boolean dryRun) {
    Map<String, Object> asked = arguments("filter", filter, "dryRun", dryRun);
    return caller.get(Bulk.class, Operation.REPLAY_DEAD_LETTERS, asked);
  }

  public Bulk discardAll(DeadLetter.Filter filter, boolean dryRun) {
    Map<String, Object> asked = arguments("filter", filter, "dryRun", dryRun);
    return caller.get(Bulk.class, Operation.DISCARD_DEAD_LETTERS, asked);
  }
}
