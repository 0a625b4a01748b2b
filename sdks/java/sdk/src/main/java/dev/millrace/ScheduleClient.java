// Schedules: what is started by the clock.
package dev.millrace;

import static dev.millrace.internal.Call.arguments;

import dev.millrace.internal.Caller;
import dev.millrace.internal.Operation;
import dev.millrace.internal.Pages;
import dev.millrace.queue.Schedule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Schedules: over REST, also for a client of gRPC. */
public final class ScheduleClient {
  private final Caller caller;

  ScheduleClient(Caller caller) {
    this.caller = caller;
  }

  public Page<Schedule> list(PageRequest page) {
    return caller.page(Schedule.class, Operation.LIST_SCHEDULES, Map.of(), page);
  }

  /** Every one, page after page. */
  public Stream<Schedule> all() {
    return Pages.follow(this::list);
  }

  public Schedule create(Schedule.Request request) {
    return caller.get(Schedule.class, Operation.CREATE_SCHEDULE, request.toMap());
  }

  public Schedule get(String id) {
    return caller.get(Schedule.class, Operation.GET_SCHEDULE, arguments("scheduleId", id));
  }

  /** Makes it, or puts it in the place of the one that is there. */
  public Schedule put(String id, Schedule.Request request) {
    return caller.get(Schedule.class, Operation.PUT_SCHEDULE, named(id, request));
  }

  /** What is left out stays as it is. */
  public Schedule change(String id, Schedule.Request request) {
    return caller.get(Schedule.class, Operation.CHANGE_SCHEDULE, named(id, request));
  }

  public void delete(String id) {
    caller.call(Operation.DELETE_SCHEDULE, arguments("scheduleId", id));
  }

  /** Now, besides its times. */
  public Schedule.Run run(String id) {
    return caller.get(Schedule.Run.class, Operation.RUN_SCHEDULE, arguments("scheduleId", id));
  }

  /** What became of its times, newest first. */
  public Page<Schedule.Run> runs(String id, PageRequest page) {
    Map<String, Object> asked = arguments("scheduleId", id);
    return caller.page(Schedule.Run.class, Operation.LIST_SCHEDULE_RUNS, asked, page);
  }

  private static Map<String, Object> named(String id, Schedule.Request request) {
    Map<String, Object> asked = new LinkedHashMap<>(arguments("scheduleId", id));
    asked.putAll(request.toMap());
    return asked;
  }
}
