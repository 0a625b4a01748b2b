// One run: episodes of requests, some at a time, then a look at what is left.
import { loadContract } from "../../../engine/dist/transports/rest/test-support/contract.js"
import { residentMiB } from "../attack/resident.ts"
import { isReady } from "../run/engine-process.ts"
import { type Finding, Findings } from "./findings.ts"
import { grpcPlayer } from "./grpc/grpc-player.ts"
import { loggedFaults } from "./logged-faults.ts"
import { EPISODE, type FuzzOptions, type Wire } from "./options.ts"
import type { Player } from "./player.ts"
import { restPlayer } from "./rest/rest-player.ts"
import { isOpening } from "./rest/rest-request.ts"
import { openStage, type Stage } from "./stage.ts"
import { Tally } from "./tally.ts"
import { diceAt, weighted } from "./values/dice.ts"
import { Memory } from "./values/memory.ts"

export interface FuzzResult {
  readonly seconds: number
  readonly findings: readonly Finding[]
  readonly tallies: Readonly<Record<Wire, Tally>>
  /** How many operations there are on each wire. */
  readonly sizes: Readonly<Record<Wire, number>>
  /** The highest resident size of the engine in each third of the run, in MiB. */
  readonly resident: readonly number[]
}

type Tell = (sent: number, found: number) => void

interface Run {
  readonly options: FuzzOptions
  readonly stage: Stage
  readonly players: Readonly<Record<Wire, Player>>
  readonly findings: Findings
  readonly tallies: Readonly<Record<Wire, Tally>>
  readonly tell: Tell
  readonly resident: number[]
}

const WIRE_WEIGHTS: Readonly<Record<Wire, number>> = { rest: 70, grpc: 30 }
const THIRDS = 3
const LOOK_EVERY = 50

export async function runFuzz(options: FuzzOptions, tell: Tell = () => {}): Promise<FuzzResult> {
  const startedAt = performance.now()
  const stage = await openStage()
  const players = playersOn(stage)
  const tallies = { rest: new Tally(), grpc: new Tally() }
  const run: Run = { options, stage, players, findings: new Findings(), tallies, tell, resident: [0, 0, 0] }
  try {
    await playEpisodes(run)
    await lookAfter(run)
    return {
      seconds: (performance.now() - startedAt) / 1_000,
      findings: run.findings.all,
      tallies,
      sizes: { rest: players.rest.size, grpc: players.grpc.size },
      resident: run.resident,
    }
  } finally {
    for (const player of Object.values(players)) player.close()
    await stage.close()
  }
}

function playersOn({ engine, callers }: Stage): Readonly<Record<Wire, Player>> {
  return {
    rest: restPlayer({ url: engine.urls.rest, contract: loadContract(), callers }),
    grpc: grpcPlayer({ url: engine.urls.grpc, callers }),
  }
}

async function playEpisodes(run: Run): Promise<void> {
  const { episode, requests, callers } = run.options
  const last = episode === undefined ? Math.ceil(requests / EPISODE) : episode + 1
  let next = episode ?? 0
  const caller = async () => {
    while (next < last) await playEpisode(run, next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function playEpisode({ options, stage, players, ...run }: Run, episode: number): Promise<void> {
  const memory = new Memory(stage.keyIds)
  const from = `10.${(episode >> 16) & 255}.${(episode >> 8) & 255}.${episode & 255}`
  const of = options.episode === undefined ? Math.min(EPISODE, options.requests - episode * EPISODE) : EPISODE
  for (let at = 0; at < of; at++) {
    const dice = diceAt(options.seed, episode, at)
    const drawn = weighted(
      dice,
      options.wires.map((one) => [WIRE_WEIGHTS[one], one]),
    )
    const wire = isOpening(at) ? "rest" : drawn
    const played = await players[wire].play({ dice, memory, from, at })
    run.tallies[wire].add(played)
    for (const fault of played.faults) run.findings.add(fault, episode, `request ${at}\n${played.told()}`)
    if (at % LOOK_EVERY === 0) watch({ options, stage, players, ...run })
  }
}

/** Where the run is, and how much memory the engine has. */
function watch({ options, stage, tallies, resident, findings, tell }: Run): void {
  const sent = tallies.rest.sent + tallies.grpc.sent
  const third = Math.min(THIRDS - 1, Math.floor((THIRDS * sent) / options.requests))
  resident[third] = Math.max(resident[third] ?? 0, residentMiB(stage.engine.pid))
  tell(sent, findings.all.length)
}

/** After the last answer: the engine answers, says nothing of faults of its own, and the database is as it should be. */
async function lookAfter({ stage, findings }: Run): Promise<void> {
  const found = (fault: string, told: string) => findings.add(fault, -1, told)
  const { engine } = stage
  if (!(await isReady(engine.urls.rest))) found("the engine is not ready after the last request", engine.said())
  const faults = loggedFaults(engine.said())
  if (faults !== "") found("the engine has logged errors", faults)
  const symptoms = await stage.examine()
  if (symptoms !== undefined) found("millrace doctor has found something", symptoms)
}
