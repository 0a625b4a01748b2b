// Guessing keys over gRPC, alone and after REST has shut the door.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer, MOST_GUESSES, madeUpKey } from "../guesses.ts"
import { callGrpc, openHttp2 } from "../http2.ts"
import { ask, flood } from "../wire.ts"

const GUESSES = 40
const [UNAUTHENTICATED, RESOURCE_EXHAUSTED] = ["16", "8"]

export const guessOverGrpc: Attack = {
  name: "guess over gRPC",
  tries: "40 wrong keys over gRPC from one address, and one more from an address that has used its guesses on REST",
  ids: ["E-10", "SEC-60"],
  async run({ engine }) {
    const [here, there] = [freshAddress(), freshAddress()]
    const session = await openHttp2(engine.urls.grpc)
    const guess = (from: string) => callGrpc(session, { ...bearer(madeUpKey()), "x-forwarded-for": from })
    try {
      const statuses = await flood(GUESSES, 4, () => guess(here))
      await flood(MOST_GUESSES, MOST_GUESSES, () =>
        ask(engine.urls.rest, { path: "/v1/instances", headers: bearer(madeUpKey()), from: there }),
      )
      const after = await guess(there)
      const looked = statuses.filter((status) => status === UNAUTHENTICATED).length
      const refused = statuses.filter((status) => status === RESOURCE_EXHAUSTED).length
      return outcomeOf(`${looked} looked up, ${refused} refused; after REST: status ${after}`, {
        [`at most ${MOST_GUESSES} keys are looked up`]: looked <= MOST_GUESSES,
        "the others are refused": refused === GUESSES - MOST_GUESSES,
        "REST and gRPC count together": after === RESOURCE_EXHAUSTED,
      })
    } finally {
      session.destroy()
    }
  },
}
