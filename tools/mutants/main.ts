// The command: reads what is asked for, runs it, and says what was found.
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { read } from "../files.ts"
import { choose } from "./choose.ts"
import { MUTANTS } from "./list.ts"
import { type Mutant, mutated } from "./mutant.ts"
import { type Killers, killersFile } from "./report-page.ts"
import { findFailingTests, judgeMutants } from "./run-mutants.ts"
import { SIMULATED, simulate } from "./simulate.ts"
import type { Verdict } from "./verdict.ts"

const HELP = `npm run mutants -- [options]

Plants one bug at a time in a copy of the checkout, runs the tests that should know, and reports which one found it.

  --only a,b       those whose id has one of these parts; * stands for anything
  --sample N       so many, drawn by the seed
  --seed S         what the sample is drawn by: a commit, for example
  --lanes N        so many at once, each with a copy and a PostgreSQL (1)
  --json FILE      the verdicts, for a program
  --skip-clean     do not first run the tests without any mutant
  --write          keep which test found which mutant, for docs/reference/mutants.md
  --simulate N     run the first N seeds of the simulation on each instead of its tests; without --only, on those of docs/guides/proof.md
  --list           the mutants, and nothing is run
  --help           this
`

const OPTIONS = {
  only: { type: "string" },
  sample: { type: "string" },
  seed: { type: "string" },
  lanes: { type: "string", default: "1" },
  json: { type: "string" },
  "skip-clean": { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  simulate: { type: "string" },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const { only, seed, sample } = values
  const all = values.simulate === undefined || only ? MUTANTS : MUTANTS.filter(({ id }) => SIMULATED.includes(id))
  const mutants = choose(all, { only, seed, sample: sample === undefined ? undefined : Number(sample) })
  if (values.help) tell(HELP)
  else if (values.list) for (const { id, breaks } of mutants) tell(`${id}: ${breaks}`)
  else if (values.simulate !== undefined) return simulate(mutants, Number(values.simulate), tell)
  else return judge(mutants, values)
  return 0
}

interface Ways {
  readonly lanes: string
  readonly json?: string | undefined
  readonly write: boolean
  readonly "skip-clean": boolean
}

async function judge(mutants: readonly Mutant[], ways: Ways): Promise<number> {
  // Before the first is run: one that cannot be planted is found at once.
  for (const mutant of mutants) mutated(read(mutant.file), mutant)
  const lanes = Number(ways.lanes)
  if (!ways["skip-clean"] && (await findFailingTests(mutants, lanes, tell)).length > 0) return 1
  const verdicts = await judgeMutants(mutants, lanes, tell)
  if (ways.json) writeFileSync(ways.json, `${JSON.stringify(verdicts, null, 2)}\n`)
  if (ways.write) keepKillers(verdicts)
  tell(summary(verdicts))
  return mutants.length > 0 && verdicts.every(({ verdict }) => verdict === "killed") ? 0 : 1
}

function keepKillers(verdicts: readonly Verdict[]): void {
  const killers: Record<string, Killers[string]> = JSON.parse(readFileSync(killersFile, "utf8"))
  for (const { id, verdict, file = "", test = "", seconds } of verdicts)
    if (verdict === "killed") killers[id] = { file, test, seconds }
  const sorted = Object.fromEntries(Object.entries(killers).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(killersFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

function summary(verdicts: readonly Verdict[]): string {
  const of = (wanted: Verdict["verdict"]) => verdicts.filter(({ verdict }) => verdict === wanted)
  const seconds = of("killed")
    .map((verdict) => verdict.seconds)
    .sort((a, b) => a - b)
  const median = seconds[seconds.length >> 1] ?? 0
  const counts = `${of("killed").length} killed (median ${median} s), ${of("survived").length} survived`
  const left = [...of("survived"), ...of("broken")].map(
    ({ id, verdict }) => `\n  ${verdict}: ${id}\n  replay: npm run mutants -- --only ${id}`,
  )
  return `${counts}, ${of("broken").length} broken${left.join("")}`
}
