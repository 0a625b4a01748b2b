// The TypeScript SDK of an earlier commit against the engine of this one, and the other way round.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Transport } from "../../scenarios/matrix.ts"
import { readScenarios, type Scenario } from "../../scenarios/scenario.ts"
import type { ConformanceOptions } from "../options.ts"
import { type Direction, type Plan, planRun } from "../plan.ts"
import type { Progress } from "../progress.ts"
import { type Checkout, engineOf, launcherOf, openCheckout } from "./checkout.ts"
import { readHistory } from "./history.ts"

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url))

export interface Previous {
  readonly plans: readonly Plan[]
  /** The commits, this one and the earlier one; undefined where there is no history. */
  readonly commits: { readonly current: string; readonly earlier: string } | undefined
  remove(): Promise<void>
}

interface Place {
  readonly folder: string
  readonly progress: Pick<Progress, "say">
}

/** Without a history every cell is there, not run, with the reason. */
export async function openPrevious(options: ConformanceOptions, { folder, progress }: Place): Promise<Previous> {
  const history = await readHistory(ROOT, options.previous || undefined)
  const plans = basePlans(options)
  if (typeof history === "string")
    return { plans: plans.flatMap((plan) => bothWays(plan, history)), commits: undefined, remove: async () => {} }
  const checkout = await firstThatBuilds(history.earlier, { folder, progress })
  progress.say(`this is ${history.current}; beside it, with its own packages, ${checkout.commit}`)
  return {
    plans: plans.flatMap((plan) => withCheckout(plan, checkout)),
    commits: { current: history.current, earlier: checkout.commit },
    remove: checkout.remove,
  }
}

/** TypeScript in the ways that an SDK of any age has: reports in batches, and streams. Through Kafka only where that is asked for. */
function basePlans(options: ConformanceOptions): Plan[] {
  const plans = planRun({ ...options, sdk: ["typescript"], short: false }).filter(({ cell }) => !cell.open)
  return options.mode.length > 0 ? plans : plans.filter(({ cell }) => cell.mode !== "poll" && cell.mode !== "kafka")
}

async function firstThatBuilds(commits: readonly string[], { folder, progress }: Place): Promise<Checkout> {
  const faults: string[] = []
  for (const commit of commits) {
    progress.say(`building ${commit}`)
    try {
      return await openCheckout(ROOT, commit, folder)
    } catch (error) {
      faults.push(`${commit}: ${error instanceof Error ? error.message : error}`)
      progress.say(`${commit} does not build`)
    }
  }
  throw new Error(`no earlier commit builds:\n${faults.join("\n")}`)
}

function bothWays({ cell }: Plan, open: string): Plan[] {
  const directions: readonly Direction[] = ["earlier SDK", "earlier engine"]
  return directions.map((direction) => ({
    cell: { ...cell, name: `${cell.name}, ${direction}`, open },
    scenarios: [],
    direction,
  }))
}

function withCheckout(plan: Plan, checkout: Checkout): Plan[] {
  const { cell } = plan
  if (!knows(checkout, cell.transport)) return bothWays(plan, `${checkout.commit} has no gRPC`)
  const { ours, theirs } = shared(plan.scenarios, checkout)
  const named = (direction: Direction) => ({ ...cell, name: `${cell.name}, ${direction} (${checkout.commit})` })
  return [
    { cell: named("earlier SDK"), scenarios: ours, program: launcherOf(checkout), direction: "earlier SDK" },
    { cell: named("earlier engine"), scenarios: theirs, engine: engineOf(checkout), direction: "earlier engine" },
  ]
}

const knows = ({ place }: Checkout, transport: Transport): boolean =>
  transport === "rest" || existsSync(join(place, "contracts/workflow/v1/engine.proto"))

/**
 * The scenarios that both commits have, as the engine's commit has them: what is expected is what that engine does. Scripts came later
 * than scenarios, and are those of this commit where the earlier one has none.
 */
function shared(scenarios: readonly Scenario[], { place }: Checkout) {
  const folder = pathToFileURL(join(place, "conformance/scenarios/"))
  const earlier = new Map(readScenarios(folder).map((one) => [one.id, one]))
  const ours = scenarios.filter(({ id }) => earlier.has(id) && !earlier.get(id)?.open)
  return { ours, theirs: ours.map((one) => (earlier.get(one.id)?.script ? earlier.get(one.id)! : one)) }
}
