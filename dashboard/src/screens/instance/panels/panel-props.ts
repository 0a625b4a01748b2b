// What each panel of an instance is given.
import type { Definition } from "../../../api/definitions.ts"
import type { StepExecution, WaitingReason } from "../../../api/instance.ts"
import type { Instance } from "../../../api/instances.ts"
import type { InstanceSearch } from "../search.ts"

export interface PanelProps {
  readonly instance: Instance
  readonly definition: Definition
  readonly history: readonly StepExecution[]
  readonly reasons: readonly WaitingReason[]
  readonly search: InstanceSearch
  readonly change: (search: InstanceSearch) => void
}
