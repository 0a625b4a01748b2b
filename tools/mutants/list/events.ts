// Bugs in the outbox, its relay, consumers, and dispatch through Kafka.
import type { Mutant } from "../mutant.ts"

const HORIZON_TEST = "engine/src/model/events/horizon.test.ts"
const RELAY_TEST = "engine/src/operations/events/relay.test.ts"
const PLAN_MOVE_TEST = "engine/src/model/events/plan-move.test.ts"
const PARKED_EVENTS_TEST = "engine/src/operations/events/parked-events.test.ts"
const TAKE_MESSAGE_TEST = "engine/src/operations/events/consume/take-message.test.ts"
const CONSUME_TEST = "engine/src/library/running/consume/consume.test.ts"
const DISPATCH_ROWS_TEST = "engine/src/operations/jobs/dispatch/dispatch-rows.test.ts"

export const EVENTS: readonly Mutant[] = [
  {
    id: "relay-passes-open-transactions",
    file: "engine/src/model/events/horizon.ts",
    find: "if (xmin < pending.xid) return { settledSeq, pending }",
    replace: "if (xmin < pending.xid) return { settledSeq: pending.lastSeq, pending }",
    breaks: "S17: the relay passes no place that an open transaction may still fill.",
    tests: [HORIZON_TEST],
  },
  {
    id: "relay-settles-too-much",
    file: "engine/src/model/events/horizon.ts",
    find: "return { settledSeq: Math.max(settledSeq, pending.lastSeq), pending: fresh }",
    replace: "return { settledSeq: Math.max(settledSeq, lastSeq), pending: fresh }",
    breaks: "S17: what is settled is what was given out before the transaction number.",
    tests: [HORIZON_TEST],
  },
  {
    id: "unsettled-events-sent",
    file: "engine/src/operations/events/relay.ts",
    find: "events: events.filter(({ seq }) => seq <= settledSeq),",
    replace: "events,",
    breaks: "S18: no event is sent before those that may still come before it.",
    tests: [RELAY_TEST],
  },
  {
    id: "relay-marks-without-term",
    file: "engine/src/operations/events/mark-events.ts",
    find: `const [, atSeq] = await Promise.all([proveTerm(tx), lockSink(tx, sink)])
    if`,
    replace: `const [, atSeq] = await Promise.all([undefined, lockSink(tx, sink)])
    if`,
    breaks: "S17: an old leader of a sink does not move its position.",
    tests: [RELAY_TEST],
  },
  {
    id: "relay-moves-a-moved-sink",
    file: "engine/src/operations/events/mark-events.ts",
    find: `    if (atSeq !== fromSeq) return
`,
    replace: "",
    breaks: "S17: a sink that was moved meanwhile stays where it was put.",
    tests: [RELAY_TEST],
  },
  {
    id: "relay-moves-before-the-answer",
    file: "engine/src/model/events/plan-move.ts",
    find: "return { toSeq: doneSeq, parked, stopped: stopOf(verdict) }",
    replace: "return { toSeq: event.seq, parked, stopped: stopOf(verdict) }",
    breaks: "S17: an event that the sink did not take is sent again.",
    tests: [PLAN_MOVE_TEST],
  },
  {
    id: "relay-parks-out-of-order",
    file: "engine/src/model/events/plan-move.ts",
    find: "if (parking && event.key !== null) keys.add(event.key)",
    replace: "if (parking && event.key === null) keys.add(event.seq.toString())",
    breaks: "S18: the events behind a parked one of their key wait for it.",
    tests: [PLAN_MOVE_TEST],
  },
  {
    id: "unknown-verdict-is-sent",
    file: "engine/src/model/events/plan-move.ts",
    find: 'return verdict ?? { kind: "unknown", reason: "the sink has said nothing of it" }',
    replace: 'return verdict ?? { kind: "sent" }',
    breaks: "S17: an event that the sink has said nothing of is not taken for sent.",
    tests: [PLAN_MOVE_TEST],
  },
  {
    id: "one-try-more",
    file: "engine/src/model/events/plan-move.ts",
    find: 'if (kind !== "failed" || attempts >= tries) return null',
    replace: 'if (kind !== "failed" || attempts > tries) return null',
    breaks: "An event is tried as often as is configured, and then waits for an operator.",
    tests: [PLAN_MOVE_TEST],
  },
  {
    id: "behind-a-parked-event",
    file: "engine/src/store/events/events.sql",
    find: "select from millrace.parked_events p where p.sink = @sink and p.key = e.key",
    replace: "select from millrace.parked_events p where p.sink = @sink and p.key = e.id",
    breaks: "S18: an event is not sent while an earlier one of its key is parked.",
    tests: [RELAY_TEST, PARKED_EVENTS_TEST],
  },
  {
    id: "message-marked-for-all-groups",
    file: "engine/src/store/events/processed-events.sql",
    find: "select exists (select from marked m where m.event_id = a.event_id) as is_new, exists (",
    replace: "select true as is_new, exists (",
    breaks: "S19: a group of consumers takes each event once.",
    tests: [TAKE_MESSAGE_TEST],
  },
  {
    id: "message-handled-before-its-mark",
    file: "engine/src/operations/events/consume/take-message.ts",
    find: 'const fresh = messages.filter((_, at) => marks[at] === "new")',
    replace: "const fresh = messages",
    breaks: "S19: a message that was taken before is not handled again.",
    tests: [TAKE_MESSAGE_TEST],
  },
  {
    id: "lost-failure-of-a-message",
    file: "engine/src/operations/events/consume/take-message.ts",
    find: "if (!isMarked || signal.aborted) throw error",
    replace: "if (!isMarked) throw error",
    breaks: "S19: a message that is taken away from its handler is delivered again, and not counted as failed.",
    tests: [TAKE_MESSAGE_TEST],
  },
  {
    id: "closed-lane-ignored",
    file: "engine/src/store/events/processed-events.sql",
    find: "select from millrace.consumer_lanes l where l.consumer = @consumer and l.lane = a.lane) as is_held",
    replace:
      "select from millrace.consumer_lanes l where l.consumer = @consumer and l.lane = a.lane and l.job_id is null) as is_held",
    breaks: "S18: a message waits behind a failed one of its lane.",
    tests: [TAKE_MESSAGE_TEST, CONSUME_TEST],
  },
  {
    id: "newest-queued-message-first",
    file: "engine/src/store/events/consumer-lanes.sql",
    find: `where n.consumer = @consumer and n.lane = @lane
  order by n.place limit 1)`,
    replace: `where n.consumer = @consumer and n.lane = @lane
  order by n.place desc limit 1)`,
    breaks: "S18: messages of a lane are taken in their order.",
    tests: [CONSUME_TEST],
  },
  {
    id: "dispatch-published-without-row",
    file: "engine/src/store/jobs/dispatches.sql",
    find: `and j.epoch = d.epoch
  and j.status = 'leased'
left join`,
    replace: `and j.epoch >= d.epoch
  and j.status = 'leased'
left join`,
    breaks: "S7: a job that another claimant has is not published again.",
    tests: [DISPATCH_ROWS_TEST],
  },
  {
    id: "dispatch-held-of-another",
    file: "engine/src/store/jobs/dispatches.sql",
    find: "select x.*, j.status = 'leased' and j.epoch = x.epoch as is_ours",
    replace: "select x.*, true as is_ours",
    breaks: "S6: a dispatch that failed holds only the claim that it was made for.",
    tests: [DISPATCH_ROWS_TEST],
  },
  {
    id: "unread-message-released",
    file: "engine/src/store/jobs/published-dispatches.sql",
    find: "and d.job_type = x.job_type and d.partition = x.partition and d.log_offset < x.log_offset",
    replace: "and d.job_type = x.job_type and d.partition = x.partition and d.log_offset <= x.log_offset",
    breaks: "S6: a message that the consumers have not passed keeps its lease.",
    tests: [DISPATCH_ROWS_TEST],
  },
]
