// What a run has behind it, read once when a worker takes it over; every further step is added under the run's lease.
import type { RunStep } from "../../model/instances/plan.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import {
  type HeldLease,
  type RecordedStep,
  readRun,
  recordStep,
  takeSignal,
} from "../../operations/runs/record-step.ts"
import type { JsonValue } from "../../support/json.ts"

export interface Recorded {
  readonly status: RunStep["status"]
  readonly value: JsonValue | undefined
  readonly error: string | undefined
}

interface OpenRecord {
  readonly kernel: Kernel
  readonly lease: HeldLease
  readonly listVersion: number
  /** Called when a step is on record; what it throws ends the attempt. */
  readonly onRecorded?: (step: string) => void
}

export class RunRecord {
  readonly #kernel: Kernel
  readonly #lease: HeldLease
  readonly #steps: Map<string, Recorded>
  readonly #onRecorded: (step: string) => void
  /** Of the list or function that this worker runs. */
  readonly listVersion: number
  /** The newest version that has recorded anything. */
  readonly newestVersion: number

  private constructor({ kernel, lease, listVersion, onRecorded = () => {} }: OpenRecord, rows: Iterable<RecordedStep>) {
    const all = [...rows]
    this.#kernel = kernel
    this.#lease = lease
    this.#onRecorded = onRecorded
    this.listVersion = listVersion
    this.newestVersion = all.reduce((newest, row) => Math.max(newest, row.list_version), 0)
    this.#steps = new Map(all.map((row) => [row.name, toRecorded(row)]))
  }

  /** The first attempt has nothing behind it, and need not look. A manual retry is a job of its own, with a first attempt of its own. */
  static async open(options: OpenRecord): Promise<RunRecord> {
    const { kernel, lease } = options
    const isFirst = lease.execution === 1 && lease.epoch === 1
    const rows = isFirst ? [] : (await readRun(kernel, lease.instanceId)).values()
    return new RunRecord(options, rows)
  }

  find(name: string): Recorded | undefined {
    return this.#steps.get(name)
  }

  get names(): readonly string[] {
    return [...this.#steps.keys()]
  }

  /** The time by the database's clock. */
  now(): number {
    return this.#kernel.clock.nowMs()
  }

  async add(step: Omit<RunStep, "listVersion">): Promise<void> {
    await recordStep(this.#kernel, this.#lease, { ...step, listVersion: this.listVersion })
    this.note(step)
  }

  /** Recorded elsewhere, in the step's own transaction. */
  note({ name, status, value, error }: Omit<RunStep, "listVersion">): void {
    this.#steps.set(name, { status, value, error })
    this.#onRecorded(name)
  }

  /** The signal a step waits for, if it has come; recorded as what the step got. */
  async takeSignal(name: string, step: string): Promise<JsonValue | undefined> {
    const payload = await takeSignal(this.#kernel, this.#lease, { name, step, listVersion: this.listVersion })
    if (payload !== undefined) this.note({ name: step, status: "COMPLETED", value: payload, startedAt: this.now() })
    return payload
  }
}

const toRecorded = ({ status, value, error }: RecordedStep): Recorded => ({
  status,
  value: value === null ? undefined : (JSON.parse(value) as JsonValue),
  error: error ?? undefined,
})
