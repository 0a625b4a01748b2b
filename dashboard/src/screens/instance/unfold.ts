// A function as it has unfolded: one call after the other, and the branches of `run.all` beside each other.
import type { Step } from "../../api/definitions.ts"
import type { StepExecution } from "../../api/instance.ts"
import { groupBy } from "../../kit/group-by.ts"

/** The calls in the order in which they began. */
export function unfold(calls: readonly StepExecution[]): Step[] {
  const leadsTo = new Map<string, string[]>()
  let before: readonly string[] = []
  for (const stage of stagesOf(calls)) {
    const branches = [...groupBy(stage, ({ branch = [] }) => branch.join("\n")).values()]
    const firsts = branches.map((chain) => chain[0]?.stepId ?? "")
    for (const from of before) leadsTo.set(from, firsts)
    for (const chain of branches)
      for (const [at, { stepId }] of chain.slice(1).entries()) leadsTo.set(chain[at]?.stepId ?? "", [stepId])
    before = branches.map((chain) => chain.at(-1)?.stepId ?? "")
  }
  return calls.map((call) => drawn(call, leadsTo.get(call.stepId) ?? []))
}

/** A call outside of all branches is a stage by itself: the branches before it have come together. */
function stagesOf(calls: readonly StepExecution[]): readonly (readonly StepExecution[])[] {
  const stages: StepExecution[][] = []
  for (const call of calls) {
    const last = stages.at(-1)
    if (call.branch && last?.[0]?.branch) last.push(call)
    else stages.push([call])
  }
  return stages
}

function drawn({ stepId, stepType, branch }: StepExecution, next: readonly string[]): Step {
  const [nextStep] = next
  return {
    id: stepId,
    name: stepId,
    type: stepType,
    ...(branch ? { description: `In the branch ${branch.join(", ")}` } : {}),
    ...(next.length > 1 ? { parallelNextSteps: [...next] } : nextStep === undefined ? {} : { nextStep }),
  }
}
