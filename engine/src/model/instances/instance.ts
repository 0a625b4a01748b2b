// What the planner knows of an instance: which steps are open, which forks wait for arrivals, and what has been counted.
import type { JsonObject } from "../../support/json.ts"
import type { Priority } from "../definitions/definition.ts"
import type { InstanceStatus } from "./instance-machine.ts"

/** A token that stands at a step and waits for the world. */
export interface OpenStep {
  readonly execution: number
  readonly stepId: string
  readonly attempt: number
  readonly startedAt: number
  /** The fork activation the token belongs to; 0 is none. */
  readonly fork: number
  /** The execution that it goes on with after a manual retry: its job has the idempotency key of that one. */
  readonly effect?: number
}

/** One activation of a parallel gateway: live branch tokens + arrivals = branches, until the join fires. */
export interface Fork {
  /** The execution of the gateway that made it. */
  readonly id: number
  readonly joinStep: string
  readonly branches: number
  readonly arrived: number
  readonly parent: number
}

/** Where a token stood when the instance failed. A manual retry enters these steps again. */
export interface CutStep {
  readonly stepId: string
  readonly fork: number
  readonly attempt: number
  /** This one failed the instance; the others were stopped with it. */
  readonly failed: boolean
  /** The execution that a retry goes on with; absent where none had begun. */
  readonly effect?: number
}

export interface InstanceState {
  readonly open: readonly OpenStep[]
  readonly forks: readonly Fork[]
  /** How often each step was entered; only of steps that may be entered again. */
  readonly entries: Readonly<Record<string, number>>
  /** The last execution number given out. */
  readonly executions: number
  readonly cut?: readonly CutStep[]
  /** Signals that came before their WAIT, oldest first. */
  readonly kept?: readonly KeptSignal[]
  /** The step of another run that waits for this one's end. */
  readonly awaitedBy?: Awaiting
  /** The variables have at most this size. */
  readonly bytes?: number
  /** The size of all signals that the run was sent, taken or not. */
  readonly toldBytes?: number
}

export interface KeptSignal {
  readonly stepId: string
  readonly variables: JsonObject
}

export interface Awaiting {
  readonly instanceId: string
  readonly step: string
}

export interface Instance {
  readonly id: string
  readonly status: InstanceStatus
  readonly priority: Priority
  readonly businessKey: string | undefined
  readonly state: InstanceState
  /** Empty when they were not read: most definitions do not look at them. */
  readonly variables: JsonObject
  readonly hasVariables: boolean
  /** The last audit sequence number. */
  readonly version: number
}

export const emptyState: InstanceState = { open: [], forks: [], entries: {}, executions: 0 }
