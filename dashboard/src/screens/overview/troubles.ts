// What is wrong, the worst first: what is refused, stuck, failing, late, held back. A pure function of what the engine tells.
import type { DeadGroup } from "../../api/dead-letters.ts"
import type { JobType } from "../../api/job-types.ts"
import type { Overview, Priority } from "../../api/overview.ts"
import type { Pause } from "../../api/pauses.ts"
import { firstLine } from "../../kit/cut-text.tsx"
import { refusal } from "../../kit/depth-bar.tsx"
import { count } from "../../kit/numbers.ts"
import type { Tone } from "../../kit/status.tsx"
import { durationText } from "../../kit/time.tsx"

/** Where it can be looked into. */
export type Where =
  | { readonly to: "/queues" | "/workers" | "/user-tasks" }
  | { readonly to: "/jobs"; readonly priority: Priority }
  /** Without a failure: all of them, by their error. */
  | { readonly to: "/dead-letters"; readonly failure?: string }

export interface Trouble {
  readonly kind: "shut" | "stuck" | "failing" | "late" | "paused"
  readonly tone: Tone
  readonly what: string
  readonly where: Where
}

export interface Evidence {
  readonly overview: Overview
  /** Types with jobs that no worker asks for. */
  readonly unpolled: readonly JobType[]
  readonly groups: readonly DeadGroup[]
  readonly pauses: readonly Pause[]
}

/** Work that has waited for longer is late. */
const LATE_SECONDS = 300
/** How many troubles of each kind are shown. The others are counted, and the screen behind has them. */
const MOST = 3

export const troublesOf = (evidence: Evidence): readonly Trouble[] => [
  ...shutGates(evidence),
  ...first(evidence.unpolled.map(stuckType), "job types", { to: "/workers" }),
  ...first(evidence.groups.map(failing), "errors", { to: "/dead-letters" }),
  ...late(evidence),
  ...first(pushedBack(evidence), "downstreams", { to: "/queues" }),
  ...first(evidence.pauses.map(paused), "pauses", { to: "/queues" }),
]

/** One more than that is shown as well: a line that says so would take its place. */
function first(troubles: readonly Trouble[], things: string, where: Where): readonly Trouble[] {
  const [worst] = troubles
  if (!worst || troubles.length <= MOST + 1) return troubles
  const others = `${count(troubles.length - MOST)} more ${things}`
  return [...troubles.slice(0, MOST), { kind: worst.kind, tone: worst.tone, what: others, where }]
}

const shutGates = ({ overview: { lanes, total } }: Evidence): Trouble[] =>
  [...(total.shut ? [{ ...total, name: "total" }] : []), ...lanes.filter(({ shut }) => shut)].map((gate) => ({
    kind: "shut",
    tone: "bad",
    what: refusal(gate.name, gate),
    where: { to: "/queues" },
  }))

const stuckType = ({ name, ready = 0 }: JobType): Trouble => ({
  kind: "stuck",
  tone: "bad",
  what: `${count(ready)} ${ready === 1 ? "job" : "jobs"} of type ${name} ${ready === 1 ? "waits" : "wait"}, and no worker asks for ${ready === 1 ? "it" : "them"}.`,
  where: { to: "/workers" },
})

const failing = ({ count: times, count_is_exact, error, fingerprint }: DeadGroup): Trouble => ({
  kind: "failing",
  tone: "bad",
  what: `${count(times, count_is_exact)} dead: ${firstLine(error)}`,
  where: { to: "/dead-letters", failure: fingerprint },
})

function late({ overview: { lanes, overdueUserTasks } }: Evidence): Trouble[] {
  const jobs = lanes.flatMap(({ name, oldestWaitingSeconds: oldest }): Trouble[] =>
    oldest === null || oldest < LATE_SECONDS
      ? []
      : [
          {
            kind: "late",
            tone: "warn",
            what: `The oldest ${name} job has waited for ${durationText(oldest * 1_000)}.`,
            where: { to: "/jobs", priority: name },
          },
        ],
  )
  if (overdueUserTasks === 0) return jobs
  const what = `${count(overdueUserTasks)} user ${overdueUserTasks === 1 ? "task is" : "tasks are"} overdue.`
  return [...jobs, { kind: "late", tone: "warn", what, where: { to: "/user-tasks" } }]
}

const pushedBack = ({ overview: { downstreams } }: Evidence): readonly Trouble[] =>
  downstreams
    .filter(({ pushedBackUntil }) => pushedBackUntil !== undefined)
    .map(({ name }) => ({
      kind: "paused",
      tone: "warn",
      what: `${name} has asked to be left alone for now.`,
      where: { to: "/queues" },
    }))

const KINDS: Readonly<Record<Pause["kind"], string>> = {
  queue: "Priority",
  jobType: "Job type",
  definition: "Definition",
  downstream: "Downstream",
}

const paused = ({ kind, name, reason }: Pause): Trouble => ({
  kind: "paused",
  tone: "warn",
  what: `${KINDS[kind]} ${name} is paused${reason ? `: ${reason}` : "."}`,
  where: { to: "/queues" },
})
