// The steps that a step names: where it goes on.
import type { Step } from "../generated/wire.ts"

export function referencesOf(step: Step): readonly string[] {
  const { nextStep, joinStep, parallelNextSteps, conditionalNextSteps, boundaryEvents } = step as Partial<AnyStep>
  return [
    ...(nextStep === undefined ? [] : [nextStep]),
    ...(joinStep === undefined ? [] : [joinStep]),
    ...(parallelNextSteps ?? []),
    ...Object.values(conditionalNextSteps ?? {}),
    ...(boundaryEvents ?? []).map(({ targetStepId }) => targetStepId),
  ]
}

interface AnyStep {
  readonly nextStep: string
  readonly joinStep: string
  readonly parallelNextSteps: readonly string[]
  readonly conditionalNextSteps: Readonly<Record<string, string>>
  readonly boundaryEvents: readonly { readonly targetStepId: string }[]
}
