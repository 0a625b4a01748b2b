// What the three kinds of visitors do: honest ones browse, stuffers try leaked names, scrapers ask by the clock.
import { setTimeout as sleep } from "node:timers/promises"
import type { Tally } from "./tally.ts"
import type { Visitor } from "./visitor.ts"

export interface Act {
  readonly visitor: Visitor
  readonly name: string
  readonly password: string
  readonly tally: Tally
  readonly over: AbortSignal
}

export const LEAKED = Array.from({ length: 10 }, (_, n) => `leaked-${n}`)

/** Between two clicks, in milliseconds. */
const PAUSE = { shortest: 1_000, longest: 5_000 }
const STUFF_EVERY_MS = 100
const SCRAPE_EVERY_MS = 500

/** Eight calls through the gateway to two of its health. */
export async function browse({ visitor, name, password, tally, over }: Act): Promise<void> {
  await signIn({ visitor, name, password, tally, over })
  while (!over.aborted) {
    await pause(over, PAUSE.shortest + Math.random() * (PAUSE.longest - PAUSE.shortest))
    if (over.aborted) return
    const path = Math.random() < 0.8 ? `/gateway/products/${Math.floor(Math.random() * 4)}` : "/health"
    tally.called(await visitor.get(path))
  }
}

/** Another name at each attempt, so that none of them fails often; until it is refused whatever it sends. */
export async function stuff({ visitor, tally, over }: Act): Promise<void> {
  let tried = 0
  for (let attempt = 1; !over.aborted; attempt++) {
    const { status } = await visitor.signIn(LEAKED[attempt % LEAKED.length] as string, `password-${attempt}`)
    if (status === 403 || status === 429) return tally.stuffingStopped(tried)
    // Where passwords come faster than they can be hashed, one was sent and none was tried.
    if (status !== 503) tried++
    await pause(over, STUFF_EVERY_MS)
  }
  tally.stuffingStopped(undefined)
}

/** Until it is delayed or refused. The clock decides when it asks, and not the answer before. */
export async function scrape(act: Act): Promise<void> {
  const { visitor, tally, over } = act
  await signIn(act)
  const startedAt = performance.now()
  for (let asked = 1; !over.aborted; asked++) {
    const { status, retryAfter } = await visitor.get(`/gateway/products/${asked % 4}`)
    if (status !== 200 || retryAfter !== undefined) return tally.scraperFound(asked)
    await pause(over, startedAt + asked * SCRAPE_EVERY_MS - performance.now())
  }
  tally.scraperFound(undefined)
}

/** Where passwords come faster than they can be hashed, the engine says when to try again. */
async function signIn({ visitor, name, password, tally, over }: Act): Promise<void> {
  while (!over.aborted) {
    const answer = await visitor.signIn(name, password)
    tally.signedIn(answer)
    if (answer.status !== 503) return
    await pause(over, (answer.retryAfter ?? 1) * 1_000)
  }
}

const pause = (over: AbortSignal, ms: number): Promise<void> =>
  sleep(Math.max(0, ms), undefined, { signal: over }).catch(() => {})
