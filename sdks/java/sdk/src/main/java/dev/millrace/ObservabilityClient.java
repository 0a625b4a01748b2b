// The engine at a glance: how it stands, how it went, which of its parts are well, who is asking.
package dev.millrace;

import static dev.millrace.internal.Call.arguments;

import dev.millrace.internal.Caller;
import dev.millrace.internal.Operation;
import dev.millrace.observability.Health;
import dev.millrace.observability.Overview;
import dev.millrace.observability.Session;
import dev.millrace.observability.Stats;
import java.util.Map;

/** How the engine stands: over REST, also for a client of gRPC. */
public final class ObservabilityClient {
  private final Caller caller;

  ObservabilityClient(Caller caller) {
    this.caller = caller;
  }

  /** Rates, lanes, leases, dead letters and the busiest downstreams, as of now. */
  public Overview overview() {
    return caller.get(Overview.class, Operation.GET_OVERVIEW, Map.of());
  }

  /** Counts and gauges over the last quarter of an hour, hour or day. */
  public Stats stats(Stats.Window window) {
    return caller.get(Stats.class, Operation.GET_STATS, arguments("window", window));
  }

  /** Part by part; throws with status 503 where one of them is not well. */
  public Health health() {
    return caller.get(Health.class, Operation.GET_COMPONENTS, Map.of());
  }

  /** Whether a key is needed, whose it is and what it may do. */
  public Session session() {
    return caller.get(Session.class, Operation.GET_SESSION, Map.of());
  }
}
