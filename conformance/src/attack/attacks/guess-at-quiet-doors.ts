// Guessing keys where no limit stands: health, the session, the page's files, the port of the metrics.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer, MOST_GUESSES, madeUpKey } from "../guesses.ts"
import { ask } from "../wire.ts"

const DOORS = [
  { at: "rest", path: "/health" },
  { at: "rest", path: "/v1/session" },
  { at: "metrics", path: "/metrics" },
] as const

const ELSEWHERE = "/v1/instances"

export const guessAtQuietDoors: Attack = {
  name: "guess at quiet doors",
  tries:
    "wrong keys on /health, on GET /v1/session and on the metrics' port, none of which refuses a caller for its number of calls",
  ids: ["SEC-60", "E-10"],
  async run({ engine }) {
    const tried = await Promise.all(
      DOORS.map(async ({ at, path }) => {
        const from = freshAddress()
        const guess = (url: string, where: string) => ask(url, { path: where, headers: bearer(madeUpKey()), from })
        for (let times = 0; times < MOST_GUESSES; times++) await guess(engine.urls[at], path)
        // By now the address has no guess left, wherever it goes. /health answers before its last one is counted.
        const after = [await guess(engine.urls.rest, ELSEWHERE), await guess(engine.urls.rest, ELSEWHERE)]
        return { path, status: after[1]?.status }
      }),
    )
    return outcomeOf(
      tried.map(({ path, status }) => `after ${path}: ${status}`).join(", "),
      Object.fromEntries(tried.map(({ path, status }) => [`guesses at ${path} count`, status === 429])),
    )
  },
}
