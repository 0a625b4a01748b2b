// C-105: the handler registry.
import { expect, test } from "vitest"
import { defineHandlers, HandlerRegistry } from "./registry.ts"

const handler = () => undefined

test("C-105: lists the registered job types in order and finds their handlers", () => {
  const registry = new HandlerRegistry().register("charge-card", handler).register("send-mail", handler)
  expect(registry.jobTypes()).toEqual(["charge-card", "send-mail"])
  expect(registry.find("charge-card")).toBe(handler)
  expect(registry.find("toString")).toBeUndefined()
})

test.each(["", "  "])("C-105: refuses the empty job type %j", (jobType) => {
  expect(() => new HandlerRegistry().register(jobType, handler)).toThrow("must not be empty")
})

test("C-105: refuses a second handler and something that is no function", () => {
  const registry = new HandlerRegistry().register("charge-card", handler)
  expect(() => registry.register("charge-card", handler)).toThrow('"charge-card" has a handler already')
  expect(() => registry.register("send-mail", "x" as never)).toThrow("not a function")
  expect(registry.jobTypes()).toEqual(["charge-card"])
})

test("C-105: defineHandlers registers every entry", () => {
  expect(defineHandlers({ a: handler, b: handler }).jobTypes()).toEqual(["a", "b"])
})
