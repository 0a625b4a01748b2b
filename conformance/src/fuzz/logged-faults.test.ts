import { expect, test } from "vitest"
import { loggedFaults } from "./logged-faults.ts"

const line = (status: number, msg: string) =>
  JSON.stringify({ level: "error", route: "/jobs/bulk", status, bytes: 210, msg })

test("an answer that the contract has is no fault for being logged; any other line is", () => {
  expect(loggedFaults("")).toBe("")
  expect(loggedFaults(`${line(503, "request")}\n`)).toBe("")
  const faults = [line(500, "request"), line(503, "a fault of ours"), "TypeError: no JSON at all"]
  expect(loggedFaults([line(503, "request"), ...faults].join("\n"))).toBe(faults.join("\n"))
})
