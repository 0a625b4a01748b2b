// Runs what the consumers bring, and says which messages are handled.
package dev.millrace.internal.kafka;

import dev.millrace.Backoff;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * In order for each key, as places are free. A message is handled when the engine has answered its
 * report, or has said that the job is no longer this worker's. Only then its id is remembered and
 * its offset may be committed. One of which nothing was reported is run again.
 *
 * <p>If the process dies before the report, the message is not committed and another worker gets
 * it; after the report and before the commit, another worker gets it too, and its report is refused
 * as stale.
 */
public final class KafkaLane implements Runnable, AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.worker");

  /** A message as it came. */
  public record Message(int partition, long offset, String key, byte[] value) {}

  private record Place(Source source, int partition) {}

  private record Key(Source source, String key) {}

  private final KafkaBench bench;
  private final List<? extends Source> sources;
  private final SeenIds seen;
  private final Map<Place, Tenure> tenures = new HashMap<>();
  private final Turns turns = new Turns();
  private final ArrayDeque<Delivery> ready = new ArrayDeque<>();
  private final Set<Delivery> running = new HashSet<>();
  private boolean closed;

  public KafkaLane(KafkaBench bench, Function<KafkaLane, List<? extends Source>> openSources) {
    this.bench = bench;
    this.seen = new SeenIds(bench.clock());
    this.sources = openSources.apply(this);
  }

  /** Until it is interrupted: then nothing is started, and what runs may still be committed. */
  @Override
  public void run() {
    sources.forEach(Source::start);
    try {
      while (!bench.isDraining()) {
        bench.awaitPlace(this::hasReady);
        begin(takeReady());
      }
    } catch (InterruptedException draining) {
      // No more work is wanted.
    } finally {
      sources.forEach(Source::rest);
    }
  }

  /** Leaves the groups; what is not handled is delivered to another worker. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    sources.forEach(Source::close);
  }

  public void received(Source source, List<Message> messages) {
    synchronized (this) {
      for (Message message : messages) receive(source, message);
    }
    bench.ring();
  }

  /**
   * Handlers may end first, for as long as at a stop; then they are told to. Returns what may be
   * committed.
   */
  public Map<Integer, Long> revoked(Source source, Collection<Integer> partitions) {
    Map<Integer, Long> positions = new HashMap<>();
    synchronized (this) {
      List<Tenure> leaving = tenuresOf(source, partitions);
      leaving.forEach(tenure -> tenure.closing = true);
      awaitIdle(leaving);
      for (Tenure tenure : leaving)
        tenure.position().ifPresent(offset -> positions.put(tenure.partition, offset));
    }
    lost(source, partitions);
    return positions;
  }

  /** They are another worker's already, or from now on. */
  void lost(Source source, Collection<Integer> partitions) {
    List<Runnable> stops = new ArrayList<>();
    synchronized (this) {
      for (Tenure tenure : tenuresOf(source, partitions)) {
        tenure.closing = true;
        tenure.over = true;
        tenures.remove(new Place(source, tenure.partition));
        for (Delivery delivery : running)
          if (delivery.tenure == tenure && delivery.stop != null) stops.add(delivery.stop);
      }
    }
    stops.forEach(Runnable::run);
    bench.ring();
  }

  private List<Tenure> tenuresOf(Source source, Collection<Integer> partitions) {
    return partitions.stream()
        .map(partition -> tenures.get(new Place(source, partition)))
        .filter(tenure -> tenure != null)
        .toList();
  }

  private void awaitIdle(List<Tenure> leaving) {
    long deadline = System.nanoTime() + bench.patience().toNanos();
    try {
      while (!closed && running.stream().anyMatch(delivery -> leaving.contains(delivery.tenure))) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) return;
        wait(left);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void receive(Source source, Message message) {
    Place place = new Place(source, message.partition());
    Tenure tenure = tenures.computeIfAbsent(place, p -> new Tenure(source, message.partition()));
    tenure.received(message.offset());
    try {
      Dispatch dispatch = Dispatch.read(message.value());
      String key = message.key() == null ? dispatch.dedupId() : message.key();
      Delivery delivery = new Delivery(tenure, message.offset(), new Key(source, key), dispatch);
      if (turns.join(delivery)) ready.add(delivery);
    } catch (Dispatch.Undecodable wrong) {
      LOG.log(
          Level.ERROR,
          "message {0} of partition {1} of {2} is skipped: {3}",
          message.offset(),
          message.partition(),
          source.topic(),
          wrong.getMessage());
      handled(tenure, message.offset());
    }
  }

  private synchronized boolean hasReady() {
    return !ready.isEmpty();
  }

  private synchronized Delivery takeReady() {
    Delivery delivery = ready.remove();
    if (delivery.tenure.closing) leave(delivery);
    else if (seen.contains(delivery.dispatch.dedupId())) done(delivery);
    else {
      delivery.tries++;
      running.add(delivery);
      return delivery;
    }
    return null;
  }

  private void begin(Delivery delivery) {
    if (delivery == null) {
      bench.leavePlace();
      return;
    }
    Dispatch dispatch = delivery.dispatch;
    Runnable stop =
        bench.run(
            dispatch.job(), dispatch.lacksVariables(), confirmed -> ended(delivery, confirmed));
    boolean late;
    synchronized (this) {
      delivery.stop = stop;
      late = delivery.tenure.over;
    }
    if (late) stop.run();
  }

  private void ended(Delivery delivery, boolean confirmed) {
    synchronized (this) {
      running.remove(delivery);
      delivery.stop = null;
      if (confirmed) {
        seen.add(delivery.dispatch.dedupId());
        done(delivery);
      } else if (delivery.tenure.closing || bench.isDraining()) leave(delivery);
      else tryAgainLater(delivery);
      notifyAll();
    }
    bench.ring();
  }

  private void tryAgainLater(Delivery delivery) {
    LOG.log(
        Level.WARNING,
        "nothing was reported of job {0}, running it again",
        delivery.dispatch.job().id());
    bench.clock().after(Backoff.before(delivery.tries).toNanos() / 1e6, () -> again(delivery));
  }

  private void again(Delivery delivery) {
    synchronized (this) {
      ready.add(delivery);
    }
    bench.ring();
  }

  private void done(Delivery delivery) {
    handled(delivery.tenure, delivery.offset);
    next(delivery);
  }

  /** Not handled here: its offset stays open. */
  private void leave(Delivery delivery) {
    delivery.tenure.source.handled(delivery.tenure.partition, OptionalLong.empty());
    next(delivery);
  }

  private void next(Delivery delivery) {
    Delivery following = turns.leave(delivery);
    if (following != null) ready.add(following);
  }

  private void handled(Tenure tenure, long offset) {
    tenure.handled(offset);
    tenure.source.handled(tenure.partition, tenure.over ? OptionalLong.empty() : tenure.position());
  }
}
