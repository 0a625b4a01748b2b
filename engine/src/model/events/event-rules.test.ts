// Types and headers of events at the door.
import { expect, test } from "vitest"
import { checkHeaders, headersFault, typeFault } from "./event-rules.ts"

test.each(["payment.initiated", "a", "x:y_z-1", "workflows.are.fine"])("%s is a type", (type) => {
  expect(typeFault(type)).toBeUndefined()
})

test.each(["", "two words", "é", 7, undefined])("%s is none", (type) => {
  expect(typeFault(type)?.message).toBe("is no type of events")
})

test("types that begin with workflow. are the engine's own", () => {
  expect(typeFault("workflow.jobs.mail")?.message).toContain("only the engine")
})

test("SEC-47: headers are texts of printable ASCII under plain names", () => {
  expect(checkHeaders({ "trace-id": "abc", empty: "" })).toEqual({ "trace-id": "abc", empty: "" })
  const wrong = [{ "a b": "x" }, { a: "x\r\ny" }, { a: 1 }, { a: "é" }, { a: "x".repeat(8_200) }, [], "a"]
  for (const headers of wrong) {
    expect(headersFault(headers)?.hint).toMatch(/./)
    expect(() => checkHeaders(headers as never)).toThrow("headers")
  }
})
