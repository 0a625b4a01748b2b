// Stubs by step name: the workflow as it is, but for the functions that would call the outside world.

import type { StepElement } from "../library/authoring/elements.ts"
import type { InputOfAll } from "../library/authoring/list-types.ts"
import type { AnyStep, Step, StepTx } from "../library/authoring/step-types.ts"
import type { AnyWorkflow, ElementsOf, ResultOf } from "../library/authoring/workflow.ts"
import type { RunStep } from "../library/authoring/workflow-types.ts"
import { closestName } from "../model/definitions/closest-name.ts"
import { badRequest } from "../support/errors.ts"
import { replaceSteps } from "./replace-steps.ts"

/**
 * The compiler does not know which function has which name, so a stub must fit one step of the list. To hold it to one of them:
 * `chargeCard: (async () => ({ chargeId: "x" })) satisfies typeof chargeCard`.
 */
export type Stubs<Of extends AnyWorkflow> = Readonly<Record<string, StubOf<ElementsOf<Of>, ResultOf<Of>>>>

// Declared as a method, so that a stub may declare its argument as narrowly as the step does.
type StubOf<Elements, Result> = Elements extends readonly unknown[]
  ? { stub(argument: StubArgument<Elements, Result>): Returned<Elements[number]> }["stub"]
  : (step: RunStep) => unknown

type StubArgument<Elements extends readonly unknown[], Result> = Step<
  InputOfAll<Elements>,
  Partial<Result & object>
> & {
  readonly tx?: StepTx
}

type Returned<Element> = OrPromised<Awaited<ReturnType<FunctionOf<Element>>>>
type OrPromised<Value> = Value | Promise<Value>
type FunctionOf<Element> = Element extends StepElement<infer Run> ? Run : Element extends AnyStep ? Element : never

export function stub<Of extends AnyWorkflow>(workflow: Of, stubs: Stubs<Of>): Of {
  const given = new Map<string, unknown>(Object.entries(stubs))
  if (workflow.kind === "list") checkNames(workflow, [...given.keys()])
  for (const [name, run] of given)
    if (typeof run !== "function") throw badRequest(`the stub of \`${name}\` must be a function`)
  return replaceSteps(workflow, (name, run) => (given.get(name) as typeof run | undefined) ?? run)
}

function checkNames({ name, elements }: AnyWorkflow, given: readonly string[]): void {
  const steps = elements.filter(({ kind }) => kind === "step").map((step) => step.name)
  const unknown = given.find((stubbed) => !steps.includes(stubbed))
  if (unknown !== undefined) throw noSuchStep(name, unknown, steps)
}

export function noSuchStep(workflow: string, stubbed: string, steps: readonly string[]): Error {
  const meant = closestName(stubbed, steps)
  const hint = meant === undefined ? "" : `; did you mean \`${meant}\`?`
  return badRequest(`workflow ${workflow} has no step \`${stubbed}\`: its steps are ${steps.join(", ")}${hint}`)
}
