import { expect, test } from "vitest"
import { unpolled } from "./unpolled.ts"

const worker = (workerId: string, jobTypes: string[], polling: boolean) => ({
  workerId,
  jobTypes,
  polling,
  inFlight: 0,
})

test("a job type is forgotten when jobs wait and no worker asks for it now", () => {
  const types = [
    { name: "mail", ready: 3 },
    { name: "card", ready: 2 },
    { name: "image", ready: 0 },
    { name: "gone", ready: 1, lastPolledAt: "2026-01-01T00:00:00.000Z" },
  ]
  const workers = [worker("a", ["mail", "image"], true), worker("b", ["gone"], false)]
  expect(unpolled(types, workers).map(({ name }) => name)).toEqual(["card", "gone"])
})
