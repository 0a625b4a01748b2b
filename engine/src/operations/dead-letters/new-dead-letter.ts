// A dead letter to be written: the id it gets, why the job died, and the fingerprint by which like errors are found together.
import type { Dead } from "../../model/jobs/after-attempt.ts"
import { fingerprint } from "../../support/fingerprint.ts"
import type { Kernel } from "../kernel/kernel.ts"

export const newDeadLetter = ({ newId }: Kernel, { reason, error }: Pick<Dead, "reason" | "error">) => ({
  id: newId(),
  reason,
  failure: fingerprint(error),
})
