// A user of the gateway says in headers that it is somebody else, or more than it is.
import { freshPeer } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer, signInPatiently } from "../guesses.ts"
import { ask } from "../wire.ts"

const FORGED = {
  "x-millrace-client": "user:root",
  "X-Millrace-Role": "ADMIN",
  "x-millrace-address": "10.0.0.1",
  x_millrace_role: "ADMIN",
  "x-forwarded-for": "10.0.0.1",
  "x-original-url": "/v1/api-keys",
}

const FORGED_AT = "/who-am-i"

export const forgeIdentity: Attack = {
  name: "forge an identity",
  tries: "X-Millrace-Role: ADMIN and its like from a signed-in USER: to the upstream, and to the engine's own routes",
  ids: ["E-19", "E-31", "SEC-46"],
  async run({ engine, gateway, upstream, cast }) {
    const peer = freshPeer()
    const person = await cast.newPerson("forger")
    const { access_token: token } = JSON.parse((await signInPatiently(gateway.urls.rest, person, { peer })).text)
    const headers = { ...bearer(token), ...FORGED }
    const forwarded = await ask(gateway.urls.rest, { path: `/gateway${FORGED_AT}`, headers, peer })
    const [asked] = upstream.asked.filter(({ path }) => path === FORGED_AT)
    const seen = JSON.stringify(asked?.headers ?? {})
    const ownRoute = await ask(engine.urls.rest, { path: "/v1/instances", headers, peer })
    const atGateway = await ask(gateway.urls.rest, { path: "/v1/instances", headers, peer })
    return outcomeOf(
      `forwarded ${forwarded.status}, an engine's route: ${ownRoute.status}, at the gateway: ${atGateway.status}`,
      {
        "the call itself is forwarded": forwarded.status === 200 && asked !== undefined,
        "the upstream is told who it really is": /"x-millrace-role":"USER"/.test(seen) && !seen.includes("user:root"),
        "the upstream sees no token and no forged address": !seen.includes(token) && !seen.includes("10.0.0.1"),
        "no spelling of the role reaches the upstream": !seen.includes("ADMIN"),
        "the engine's own routes stay shut": ownRoute.status === 403 && atGateway.status === 404,
      },
    )
  },
}
