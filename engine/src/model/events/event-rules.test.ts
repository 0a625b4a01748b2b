// Types and headers of events at the door.
import { expect, test } from "vitest"
import { checkHeaders, headersFault, leadsToReserved, subscriptionFault, typeFault } from "./event-rules.ts"

test.each(["payment.initiated", "a", "x:y_z-1", "workflows.are.fine"])("%s is a type", (type) => {
  expect(typeFault(type)).toBeUndefined()
})

test.each(["", "two words", "é", 7, undefined])("%s is none", (type) => {
  expect(typeFault(type)?.message).toBe("is no type of events")
})

test("types that begin with workflow. are the engine's own", () => {
  expect(typeFault("workflow.jobs.mail")?.message).toContain("only the engine")
})

test("of the engine's own types, those can be subscribed to that tell of instances and of the incarnation", () => {
  for (const type of ["payment.initiated", "workflow.events.loan", "workflow.incarnation"])
    expect(subscriptionFault(type)).toBeUndefined()
  expect(subscriptionFault("workflow.jobs.mail")?.hint).toContain("workflow.events.<definition>")
  expect(subscriptionFault("workflow.incarnations")?.hint).toContain("workflow.incarnation ")
  for (const type of ["workflow.events.a b", "", 7])
    expect(subscriptionFault(type)?.message).toBe("is no type of events")
})

test("a prefix of topics must not make a reserved name of a type that may be published", () => {
  expect(["workflow.", "workflow.jobs.", "workflow", "w"].map(leadsToReserved)).toEqual([true, true, true, true])
  expect(["shop.", "workflows.", "my.workflow.", "wx"].map(leadsToReserved)).toEqual([false, false, false, false])
})

test("SEC-47: headers are texts of printable ASCII under plain names", () => {
  expect(checkHeaders({ "trace-id": "abc", empty: "" })).toEqual({ "trace-id": "abc", empty: "" })
  const wrong = [{ "a b": "x" }, { a: "x\r\ny" }, { a: 1 }, { a: "é" }, { a: "x".repeat(8_200) }, [], "a"]
  for (const headers of wrong) {
    expect(headersFault(headers)?.hint).toMatch(/./)
    expect(() => checkHeaders(headers as never)).toThrow("headers")
  }
})
