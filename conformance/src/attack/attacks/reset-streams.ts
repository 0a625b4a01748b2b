// HTTP/2 rapid reset: streams that are opened and reset at once, so that no limit of open streams ever counts them.
import { constants } from "node:http2"
import { freshAddress } from "../addresses.ts"
import { type Attack, outcomeOf } from "../attack.ts"
import { bearer } from "../guesses.ts"
import { callGrpc, LIST_INSTANCES, openHttp2 } from "../http2.ts"
import { residentMiB } from "../resident.ts"

/** Streams of one connection; a server that cuts it off earlier is asked on the next. */
const BATCH = 500
const MOST_GROWTH_MIB = 200

export const resetStreams: Attack = {
  name: "reset streams rapidly",
  tries:
    "thousands of HTTP/2 streams on the gRPC port that are reset in the moment they are opened, over many connections",
  ids: ["SEC-36"],
  alone: true,
  async run({ engine, cast, size }) {
    const key = await cast.newKey("instances:read")
    const total = size(20_000, 2_000)
    const before = residentMiB(engine.pid)
    let [opened, connections] = [0, 0]
    for (; opened < total && connections < total / 10; connections++) opened += await resetOn(engine.urls.grpc)
    const honest = await openHttp2(engine.urls.grpc)
    const status = await callGrpc(honest, { ...bearer(key), "x-forwarded-for": freshAddress() })
    honest.destroy()
    const grown = residentMiB(engine.pid) - before
    return outcomeOf(
      `${opened} resets on ${connections} connections, ${grown} MiB more; an honest call: status ${status}`,
      {
        "an honest call is served": status === "0",
        [`the engine grows by at most ${MOST_GROWTH_MIB} MiB`]: grown <= MOST_GROWTH_MIB,
      },
    )
  },
}

/** How many streams were opened before the server closed the connection. */
async function resetOn(url: string): Promise<number> {
  const session = await openHttp2(url)
  let opened = 0
  while (opened < BATCH && !session.closed && !session.destroyed) {
    const headers = { ":method": "POST", ":path": LIST_INSTANCES, "content-type": "application/grpc" }
    session
      .request(headers)
      .on("error", () => {})
      .close(constants.NGHTTP2_CANCEL)
    opened++
    // A turn of the loop, so that what was written leaves and what the server says arrives.
    if (opened % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  const pinged = new Promise((resolve) => {
    session.once("close", resolve)
    if (!session.ping(() => resolve(undefined))) resolve(undefined)
  })
  await pinged
  session.destroy()
  return opened
}
