// What a job type and a downstream may be called.
import { expect, test } from "vitest"
import { isRoutingName } from "./routing-name.ts"

test.each(["a", "mail:send.now_2-b", "x".repeat(200)])("%s is one", (name) => expect(isRoutingName(name)).toBe(true))

test.each(["", "a b", "ä", "a/b", "x".repeat(201), 7, undefined])("%s is none", (name) =>
  expect(isRoutingName(name)).toBe(false),
)
