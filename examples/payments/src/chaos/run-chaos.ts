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
import type { Compared, Observer } from "./observer.ts"

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
  readonly compared: Compared
}

const TELL_EVERY_MS = 5_000
const LOOK_EVERY_MS = 500
/** When the killing is over, buyers and clerk go on for up to this many times its length until the order was put to the test. */
const LONGEST = 20

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
  const compared = await observer.compared()
  const all = [...faults, ...doubled, ...(await observer.faults()), ...idleFaults(compared)]
  return { counts, faults: all, accepted: tally.accepted.size, charged, asked, compared }
}

/** A run in which nothing could come out of order proves nothing about order. */
const idleFaults = ({ ofType }: Compared): string[] =>
  ofType > 0 ? [] : ["no payment had two events of one type: the order was not put to the test"]

async function storm(
  { seconds, everyMs, buyers, random }: ChaosOptions,
  { stage, db, observer, say }: ChaosPlace,
  tally: Tally,
): Promise<ReadonlyMap<string, number>> {
  const client = new HttpClient(buyers * 2 + 6)
  const ending = new AbortController()
  const { signal } = ending
  setMaxListeners(0, signal)
  const market = { apiUrl: stage.apiUrl, client, tally, signal }
  const tell = (victim: string) => say(`kill -9 ${victim}`)
  const killing = AbortSignal.timeout(seconds * 1_000)
  const kill = async () => {
    const deaths = await killAtRandom(victimsOf(stage), { everyMs, random, signal: killing, tell })
    await untilTried(observer, seconds * 1_000 * LONGEST)
    ending.abort()
    return deaths
  }
  const [deaths] = await Promise.all([kill(), attend(market, db), ...Array.from({ length: buyers }, () => buy(market))])
  client.close()
  return deaths
}

/** Until some payment had two events of one type. */
async function untilTried(observer: Observer, ms: number): Promise<void> {
  const latest = performance.now() + ms
  while (performance.now() < latest && !(await isTried(observer))) await sleep(LOOK_EVERY_MS)
}

/** The database may have been killed a moment ago: it is asked again. */
const isTried = (observer: Observer): Promise<boolean> =>
  observer.compared().then(
    ({ ofType }) => ofType > 0,
    () => false,
  )

async function tellProgress(tally: Tally, { db, observer, say }: ChaosPlace): Promise<void> {
  const open = await openPayments(db)
  say(`${tally.accepted.size} accepted, ${open} not ended, ${await observer.unseen()} events on their way`)
}
