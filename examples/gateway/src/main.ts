// `npm start`: the shop behind the gateway, until Ctrl-C.
import { once } from "node:events"
import { openStage } from "./stage.ts"

const stage = await openStage({ port: Number(process.env.PORT ?? 8090) })
const json = "-H 'content-type: application/json'"
console.log(`The shop is at ${stage.upstreamUrl}, and the gateway in front of it at ${stage.gatewayUrl}.

1. Without a credential nothing gets through:
   curl -i ${stage.gatewayUrl}/gateway/products
2. Register, sign in, and call again with the token:
   curl -s ${stage.gatewayUrl}/auth/register ${json} -d '{"username": "ada", "email": "ada@example.test", "password": "anvil-teapot-marble-42"}'
   curl -s ${stage.gatewayUrl}/auth/login ${json} -d '{"username": "ada", "password": "anvil-teapot-marble-42"}'
   curl -i ${stage.gatewayUrl}/gateway/products -H 'authorization: Bearer <access_token>'
3. Guess passwords: the eleventh attempt is refused, whatever the password is.

npm run load --workspace examples/gateway    puts users, guessers and scrapers in front of it

Ctrl-C ends it.`)
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
await stage.close()
