// What a run has behind it, read once when a worker takes it over; every further step is added under the run's lease.
import type { RunStep, RunStepDetail } from "../../model/instances/plan.ts"
import { bytesOf, textBytes, tooLarge } from "../../model/instances/variable-sizes.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import {
  type HeldLease,
  type RecordedStep,
  readRun,
  recordStep,
  takeSignal,
} from "../../operations/runs/record-step.ts"
import type { JsonValue } from "../../support/json.ts"
import { describeError } from "./step-failure.ts"

export interface Recorded {
  readonly status: RunStep["status"]
  readonly value: JsonValue | undefined
  readonly error: string | undefined
  readonly startedAt: number
}

interface OpenRecord {
  readonly kernel: Kernel
  readonly lease: HeldLease
  readonly listVersion: number
  readonly inputBytes: number
  /** Called when a step is on record; what it throws ends the attempt. */
  readonly onRecorded?: (step: string) => void
}

export class RunRecord {
  readonly #kernel: Kernel
  readonly #lease: HeldLease
  readonly #steps: Map<string, Recorded>
  readonly #onRecorded: (step: string) => void
  readonly #details = new Map<string, RunStepDetail>()
  /** The size of the input and of what the steps have recorded. */
  #bytes: number
  /** The version of the list or function that this worker runs. */
  readonly listVersion: number
  /** The newest version that has recorded anything. */
  readonly newestVersion: number

  private constructor(options: OpenRecord, rows: Iterable<RecordedStep>) {
    const { kernel, lease, listVersion, inputBytes, onRecorded = () => {} } = options
    const all = [...rows]
    this.#kernel = kernel
    this.#lease = lease
    this.#onRecorded = onRecorded
    this.listVersion = listVersion
    this.newestVersion = all.reduce((newest, row) => Math.max(newest, row.list_version), 0)
    this.#steps = new Map(all.map((row) => [row.name, toRecorded(row)]))
    this.#bytes = all.reduce((bytes, { value }) => bytes + (value === null ? 0 : textBytes(value)), inputBytes)
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

  /** Throws when the run would have more on record than an instance may have in variables. */
  checkRoom({ name, value }: Omit<RunStep, "listVersion">): void {
    const { maxVariablesBytes } = this.#kernel.settings
    const added = sizeOf(value) - sizeOf(this.find(name)?.value)
    if (added <= 0 || this.#bytes + added <= maxVariablesBytes) return
    const most = `at most ${maxVariablesBytes} are allowed (WE_MAX_VARIABLES_BYTES)`
    throw tooLarge(`with ${name} the run would have ${this.#bytes + added} bytes of input and recorded steps, ${most}`)
  }

  /** What is to be known of a step beside its value, told before it is recorded. */
  describe(name: string, detail: RunStepDetail): void {
    this.#details.set(name, { ...this.#details.get(name), ...detail })
  }

  /** The form in which the step is recorded. */
  toRow(step: Omit<RunStep, "listVersion">): RunStep {
    const known = this.#details.get(step.name)
    const detail = known || step.detail ? { detail: { ...known, ...step.detail } } : {}
    return { ...step, ...detail, listVersion: this.listVersion }
  }

  async add(step: Omit<RunStep, "listVersion">): Promise<void> {
    this.checkRoom(step)
    await recordStep(this.#kernel, this.#lease, this.toRow(step))
    this.note(step)
  }

  /** What came for a wait cannot be used: the wait goes on, and says so. */
  async refuse(wait: RunStep, reason: string): Promise<void> {
    await this.add({ ...wait, error: describeError(reason) })
    const { instanceId } = this.#lease
    this.#kernel.log.warn(
      { instanceId, step: wait.name },
      "what came for a wait does not fit its schema; the run waits on",
    )
  }

  /** Recorded elsewhere, in the step's own transaction. */
  note({ name, status, value, error, startedAt }: Omit<RunStep, "listVersion">): void {
    this.#bytes += sizeOf(value) - sizeOf(this.find(name)?.value)
    this.#steps.set(name, { status, value, error, startedAt })
    this.#onRecorded(name)
  }

  /** The signal a step waits for, if it has come; recorded as what the step got. */
  async takeSignal(name: string, step: string): Promise<JsonValue | undefined> {
    const detail = this.#details.get(step)
    const payload = await takeSignal(this.#kernel, this.#lease, { name, step, detail, listVersion: this.listVersion })
    if (payload !== undefined) this.note({ name: step, status: "COMPLETED", value: payload, startedAt: this.now() })
    return payload
  }
}

const sizeOf = (value: JsonValue | undefined): number => (value === undefined ? 0 : bytesOf(value))

const toRecorded = ({ status, value, error, started_at: startedAt }: RecordedStep): Recorded => ({
  status,
  value: value === null ? undefined : (JSON.parse(value) as JsonValue),
  error: error ?? undefined,
  startedAt,
})
