// Reflection asks for a key where keys are required, and does not pile up answers for a caller that reads none.
import { credentials, Metadata, status } from "@grpc/grpc-js"
import { ServerReflectionService } from "@millrace/sdk/proto"
import { expect, test } from "vitest"
import { Admission } from "../calls/admission.ts"
import { reflectionOf } from "./reflection.ts"
import { ServerReflectionClient } from "./test-support/clients.ts"
import { createTestGrpc } from "./test-support/test-grpc.ts"

const KEYS = {
  mill_worker: { id: "w", name: "worker", scopes: ["jobs:work"] },
  mill_user: { id: "u", name: "shop", scopes: ["gateway"] },
}

test.each([
  ["SEC-02: without a key", undefined, status.UNAUTHENTICATED],
  ["E-39: for a caller of the gateway alone", "mill_user", status.PERMISSION_DENIED],
  ["for a key of the engine", "mill_worker", status.OK],
])("reflection where keys are required, %s", async (_, key, code) => {
  const grpc = await createTestGrpc({ auth: "required", keys: KEYS })
  const client = new ServerReflectionClient(grpc.address, credentials.createInsecure())
  const metadata = new Metadata()
  if (key) metadata.set("authorization", `Bearer ${key}`)
  const stream = client.serverReflectionInfo(metadata)
  const ended = new Promise<{ code: number }>((resolve) => stream.on("error", () => {}).on("status", resolve))
  stream.on("data", () => stream.end())
  stream.write({ host: "", listServices: "" } as never)
  expect(await ended).toMatchObject({ code })
  client.close()
  await grpc.close()
})

test("SEC-32: a caller that reads no answers is not listened to", async () => {
  const grpc = await createTestGrpc()
  const { kernel } = grpc.rest.engine
  const watch = { failed: () => {}, answered: () => {} } as never
  const { handle } = reflectionOf({ kernel, options: grpc.rest.options, admission: new Admission(["any"], []), watch })
  const seen = { asked: 0, answered: 0 }
  const question = ServerReflectionService.serverReflectionInfo.requestSerialize({
    host: "",
    listServices: "",
  } as never)
  void handle({
    headers: { ":authority": "any" },
    onGone: () => {},
    next: async () => {
      seen.asked += 1
      return seen.asked < 1_000 ? question : undefined
    },
    // Never done: the caller's window is full.
    write: () => {
      seen.answered += 1
      return new Promise(() => {})
    },
  } as never)
  await expect.poll(() => seen.answered).toBe(1)
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(seen.asked).toBeLessThan(50)
  await grpc.close()
})
