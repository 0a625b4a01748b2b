// A workflow with other functions in place of those of its steps: the same name, the same input, the same options.

import type { StepCall } from "../library/authoring/step-types.ts"
import type { AnyWorkflow } from "../library/authoring/workflow.ts"
import type { Run } from "../library/authoring/workflow-types.ts"
import type { CallableStep } from "../library/running/run-list.ts"

/** Given a step's name, its function and, in the function form, the key of the call: the function to call instead. */
export type Replace = <Argument extends StepCall>(
  name: string,
  run: (argument: Argument) => unknown,
  key?: string,
) => (argument: Argument) => unknown

export function replaceSteps<Of extends AnyWorkflow>(workflow: Of, replace: Replace): Of {
  const { body } = workflow
  const elements = workflow.elements.map((element) =>
    element.kind === "step" ? replaceRun(element, replace(element.name, element.run)) : element,
  )
  return Object.freeze({
    ...workflow,
    elements: Object.freeze(elements),
    ...(body ? { body: (run: Run, input: unknown) => body(replaceIn(run, replace), input) } : {}),
  })
}

const replaceRun = (element: CallableStep, run: CallableStep["run"]): CallableStep =>
  run === element.run ? element : Object.freeze({ ...element, run })

/** The names of a function's steps are known when it asks for them, and not before. */
const replaceIn = (run: Run, replace: Replace): Run => ({
  step: (name, fn, options) => run.step(name, replace(name, fn, options?.key) as typeof fn, options),
  all: (branches) => run.all(branches),
  child: (workflow, input, options) => run.child(workflow, input, options),
  sleep: (name, duration) => run.sleep(name, duration),
  signal: (name, options) => run.signal(name, options),
  userTask: (name, options) => run.userTask(name, options),
})
