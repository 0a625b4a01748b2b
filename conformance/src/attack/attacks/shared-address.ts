// Wrong keys from an address that honest workers share: an office behind one address goes on working.
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer, madeUpKey } from "../guesses.ts"
import { callGrpc, openHttp2 } from "../http2.ts"
import { ask, countOf, flood, tally } from "../wire.ts"

const GUESSES = 200

export const sharedAddress: Attack = {
  name: "spoil a shared address",
  tries: "200 wrong keys from the address of an office whose workers call with good keys over REST and gRPC",
  ids: ["SEC-60", "SEC-66", "E-09", "E-38"],
  async run({ engine, cast }) {
    const url = engine.urls.rest
    const office = freshAddress()
    const key = await cast.newKey("instances:read")
    const work = () => ask(url, { path: "/v1/instances", headers: bearer(key), from: office })
    const before = await work()
    const session = await openHttp2(engine.urls.grpc)
    const [guesses, honest] = await Promise.all([
      flood(GUESSES, 8, () => ask(url, { path: "/v1/instances", headers: bearer(madeUpKey()), from: office })),
      flood(GUESSES, 4, work),
    ])
    const overGrpc = await callGrpc(session, { ...bearer(key), "x-forwarded-for": office })
    session.destroy()
    return outcomeOf(
      `the guesser: ${tally(guesses)}; the workers: ${tally([before, ...honest])}, gRPC status ${overGrpc}`,
      {
        "the guesser is refused": countOf(guesses, 429) > 0 && countOf(guesses, 200) === 0,
        "every call of a worker is served": countOf(honest, 200) === GUESSES && before.status === 200,
        "over gRPC too": overGrpc === "0",
      },
    )
  },
}
