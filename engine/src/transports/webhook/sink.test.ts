// Events by webhook, to a receiver on this machine: what it is sent, how that is proved, and what its answers mean.
import { createHmac, timingSafeEqual } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { OutgoingEvent } from "../../operations/events/sink.ts"
import { createWebReceiver, type Received, type WebReceiver } from "../../test-support/web-receiver.ts"
import { signatureOf } from "./signature.ts"
import { WebhookSink } from "./sink.ts"

const SECRET = "a secret of the environment"

let receiver: WebReceiver
let sink: WebhookSink
beforeEach(async () => {
  receiver = await createWebReceiver()
  sink = open()
})
afterEach(async () => {
  await sink.close()
  await receiver.close()
})

const open = (
  change: { eventWebhookUrl?: string; eventWebhookTimeoutMs?: number; eventWebhookNetworks?: string[] } = {},
) =>
  new WebhookSink({
    eventWebhookUrl: receiver.url,
    eventWebhookSecret: SECRET,
    eventWebhookNetworks: ["127.0.0.0/8"],
    eventWebhookTimeoutMs: 60_000,
    ...change,
  })

const event = (n: number, key: string | null = null): OutgoingEvent => ({
  id: `e${n}`,
  type: "payment.initiated",
  key,
  payload: JSON.stringify({ n }),
  headers: {},
  createdAt: 1_000,
})

/** As the guide shows it to receivers. */
function isGenuine({ headers, body }: Received): boolean {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  const wanted = Buffer.from(`v1,${createHmac("sha256", SECRET).update(signed).digest("base64")}`)
  const given = Buffer.from(String(headers["webhook-signature"]))
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

describe("what is posted", () => {
  test("SEC-48: the event as JSON, its id and type, and a signature over id, time and body", async () => {
    const headers = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tenant: "t1" }
    expect(await sink.send([{ ...event(1, "p1"), headers }])).toEqual([{ kind: "sent" }])
    const [one] = receiver.received as [Received]
    expect(JSON.parse(one.body)).toEqual({
      id: "e1",
      type: "payment.initiated",
      key: "p1",
      createdAt: "1970-01-01T00:00:01.000Z",
      headers,
      payload: { n: 1 },
    })
    expect(one.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": "e1",
      "webhook-type": "payment.initiated",
      traceparent: headers.traceparent,
    })
    expect(one.headers).not.toHaveProperty("tenant")
    expect(isGenuine(one)).toBe(true)
  })

  test("the payload is the text of the database: a large number keeps its digits", async () => {
    await sink.send([{ ...event(1), payload: '{"n": 12345678901234567890}' }])
    expect(receiver.received[0]?.body).toContain('"payload":{"n": 12345678901234567890}}')
  })

  test("SEC-48: another body, time, id or secret does not fit the signature", async () => {
    await sink.send([event(1)])
    const [{ headers, body, event: told }] = receiver.received as [Received]
    const changed = (name: string, value: string) =>
      isGenuine({ headers: { ...headers, [name]: value }, body, event: told })
    expect(isGenuine({ headers, body: `${body} `, event: told })).toBe(false)
    expect(changed("webhook-timestamp", "1")).toBe(false)
    expect(changed("webhook-id", "e2")).toBe(false)
    const signed = { id: "e1", timestamp: Number(headers["webhook-timestamp"]), body }
    expect(changed("webhook-signature", signatureOf(signed, "another secret of this size"))).toBe(false)
  })

  test("the example of Standard Webhooks has the signature that it should", () => {
    const body = '{"test": 2432232314}'
    const signed = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body }
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    expect(signatureOf(signed, secret)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })
})

describe("order", () => {
  test("events of one key are posted one after the other, those of different keys side by side", async () => {
    const underWay = new Map<string | null, number>()
    let most = 0
    receiver.answer = async ({ event: { key } }) => {
      underWay.set(key, (underWay.get(key) ?? 0) + 1)
      expect(underWay.get(key)).toBe(1)
      most = Math.max(
        most,
        [...underWay.values()].reduce((sum, of) => sum + of),
      )
      if (key === "a" && most < 2) await expect.poll(() => most).toBe(2)
      underWay.set(key, 0)
      return { status: 200 }
    }
    const batch = [event(1, "a"), event(2, "b"), event(3, "a"), event(4, "b"), event(5, "a")]
    expect((await sink.send(batch)).every(({ kind }) => kind === "sent")).toBe(true)
    const ofKey = (key: string) => receiver.received.filter((one) => one.event.key === key).map((one) => one.event.id)
    expect([ofKey("a"), ofKey("b")]).toEqual([
      ["e1", "e3", "e5"],
      ["e2", "e4"],
    ])
  })

  test("behind one that was not taken nothing of its key is posted", async () => {
    receiver.answer = ({ event: { id } }) => ({ status: id === "e1" ? 500 : 200 })
    const kinds = (await sink.send([event(1, "a"), event(2, "a"), event(3, "b")])).map(({ kind }) => kind)
    expect(kinds).toEqual(["failed", "retry", "sent"])
    expect(receiver.received.map((one) => one.event.id).toSorted()).toEqual(["e1", "e3"])
  })
})

describe("what an answer means", () => {
  test.each([
    [400, "refused"],
    [401, "refused"],
    [404, "refused"],
    [410, "refused"],
    [422, "refused"],
    [408, "failed"],
    [425, "failed"],
    [500, "failed"],
    [502, "failed"],
    [429, "retry"],
    [503, "retry"],
    [301, "retry"],
  ])("%i: %s, with its reason", async (status, kind) => {
    receiver.answer = () => ({ status, headers: { location: "http://127.0.0.1:1/" }, text: "because\n of this" })
    const [outcome] = await sink.send([event(1)])
    expect(outcome).toMatchObject({ kind, reason: expect.stringContaining(`answered ${status}: because of this`) })
    expect(receiver.received).toHaveLength(1)
  })

  test.each([
    [503, "120", 120_000],
    [500, "7", 7_000],
    [429, "86400", 3_600_000],
    [503, new Date(Date.now() + 9_000_000).toUTCString(), 3_600_000],
    [503, "soon", undefined],
  ])("%i with Retry-After: %s is kept", async (status, after, retryAfterMs) => {
    receiver.answer = () => ({ status, headers: { "retry-after": after } })
    const [outcome] = await sink.send([event(1)])
    expect(outcome && "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined).toBe(retryAfterMs)
  })

  test("no answer in time fails this event", async () => {
    receiver.answer = () => undefined
    await sink.close()
    sink = open({ eventWebhookTimeoutMs: 100 })
    expect(await sink.send([event(1)])).toEqual([{ kind: "failed", reason: "did not answer in time" }])
  })

  test("no receiver stops the sink", async () => {
    await receiver.close()
    const away = { kind: "retry", reason: "ECONNREFUSED" }
    expect(await sink.send([event(1), event(2)])).toEqual([away, away])
  })

  test("an answer without an end is not read to its end", async () => {
    receiver.answer = () => ({ status: 400, text: "x".repeat(5_000_000) })
    const [outcome] = await sink.send([event(1)])
    expect(outcome).toMatchObject({
      kind: "refused",
      reason: expect.stringMatching(/^the receiver answered 400: x{200}$/),
    })
  })

  test("a sink that is closed posts nothing more", async () => {
    await sink.close()
    expect(await sink.send([event(1)])).toMatchObject([{ kind: "retry" }])
    expect(receiver.received).toEqual([])
  })
})

describe("SEC-45: where events may go", () => {
  test.each([
    "http://127.0.0.1",
    "http://127.1",
    "http://2130706433",
    "http://0x7f000001",
    "http://0177.0.0.1",
    "http://0.0.0.0",
    "http://[::1]",
    "http://[::]",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:7f00:1]",
    "http://[::127.0.0.1]",
    "http://localhost",
    "http://10.1.2.3",
    "https://10.1.2.3",
    "https://100.64.0.1",
    "https://169.254.169.254",
    "https://172.16.0.1",
    "https://172.31.255.255",
    "https://192.0.0.8",
    "https://192.168.1.1",
    "https://198.18.0.1",
    "https://224.0.0.1",
    "https://255.255.255.255",
    "https://[fe80::1]",
    "https://[fc00::1]",
    "https://[fd12:3456::1]",
    "https://[ff02::1]",
    "https://[64:ff9b::7f00:1]",
    "https://[2002:7f00:1::]",
    "https://[2001::1]",
    "https://[2001:db8::1]",
    "http://8.8.8.8",
    "http://[2606:4700::1111]",
  ])("%s is not connected to", async (origin) => {
    const { port } = new URL(receiver.url)
    const barred = open({ eventWebhookUrl: `${origin}:${port}/events`, eventWebhookNetworks: [] })
    expect(await barred.send([event(1)])).toEqual([
      { kind: "retry", reason: expect.stringMatching(/WE_EVENT_WEBHOOK_NETWORKS$/) },
    ])
    expect(receiver.received).toEqual([])
    await barred.close()
  })

  test("a name is judged by every address that it has", async () => {
    const named = open({ eventWebhookUrl: receiver.url.replace("127.0.0.1", "localhost") })
    // ::1 may be another address of it, which is not in the networks that are named.
    const [outcome] = await named.send([event(1)])
    expect([{ kind: "sent" }, { kind: "retry", reason: expect.stringMatching(/^::1 is not a public/) }]).toContainEqual(
      outcome,
    )
    await named.close()
  })
})
