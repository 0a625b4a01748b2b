// W-06: a field that the contract does not have is refused at the client's own door, with the name that was meant.
import { expect, test } from "vitest"
import type { EngineClient } from "../client/engine-client.ts"
import { useBench } from "../test-support/bench.ts"
import { UnknownFieldError } from "./unknown-fields.ts"

const bench = useBench()
/** As JavaScript would write it. */
const untyped = (given: object) => given as never

test.each<[string, (client: EngineClient) => unknown, string, string]>([
  ["a start", (c) => c.startInstance(untyped({ definitionId: "o", variabels: {} })), "variabels", "variables"],
  ["a query", (c) => c.listInstances(untyped({ statsu: "FAILED" })), "statsu", "status"],
  ["a report", (c) => c.complete("j", untyped({ workerId: "w", leasetoken: "t" })), "leasetoken", "leaseToken"],
  ["a job", (c) => c.enqueue("mail", {}, untyped({ fairKye: "t" })), "fair_kye", "fair_key"],
  ["a filter", (c) => c.startBulk(untyped({ action: "retry", filter: { version_: 1 } })), "version_", "version"],
])("W-06: %s with a mistyped field is not sent", async (_, call, field, meant) => {
  const refused = (async () => call(bench.client))()
  await expect(refused).rejects.toThrow(UnknownFieldError)
  await expect(refused).rejects.toMatchObject({ field, message: expect.stringContaining(`did you mean "${meant}"?`) })
  expect(bench.engine.received).toEqual([])
})

test("W-06: deep in an exchange too, and the message says where", async () => {
  const reports = [{ jobId: "j", leaseToken: "t" }, untyped({ jobId: "k", leaseToken: "t", variable: {} })]
  const exchange = async () => bench.client.exchange({ workerId: "w", completed: reports })
  await expect(exchange()).rejects.toThrow('exchangeJobs.completed has no field "variable": did you mean "variables"?')
})

test("W-06: where no name is near, the known ones are listed", async () => {
  const cancel = async () => bench.client.cancelInstance("i", untyped({ because: "no" }))
  await expect(cancel()).rejects.toThrow('cancelInstance has no field "because": known are reason')
})

test("W-06: variables, payloads and signals are the caller's own, and undefined is no field", async () => {
  const { client, engine } = bench
  engine.on("/v1/instances", () => ({ status: 201, body: { id: "i" } }))
  engine.on("/jobs", () => ({ status: 202, body: { id: "j" } }))
  await client.startInstance(untyped({ definitionId: "o", variables: { anyThing: { at: "all" } }, nothing: undefined }))
  await client.signal("i", "s", { whatever: 1 })
  await client.enqueue("mail", { to_whom: "ada" })
  expect(engine.received).toHaveLength(3)
})
