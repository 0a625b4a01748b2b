// The commands of the worker: one Runner at a time, its handlers made from scripts, every delivery written down.
import { type EngineClient, type Handler, type Job, Runner, type StopResult, type WorkerMode } from "@millrace/sdk"
import { type HandlerScript, handlerOf } from "./handler-script.ts"

interface StartWorker {
  readonly workerId: string
  readonly mode: WorkerMode | "kafka"
  readonly handlers: Readonly<Record<string, HandlerScript>>
  readonly concurrency?: number
  readonly leaseSeconds?: number
  /** Of Kafka, where the mode is that. */
  readonly brokers?: string
}

type Started = Pick<Runner, "start" | "stop">

interface Delivery extends Pick<Job, Fact> {
  readonly jobId: string
  state: "started" | "returned" | "threw" | "cancelled"
}

type Fact = "jobType" | "instanceId" | "stepId" | "stepExecutionId" | "attempt" | "retriesRemaining" | "idempotencyKey"

const NOTHING_RAN: StopResult = { drained: true, unfinished: 0 }

export class WorkerCommands {
  readonly #engine: () => EngineClient
  readonly #deliveries: Delivery[] = []
  readonly #gates = new Map<string, { readonly open: () => void; readonly passed: Promise<void> }>()
  #runner: Started | undefined

  constructor(engine: () => EngineClient) {
    this.#engine = engine
  }

  find(name: string): ((given: never) => unknown) | undefined {
    const commands: Readonly<Record<string, (given: never) => unknown>> = {
      startWorker: (given) => this.#start(given),
      handled: () => ({ items: this.#deliveries }),
      release: ({ name: gate }: { readonly name: string }) => this.#gate(gate).open(),
      stopWorker: async (given) => ({ drained: (await this.stop(given)).drained }),
    }
    return commands[name]
  }

  async stop({ timeoutSeconds }: { readonly timeoutSeconds?: number }): Promise<StopResult> {
    const runner = this.#runner
    this.#runner = undefined
    if (!runner) return NOTHING_RAN
    return runner.stop(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 })
  }

  async #start({ handlers, mode, brokers = "", ...settings }: StartWorker): Promise<void> {
    if (this.#runner) throw new TypeError("a worker is running already")
    const scripted = Object.entries(handlers).map(([type, script]) => [type, this.#recorded(script)] as const)
    const options = { ...settings, client: this.#engine(), handlers: Object.fromEntries(scripted) }
    this.#runner = mode === "kafka" ? await kafkaRunner(options, brokers) : runnerOf(options, mode)
    this.#runner.start()
  }

  #recorded(script: HandlerScript): Handler {
    const handler = handlerOf(script, (name) => this.#gate(name).passed)
    return async (job, context) => {
      const delivery = deliveryOf(job)
      this.#deliveries.push(delivery)
      context.signal.addEventListener("abort", () => end(delivery, "cancelled"), { once: true })
      try {
        const returned = await handler(job, context)
        end(delivery, "returned")
        return returned
      } catch (error) {
        end(delivery, "threw")
        throw error
      }
    }
  }

  /** What the harness has let go stays open, also for those who come later. */
  #gate(name: string) {
    const known = this.#gates.get(name)
    if (known) return known
    let open = () => {}
    const passed = new Promise<void>((resolve) => {
      open = resolve
    })
    const gate = { open, passed }
    this.#gates.set(name, gate)
    return gate
  }
}

type Options = ConstructorParameters<typeof Runner>[0]

/** Every SDK exchanges unless it is told otherwise, also those from before there was a choice. */
const runnerOf = (options: Options, mode: WorkerMode): Started =>
  new Runner(mode === "exchange" ? options : { ...options, mode })

/** Looked up when it is asked for: earlier SDKs have none. */
async function kafkaRunner(options: Options, brokers: string): Promise<Started> {
  const { KafkaRunner } = await import("@millrace/sdk")
  return new KafkaRunner({ ...options, kafka: { brokers, transport: "plaintext" } })
}

function deliveryOf(job: Job): Delivery {
  const { id, jobType, instanceId, stepId, stepExecutionId, attempt, retriesRemaining, idempotencyKey } = job
  const facts = { jobType, instanceId, stepId, stepExecutionId, attempt, retriesRemaining, idempotencyKey }
  return { ...facts, jobId: id, state: "started" }
}

/** The first end of a delivery is the one that is told. */
function end(delivery: Delivery, state: Delivery["state"]): void {
  if (delivery.state === "started") delivery.state = state
}
