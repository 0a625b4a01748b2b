// Buyers pay and a clerk works while the parts are killed; then everything may end, and the books are audited.
import { setMaxListeners } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { HttpClient } from "../load/http-client.ts"
import { Tally } from "../load/tally.ts"
import type { Db } from "../payments/database.ts"
import { type Audit, audit, readProviderBooks } from "../stage/audit.ts"
import { openPayments, untilSettled } from "../stage/backlog.ts"
import type { Stage } from "../stage/stage.ts"
import { buy } from "./buyer.ts"
import { attend } from "./clerk.ts"
import { killAtRandom, victimsOf } from "./killer.ts"
import type { Observer } from "./observer.ts"

export interface ChaosOptions {
  readonly seconds: number
  readonly everyMs: number
  readonly buyers: number
  readonly random: () => number
}

export interface ChaosPlace {
  readonly stage: Stage
  readonly db: Db
  readonly observer: Observer
  readonly say: (line: string) => void
}

export interface ChaosReport extends Audit {
  readonly accepted: number
  readonly deaths: ReadonlyMap<string, number>
  readonly charged: number
  readonly asked: number
}

const TELL_EVERY_MS = 5_000
const LOOK_EVERY_MS = 500

export async function runChaos(options: ChaosOptions, place: ChaosPlace): Promise<ChaosReport> {
  const tally = new Tally()
  const telling = setInterval(() => void tellProgress(tally, place).catch(() => {}), TELL_EVERY_MS)
  try {
    const deaths = await storm(options, place, tally)
    place.say(`${tally.accepted.size} payments were accepted; the killing is over, and everything may end`)
    await untilSettled(place.db, () => {})
    while ((await place.observer.unseen()) > 0) await sleep(LOOK_EVERY_MS)
    return { deaths, ...(await judge(tally, place)) }
  } finally {
    clearInterval(telling)
  }
}

async function judge(tally: Tally, { stage, db, observer }: ChaosPlace): Promise<Omit<ChaosReport, "deaths">> {
  const provider = await readProviderBooks(stage.providerUrl)
  const { counts, faults } = await audit({ db, accepted: tally.accepted, provider })
  const doubled = tally.doubled.map((key) => `key ${key} was answered with two payments`)
  const { charged, asked } = provider.totals
  const all = [...faults, ...doubled, ...(await observer.faults())]
  return { counts, faults: all, accepted: tally.accepted.size, charged, asked }
}

async function storm(
  { seconds, everyMs, buyers, random }: ChaosOptions,
  { stage, db, say }: ChaosPlace,
  tally: Tally,
): Promise<ReadonlyMap<string, number>> {
  const client = new HttpClient(buyers * 2 + 6)
  const signal = AbortSignal.timeout(seconds * 1_000)
  setMaxListeners(0, signal)
  const market = { apiUrl: stage.apiUrl, client, tally, signal }
  const tell = (victim: string) => say(`kill -9 ${victim}`)
  const [deaths] = await Promise.all([
    killAtRandom(victimsOf(stage), { everyMs, random, signal, tell }),
    attend(market, db),
    ...Array.from({ length: buyers }, () => buy(market)),
  ])
  client.close()
  return deaths
}

async function tellProgress(tally: Tally, { db, observer, say }: ChaosPlace): Promise<void> {
  const open = await openPayments(db)
  say(`${tally.accepted.size} accepted, ${open} not ended, ${await observer.unseen()} events on their way`)
}
