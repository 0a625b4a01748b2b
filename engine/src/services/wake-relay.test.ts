// The relay is woken by a commit of its own process, or of another, or finds what SQL has published:
// the pulse is held still, so nothing else can tell it of an event.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { publishEvent } from "../operations/events/publish-event.ts"
import { relaysOf } from "../operations/events/relays.ts"
import type { RequestKey } from "../operations/kernel/idempotency.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { createBareKernel } from "../test-support/bare-kernel.ts"
import { RecordingSink } from "../test-support/recording-sink.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { EventWatchService } from "./event-watch.ts"
import { NotifierService } from "./notifier.ts"
import { PulseService } from "./pulse.ts"

/** Any open transaction of the server holds events back for a while; each that is published brings a look. */
const MOST_EVENTS = 20_000

let database: { dsn: string; drop(): Promise<void> }

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** A process whose only loops are those of its sinks. */
async function openProcess(): Promise<{ kernel: Kernel; pulse: PulseService }> {
  const nudge: Kernel["nudge"] = (loop, inMs) => pulse.nudge(loop, inMs)
  const kernel: Kernel = { ...(await createBareKernel(database.dsn)), nudge }
  const pulse = new PulseService(kernel, [])
  return { kernel, pulse }
}

/** The next beat waits until this is called. The lock has no transaction number, which would hold back the events. */
async function holdPulse({ db }: Kernel): Promise<() => Promise<void>> {
  const client = await db.dedicated()
  await client.query("begin; lock table millrace.processes in exclusive mode")
  return async () => {
    await client.query("commit")
    client.release()
  }
}

const keyed = (n: number): RequestKey => ({ scope: "test", key: `key-${n}`, digest: Buffer.from(`${n}`) })

test.each([
  ["in a batch", () => undefined],
  ["under an idempotency key", keyed],
] as const)("F-10: an event that this process commits %s is sent without a pulse", async (how, requestKeyOf) => {
  const { kernel, pulse } = await openProcess()
  const sink = new RecordingSink(how.replaceAll(" ", "-"))
  await relaysOf(kernel).add({ sink, kind: "in-process" })
  await kernel.db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
  await pulse.start()
  expect(pulse.leads(`sink:${sink.name}`)).toBe(true)
  const release = await holdPulse(kernel)
  for (let n = 0; n < MOST_EVENTS && sink.sent.length === 0; n++)
    await publishEvent(kernel, { type: "t", payload: { n }, requestKey: requestKeyOf(n) })
  expect(sink.payloads[0]).toBe(0)
  await release()
  await pulse.stop()
  await kernel.db.close()
})

test("F-10: an event that another process commits is sent without a pulse", async () => {
  const [publisher, sender] = [await openProcess(), await openProcess()]
  const sink = new RecordingSink("elsewhere")
  await relaysOf(sender.kernel).add({ sink, kind: "in-process" })
  await sender.kernel.db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
  await sender.pulse.start()
  const notifiers = [publisher, sender].map(({ kernel }) => new NotifierService(kernel, () => true))
  for (const notifier of notifiers) await notifier.start()
  const release = await holdPulse(sender.kernel)
  for (let n = 0; n < MOST_EVENTS && sink.sent.length === 0; n++)
    await publishEvent(publisher.kernel, { type: "t", payload: { n } })
  expect(sink.payloads[0]).toBe(0)
  await release()
  for (const notifier of notifiers) await notifier.stop()
  await sender.pulse.stop()
  for (const { kernel } of [publisher, sender]) await kernel.db.close()
})

test("F-10: an event that a program publishes in SQL is found without a pulse, and without a word from the program", async () => {
  const { kernel, pulse } = await openProcess()
  const sink = new RecordingSink("in-sql")
  await relaysOf(kernel).add({ sink, kind: "in-process" })
  await kernel.db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
  await pulse.start()
  const watch = new EventWatchService(kernel, (loop) => pulse.leads(loop))
  const release = await holdPulse(kernel)
  watch.start()
  for (let n = 0; n < MOST_EVENTS && sink.sent.length === 0; n++) {
    await kernel.db.script(`select millrace.publish('t', '{"n": ${n}}')`)
    await kernel.db.script("select pg_sleep(0.02)")
  }
  expect(sink.sent.length).toBeGreaterThan(0)
  await release()
  await watch.stop()
  await pulse.stop()
  await kernel.db.close()
})

test("F-10: while a transaction that has published in SQL stays open it is looked for at every glance, and no longer than that", async () => {
  const nudged: string[] = []
  const kernel: Kernel = { ...(await createBareKernel(database.dsn)), nudge: (loop) => void nudged.push(loop) }
  const sink = new RecordingSink("long-open")
  const relays = relaysOf(kernel)
  await relays.add({ sink, kind: "in-process" })
  await kernel.db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
  const tick = () => relays.tick("sink:long-open", async () => {})
  const isSettled = async () => {
    await tick()
    nudged.length = 0
    await glances(2)
    return nudged.length === 0
  }
  const glanced = vi.spyOn(kernel.db, "query")
  const glances = (n: number) => {
    const before = glanced.mock.calls.length
    return expect.poll(() => glanced.mock.calls.length).toBeGreaterThan(before + n)
  }
  const watch = new EventWatchService(kernel, () => true)
  watch.start()
  await expect.poll(isSettled).toBe(true)
  const client = await kernel.db.dedicated()
  await client.query(`begin; select millrace.publish('t', '{"n": 1}')`)
  // Nothing ticks: one look would be all without the watch.
  await expect.poll(() => nudged.length).toBeGreaterThan(4)
  await tick()
  expect(sink.sent).toEqual([])
  await client.query("commit")
  client.release()
  await expect.poll(isSettled).toBe(true)
  expect(sink.payloads).toEqual([1])
  await watch.stop()
  await kernel.db.close()
})
