// Every reason why something does not move, brought about for real and read at each door: REST, the library and the command
// line give the same kind, the same facts and the same words. The dashboard has its own test of this, in a browser.
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCommand } from "./cli/test-support/run-command.ts"
import { RetryableError, sleep, waitForSignal, workflow } from "./index.ts"
import type { EnqueueOptions } from "./library/authoring/enqueue-options.ts"
import type { AnyWorkflow } from "./library/authoring/workflow.ts"
import { Mill } from "./library/running/mill.ts"
import type { WaitingKind } from "./model/observability/waiting.ts"
import { STANDING } from "./model/observability/waiting-words.ts"
import { setDownstream } from "./operations/flow/change-downstreams.ts"
import { pause } from "./operations/flow/change-pauses.ts"
import { fireTimers } from "./operations/instances/run-timers.ts"
import { dispatchingOf } from "./operations/jobs/dispatch/dispatching.ts"
import { jobRelayOf } from "./operations/jobs/dispatch/relay.ts"
import { workflow as definition, end, service, step } from "./test-support/definitions.ts"
import { drive } from "./test-support/drive.ts"
import { holdLoops, noTerm } from "./test-support/loops.ts"
import { MemoryBroker } from "./test-support/memory-broker.ts"
import { createTestServer, type TestServer } from "./transports/rest/test-support/test-server.ts"

let server: TestServer
let mill: Mill
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  server = await createTestServer()
  mill = new Mill(server.engine.kernel, server.engine.core.processId, async () => {})
  worker = drive(server.engine.kernel)
  await holdLoops(server.engine.kernel)
})
afterAll(async () => {
  await mill.stop()
  await server.close()
})

interface Stopped {
  readonly id: string
  /** The job is a standalone one. */
  readonly isJob?: true
}

/** A run, taken up once. */
async function run(flow: AnyWorkflow, ...others: readonly AnyWorkflow[]): Promise<Stopped> {
  const { id } = await mill.start(flow as never, {} as never)
  await mill.drain([flow, ...others])
  return { id }
}

async function graph(id: string, steps: readonly object[]): Promise<Stopped> {
  await server.engine.upload(definition(id, steps as never))
  return { id: await worker.start(id) }
}

const jobOf = async (type: string, options: EnqueueOptions = {}): Promise<Stopped> => ({
  id: (await mill.enqueue(type, {}, options)).id,
  isJob: true,
})

const fails = (): never => {
  throw new RetryableError("the bank is busy", { baseDelay: "1h" })
}
const T = String.raw`\S+Z \((now|in \d+ (s|min|h))\)`

/** By kind: how it comes about, for each thing that can stand so, and what is said of it. */
const SCENES: Readonly<
  Record<WaitingKind, { readonly says: string; readonly by: Record<string, () => Promise<Stopped>> }>
> = {
  sleep: {
    says: `Sleeps until ${T}.`,
    by: {
      "a list": () => run(workflow("d-nap-list", { recover: "resume", steps: [sleep("PT10M", { name: "nap" })] })),
      "a function": () => run(workflow("d-nap", async (it) => it.sleep("nap", "PT10M"))),
    },
  },
  signal: {
    says: "Waits for the signal paid.",
    by: {
      "a list": () => run(workflow("d-paid-list", { recover: "resume", steps: [waitForSignal("paid")] })),
      "a function": () => run(workflow("d-paid", async (it) => it.signal("paid"))),
      "a graph": () => graph("d-paid-graph", [step("WAIT", "paid", { nextStep: "end" }), end()]),
    },
  },
  child: {
    says: String.raw`Waits for its child d-child \(\w{26}\) to end.`,
    by: {
      "a function": () =>
        run(
          workflow("d-parent", async (it) =>
            it.child(
              workflow("d-child", async () => {}),
              {},
            ),
          ),
        ),
    },
  },
  "user-task": {
    says: "Waits for a person of credit to complete the task ask.",
    by: {
      "a function": () => run(workflow("d-ask", async (it) => it.userTask("ask", { group: "credit" }))),
      "a graph": () =>
        graph("d-ask-graph", [step("USER_TASK", "ask", { assigneeGroup: "credit", nextStep: "end" }), end()]),
    },
  },
  retry: {
    says: `Failed at attempt 1 of 5: (pay: )?the bank is busy; next attempt at ${T}.`,
    by: {
      "a list": () =>
        run(
          workflow("d-fail-list", {
            retry: { retries: 4 },
            steps: [
              function pay() {
                fails()
              },
            ],
          }),
        ),
      "a resumable list": () =>
        run(
          workflow("d-fail-resume", {
            recover: "resume",
            retry: { retries: 4 },
            steps: [
              function pay() {
                fails()
              },
            ],
          }),
        ),
      "a function": () => run(workflow("d-fail", { retry: { retries: 4 } }, async (it) => it.step("pay", fails))),
      "a step of a graph": async () => {
        const stopped = await graph("d-fail-graph", [service("d-fail-graph", "end", { retryCount: 4 }), end()])
        await worker.fail(await worker.claimOne("d-fail-graph"), "the bank is busy", true, 3_600_000)
        return stopped
      },
      "a job": async () => {
        const stopped = await jobOf("d-fail-job", { retries: 4 })
        await worker.fail(await worker.claimOne("d-fail-job"), "the bank is busy", true, 3_600_000)
        return stopped
      },
    },
  },
  returned: {
    says: `Given back by its worker: the code has changed: it asks for b, .*; next attempt at ${T}.`,
    by: {
      "a function": async () => {
        const code = (name: string) =>
          workflow("d-renamed", async (it) => {
            await it.step(name, () => {})
            await it.signal("go")
          })
        const stopped = await run(code("a"))
        await mill.runs.handle(stopped.id).signal("go")
        // Which of two reasons is the newer one is told by the time.
        await server.engine.advanceClock(1)
        await mill.drain([code("b")])
        return stopped
      },
    },
  },
  scheduled: {
    says: `Scheduled for ${T}.`,
    by: { "a job": () => jobOf("d-later", { delay: "10m" }) },
  },
  "job-queued": {
    says: "Waits in the queue for a worker to take its job of type d-queue. No worker has ever asked for d-queue: start one that does. It is the next one.",
    by: { "a job": () => jobOf("d-queue") },
  },
  "job-leased": {
    says: `Worker w1 is at work on it. Attempt 1; the lease ends at ${T} unless the worker renews it.`,
    by: {
      "a job": async () => {
        const stopped = await jobOf("d-lease")
        await worker.claimOne("d-lease")
        return stopped
      },
      "a step of a graph": async () => {
        const stopped = await graph("d-lease-graph", [service("d-lease-graph", "end"), end()])
        await worker.claimOne("d-lease-graph")
        return stopped
      },
    },
  },
  "job-dispatched": {
    says: String.raw`Published to workflow.jobs.d-push, partition 0, offset 0, at \S+; not reported since. Attempt 1; the consumers of the topic have not passed it.`,
    by: {
      "a job": async () => {
        const { kernel } = server.engine
        const broker = new MemoryBroker(["d-push"])
        await dispatchingOf(kernel).use({ broker, batchMax: 10, leads: false })
        const stopped = await jobOf("d-push")
        while (await jobRelayOf(kernel).round(noTerm));
        await dispatchingOf(kernel).close()
        return stopped
      },
    },
  },
  paused: {
    says: String.raw`Held back: (job type|definition) d-pause\S* was paused by anna at \S+Z. Reason: the bank is closed.`,
    by: {
      "a job": async () => {
        await pause(
          server.engine.kernel,
          { actor: "anna" },
          { kind: "jobType", name: "d-pause", reason: "the bank is closed" },
        )
        return jobOf("d-pause")
      },
      "a list": async () => {
        const name = "d-pause-list"
        await pause(server.engine.kernel, { actor: "anna" }, { kind: "definition", name, reason: "the bank is closed" })
        return run(workflow(name, { steps: [function pay() {}] }))
      },
    },
  },
  pace: {
    says: `Waits for its turn at downstream d-bank. It is the next one. 0.1 a second are let through. It is expected to start at ${T}.`,
    by: {
      "a job": async () => {
        const limits = { name: "d-bank", perSecond: 0.1, concurrency: null, adaptive: false }
        await setDownstream(server.engine.kernel, { actor: "anna" }, limits)
        return jobOf("d-pace", { downstream: "d-bank" })
      },
    },
  },
  limit: {
    says: "Waits for the one place of the limit key ada: 1 with a worker, 0 ready for one. It is the next one of priority normal.",
    by: {
      "a job": async () => {
        await jobOf("d-limit", { limit: { key: "ada", max: 1 } })
        await worker.claimOne("d-limit")
        return jobOf("d-limit", { limit: { key: "ada", max: 1 } })
      },
    },
  },
  timer: {
    says: `If it is still open at ${T}, the step late takes its place.`,
    by: { "a graph": () => graph("d-timer", timed("PT1H")) },
  },
  "set-aside": {
    says: `Set aside after 1 failure of its timer: poisoned; tried again at ${T}.`,
    by: { "a timer": poisoned },
  },
}

const timed = (duration: string) => [
  step("WAIT", "paid", {
    nextStep: "end",
    boundaryEvents: [{ type: "TIMER", duration, interrupting: true, targetStepId: "late" }],
  }),
  service("late", "end"),
  end(),
]

async function poisoned(): Promise<Stopped> {
  const stopped = await graph("d-poison", timed("PT1S"))
  await server.engine.db.script(`create function public.refuse() returns trigger language plpgsql as $$ begin
      if new.instance_id = '${stopped.id}' then raise exception 'poisoned'; end if;
      return new;
    end $$;
    create trigger poison before insert on millrace.history for each row execute function public.refuse()`)
  await server.engine.advanceClock(2_000)
  await fireTimers(server.engine.kernel, noTerm)
  return stopped
}

const EVERY = Object.entries(SCENES).flatMap(([kind, { says, by }]) =>
  Object.entries(by).map(([what, bring]) => [kind as WaitingKind, what, says, bring] as const),
)

test("there is a scene for every kind", () => {
  expect(Object.keys(SCENES).sort()).toEqual(Object.keys(STANDING).sort())
})

test.each(EVERY)("%s, of %s: every door says the same", async (kind, _, says, bring) => {
  const { id, isJob } = await bring()
  const path = isJob ? `/v1/jobs/${id}/waiting` : `/v1/instances/${id}/waiting`
  const { reasons } = (await server.call(`GET ${path}`)).body
  const reason = reasons.find((one: { kind: string }) => one.kind === kind)
  expect(reason?.detail.message).toMatch(new RegExp(`^${says.replaceAll(".", "\\.").replaceAll("\\.*", ".*")}$`))

  const held = isJob ? mill.jobs.handle(id) : mill.runs.handle(id)
  const told = (await held.waiting()).find((one) => one.kind === kind)
  expect(withoutTimes(told)).toEqual(withoutTimes(reason))

  const argv = [isJob ? "jobs" : "instances", "show", id]
  const { out } = await runCommand(argv, { env: { WE_URL: server.url, NO_COLOR: "1" } })
  const lines = out.split("\n").filter((line) => line.startsWith("Waits"))
  expect(lines.filter((line) => piecesOf(reason.detail.message).every((piece) => line.includes(piece)))).toHaveLength(1)
  expect(JSON.stringify(reasons)).not.toMatch(kind === "retry" || kind === "set-aside" ? /^$/ : /[Ff]ailed/)
})

/** Leaves out how far away a time is: it may have changed between two doors. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\((now|in [^)]*)\)/g, "(in …)")
      .replace(/"expectedAt":"[^"]*"/, '"expectedAt":""')
      .replace(/expected to start at \S+/, "expected to start at …"),
  )

/** All of it but its times, which each door writes in its own way. */
const piecesOf = (message: string): readonly string[] =>
  message.split(/\d{4}-\d{2}-\d{2}T\S+?Z(?: \([^)]*\))?/).map((piece) => piece.trim())
