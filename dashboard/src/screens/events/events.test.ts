import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect } from "vitest"
import { complaints, engine, openAt, page, setUpBrowser, test, untilSaid } from "../../test-support/browser-test.ts"
import { startEngine } from "../../test-support/engine-process.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"

/** Receives the events: refuses all, or takes all. */
let receiver: Server
let refuses = true
const taken: string[] = []

async function listen(): Promise<string> {
  receiver = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      if (!refuses) taken.push(JSON.parse(body).key)
      response.writeHead(refuses ? 400 : 204).end(refuses ? "<b>no such account</b>" : undefined)
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
}
afterAll(() => receiver?.close())

const publish = (key: string, n: number) =>
  engine.send("POST", "/v1/events", { type: "payment.initiated", key, payload: { n } })
const parked = async () => (await engine.get<{ items: { id: string }[] }>("/v1/events/parked")).items

setUpBrowser({
  path: "/ui/events",
  env: async () => ({
    WE_EVENT_SINKS: "webhook",
    WE_EVENT_WEBHOOK_URL: await listen(),
    WE_EVENT_WEBHOOK_SECRET: "a secret of the environment",
    WE_EVENT_WEBHOOK_NETWORKS: "127.0.0.0/8",
  }),
  prepare: async () => {
    for (const key of ["p-1", "p-2"]) for (const n of [1, 2]) await publish(key, n)
    while ((await parked()).length < 4);
  },
})

const rows = (name: RegExp) => page.getByRole("table", { name: "Parked events" }).getByRole("row", { name })

describe("events", () => {
  test("F-24: the sink is shown with who sends to it, and what it did not take with the reason", async () => {
    const sink = page.getByRole("table", { name: "Sinks" }).getByRole("row", { name: /webhook/ })
    await sink.getByText("is sent to").waitFor()
    await sink.getByRole("link", { name: "4" }).waitFor()
    await expect.poll(() => rows(/waits for you/).count()).toBe(2)
    await expect.poll(() => rows(/behind another/).count()).toBe(2)
    await page.getByText("the receiver answered 400: <b>no such account</b>").first().waitFor()
  })

  test("it is readable for everybody, on any screen", async () => {
    await expectUsable(page, "events")
  })

  test("F54: one is replayed after asking, and those behind it follow", async () => {
    refuses = false
    await rows(/p-1.*waits for you/)
      .getByRole("button", { name: "Replay" })
      .click()
    await page.keyboard.press("Escape")
    expect(await parked()).toHaveLength(4)
    await rows(/p-1.*waits for you/)
      .getByRole("button", { name: "Replay" })
      .click()
    await page.getByRole("dialog").getByRole("button", { name: "Replay it" }).click()
    await untilSaid(/Replayed payment.initiated/)
    await expect.poll(() => taken).toEqual(["p-1", "p-1"])
  })

  test("F54: one is discarded after asking, and never sent", async () => {
    await rows(/p-2.*waits for you/)
      .getByRole("button", { name: "Discard" })
      .click()
    await page.getByRole("dialog").getByRole("button", { name: "Discard it" }).click()
    await untilSaid(/Discarded payment.initiated/)
    await expect.poll(() => taken).toEqual(["p-1", "p-1", "p-2"])
    await page.getByText("Nothing is parked.").waitFor({ timeout: 60_000 })
    expect(complaints).toEqual([])
  })

  test("without a sink it says how to have one", async () => {
    const own = await startEngine()
    const { page: bare, complaints: heard, close } = await openAt(`${own.url}/ui/events`)
    await bare.getByText("No sink is registered.").waitFor()
    await expectUsable(bare)
    expect(heard).toEqual([])
    await close()
    await own.stop()
  })
})
