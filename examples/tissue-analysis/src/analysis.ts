// The analysis of one slide: five steps, each a job of its own, which the end of the step before it puts into the queue.
import type { Definition } from "@millrace/sdk"

/** A minute lasts a second here, so that it can be watched. In earnest it is "* * * * *" and "PT1M". */
export const EVERY_MINUTE = "* * * * * *"
const A_MINUTE = "PT1S"

/** Tried again after 1, 2 and 4 minutes; then it is a dead letter. */
const retry = { retries: 3, base: A_MINUTE, factor: 2, cap: "PT1H", jitter: "none" } as const

const step = (jobType: StepName, name: string, nextStep: StepName | "done") =>
  ({ id: jobType, name, type: "SERVICE_TASK", jobType, retry, nextStep }) as const

export const STEP_NAMES = ["upload-image", "make-tiles", "predict", "post-process", "write-report"] as const
export type StepName = (typeof STEP_NAMES)[number]

export const analysis: Definition = {
  id: "tissue-analysis",
  name: "Tissue analysis",
  steps: [
    step("upload-image", "Upload the image", "make-tiles"),
    step("make-tiles", "Cut deep-zoom tiles", "predict"),
    step("predict", "Predict with the model", "post-process"),
    step("post-process", "Post-process annotations", "write-report"),
    step("write-report", "Write the report", "done"),
    { id: "done", name: "Done", type: "END" },
  ],
}
