// A peer that is no trusted proxy says that it speaks for others.
import { freshAddress, freshPeer } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { MOST_CALLS } from "../guesses.ts"
import { ask, countOf, flood, tally } from "../wire.ts"
import { namesOf } from "./spoof-behind-proxy.ts"

const CALLS = 150

export const spoofFromStranger: Attack = {
  name: "spoof without a proxy",
  tries: "the same headers from a peer that is not a trusted proxy, to the engine and to the gateway",
  ids: ["SEC-04", "E-X7"],
  async run({ engine, gateway }) {
    const shootAt = (url: string) => {
      const peer = freshPeer()
      return flood(CALLS, 64, () => {
        const madeUp = freshAddress()
        return ask(url, { path: "/nothing-is-here", headers: namesOf(madeUp), from: madeUp, peer })
      })
    }
    const [atEngine, atGateway] = [await shootAt(engine.urls.rest), await shootAt(gateway.urls.rest)]
    const isExact = (answers: typeof atEngine) =>
      countOf(answers, 404) === MOST_CALLS && countOf(answers, 429) === CALLS - MOST_CALLS
    return outcomeOf(`engine: ${tally(atEngine)}; gateway: ${tally(atGateway)}`, {
      [`the engine answers exactly ${MOST_CALLS}`]: isExact(atEngine),
      [`the gateway answers exactly ${MOST_CALLS}`]: isExact(atGateway),
    })
  },
}
