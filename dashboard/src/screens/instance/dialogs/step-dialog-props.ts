// What each dialog about one step of an instance is given.
import type { Definition } from "../../../api/definitions.ts"
import type { Instance } from "../../../api/instances.ts"

export interface StepDialogProps {
  readonly instance: Instance
  readonly definition: Definition
  readonly stepId: string
  readonly choice: React.ReactNode
  readonly onClose: () => void
}
