import { channel, subscribe, unsubscribe } from "node:diagnostics_channel"
import { EventEmitter, once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { Admin } from "@platformatic/kafka"
import { expect, onTestFinished, test } from "vitest"
import { heardConnections } from "./heard-connections.ts"

/** A broker that resets each connection at its first word. */
async function startResetting(): Promise<{ host: string; port: number }> {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => socket.resetAndDestroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port }
}

/** The connections that are made from here on. */
function watchConnections(): EventEmitter[] {
  const made: EventEmitter[] = []
  const note = (message: unknown) => {
    const { type, instance } = message as { type: string; instance: EventEmitter }
    if (type === "connection") made.push(instance)
  }
  subscribe("plt:kafka:instances", note)
  onTestFinished(() => void unsubscribe("plt:kafka:instances", note))
  return made
}

test("a connection that breaks while it authenticates fails its call, and no error is left without a listener", async () => {
  const made = watchConnections()
  const admin = new Admin({
    clientId: "heard",
    bootstrapBrokers: [await startResetting()],
    sasl: { mechanism: "SCRAM-SHA-512", username: "user", password: "secret" },
    retries: 0,
    ...heardConnections(),
  })
  onTestFinished(() => admin.close())
  await expect(admin.metadata({ topics: [] })).rejects.toThrow()
  expect(made.length).toBeGreaterThan(0)
  for (const connection of made) expect(connection.listenerCount("error")).toBeGreaterThan(0)
})

test("connections of other clients are left alone", () => {
  heardConnections()
  const stranger = new EventEmitter()
  channel("plt:kafka:instances").publish({ type: "connection", instance: stranger })
  expect(stranger.listenerCount("error")).toBe(0)
})
