// Bugs in the waits of step lists: signals, sleeps, and what is not answered in time.
import type { Mutant } from "../mutant.ts"

const WAIT_TIMEOUTS_TEST = "engine/src/library/running/wait-timeouts.test.ts"
const WAITS_TEST = "engine/src/library/running/waits.test.ts"
const WAITING_TEST = "engine/src/library/running/waiting.test.ts"
const REFUSED_SIGNALS_TEST = "engine/src/library/running/refused-signals.test.ts"
const WAIT_ELEMENTS_TEST = "engine/src/library/authoring/wait-elements.test.ts"

export const WAITS: readonly Mutant[] = [
  {
    id: "unanswered-wait-goes-on",
    file: "engine/src/library/authoring/wait-elements.ts",
    find: 'if (limits.onTimeout !== "continue") throw new WaitTimeout(wait.withinMs, targetOf(limits))',
    replace: "if (limits.onTimeout === undefined) throw new WaitTimeout(wait.withinMs, targetOf(limits))",
    breaks: "A wait with onTimeout fail fails its run when its time is over.",
    tests: [WAIT_TIMEOUTS_TEST],
  },
  {
    id: "wait-begins-anew",
    file: "engine/src/library/authoring/wait-elements.ts",
    find: 'if (open) return { until: open.until, onTimeout: open.onTimeout ?? "continue" }',
    replace: 'if (open && open.until === 0) return { until: open.until, onTimeout: open.onTimeout ?? "continue" }',
    breaks: "How long a wait takes is fixed when the run comes to it first.",
    tests: [WAIT_TIMEOUTS_TEST, WAITS_TEST],
  },
  {
    id: "sleep-begins-anew",
    file: "engine/src/library/authoring/wait-elements.ts",
    find: "const until = openWait(record, name)?.until ?? record.now() + withinMs",
    replace: "const until = record.now() + withinMs",
    breaks: "L1: a sleep ends, however often its run is claimed meanwhile.",
    tests: [WAITS_TEST, WAITING_TEST],
  },
  {
    id: "unfit-signal-taken",
    file: "engine/src/library/authoring/wait-elements.ts",
    find: "if (payload === null || !wait.schema) return { value: payload }",
    replace: 'if (payload === null || wait.signal !== "") return { value: payload }',
    breaks: "A signal that does not fit the schema of its wait is refused.",
    tests: [REFUSED_SIGNALS_TEST],
  },
  {
    id: "parked-for-the-longest-wait",
    file: "engine/src/library/authoring/wait-elements.ts",
    find: "delayMs: times.length > 0 ? Math.min(...times) : null",
    replace: "delayMs: times.length > 0 ? Math.max(...times) : null",
    breaks: "L1: a run with several waits goes on when the first of them is over.",
    tests: [WAIT_ELEMENTS_TEST],
  },
]
