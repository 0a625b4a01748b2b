// A start on its way through the pipeline: asked for, prepared (its definition found), planned, its keys taken, written.

import type { CompiledDefinition } from "../../../model/definitions/compile-definition.ts"
import type { Priority } from "../../../model/definitions/definition.ts"
import type { Door } from "../../../model/flow/doors.ts"
import type { Awaiting } from "../../../model/instances/instance.ts"
import type { Restart } from "../../../model/instances/restart.ts"
import type { RequestKey } from "../../../store/kernel/request-keys.ts"
import type { JsonObject } from "../../../support/json.ts"
import type { InstanceView } from "../instance-view.ts"

export interface StartRequest {
  /** Given where the id was promised before the start. */
  readonly id?: string | undefined
  readonly definitionId: string
  readonly definitionVersion?: number | undefined
  readonly variables: JsonObject
  /** The same as JSON text, where that is at hand. */
  readonly variablesText?: string | undefined
  readonly businessKey?: string | undefined
  readonly linkingId?: string | undefined
  readonly parentId?: string | undefined
  /** Set when the new run takes the place of one that has ended. */
  readonly restart?: Restart | undefined
  /** The variables are those that another instance has ended with: they are as large as they are. */
  readonly isInherited?: boolean | undefined
  /** The step of another run that gets a signal at the end of this one. */
  readonly awaitedBy?: Awaiting | undefined
  readonly priority?: Priority | undefined
  /** By which it comes in; absent where the engine asks itself. */
  readonly door?: Door | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
  /** Where it is asked for: carried to the workers of its steps. */
  readonly trace?: string | undefined
}

export interface PreparedStart {
  readonly request: StartRequest
  readonly definition: CompiledDefinition
  /** The variables as JSON text. */
  readonly input: string
  /** An intake has one: its input is not judged, and a second one with the same key starts nothing. */
  readonly intakeKey?: string | undefined
}

export interface Started {
  readonly instance: InstanceView
  /** Started by an earlier request with the same key; the instance is given as it was then. */
  readonly isRepeat: boolean
}
