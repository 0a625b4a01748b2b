// Typed values for the core: the same defaults and checks as the settings of the server, in the words of the caller.
import { expect, test } from "vitest"
import { loadConfig } from "../config.ts"
import { ConfigError } from "./config-error.ts"
import { coreConfig } from "./core-config.ts"
import type { SettingKey } from "./settings.ts"

const missing = () => {
  throw Object.assign(new Error("no settings file"), { code: "ENOENT" })
}

function problemsOf(given: object): readonly string[] {
  try {
    coreConfig(given)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test("what is not given is as the server has it without an environment and a file", () => {
  const server = loadConfig({ env: {}, readFile: missing })
  expect(server).toMatchObject(coreConfig({}))
  expect(coreConfig({ schema: undefined }).schema).toBe("millrace")
})

test("what is given is taken as it is", () => {
  const given = { schema: "tenant_1", dbMaxConns: 3, retainMs: 3_600_000, auditLogEnabled: false }
  expect(coreConfig(given)).toMatchObject(given)
  expect(Object.isFrozen(coreConfig(given))).toBe(true)
})

test.each<[SettingKey, unknown, RegExp]>([
  ["schema", "Tenant", /^schema must be a lower case name .*, not "Tenant"$/],
  ["schema", 7, /^schema must be .*, not 7$/],
  ["dbMaxConns", "8", /^dbMaxConns must be a whole number from 1 to 1000, not "8"$/],
  ["dbMaxConns", 0, /, not 0$/],
  ["dbMaxConns", 2.5, /, not 2.5$/],
  ["auditLogEnabled", "yes", /^auditLogEnabled must be true or false, not "yes"$/],
  ["retainMs", "P30D", /^retainMs must be a duration from 1h to P3650D/],
  ["weights", { critical: 50, high: 30, normal: 30 }, /^weights must be 3 whole numbers that add up to 100/],
  ["weights", { critical: 100 }, /^weights must be/],
  ["postgresDsn", "mysql://u:secret@h/db", /^postgresDsn must be a URL such as postgres:[^,]*$/],
  ["alertWebhook", "file:///secret", /^alertWebhook must be a URL[^,]*$/],
])("%s cannot be %j", (key, value, message) => {
  const problems = problemsOf({ [key]: value })
  expect(problems).toEqual([expect.stringMatching(message)])
  expect(problems.join()).not.toContain("secret")
})

test("all that is wrong comes at once, rules between values included, in the caller's names", () => {
  const given = { dbMaxConns: 2, dbMinConns: 3, schema: "X", lowWatermark: 20_000 }
  const named = (key: SettingKey) => `the ${key}`
  expect(() => coreConfig(given, named)).toThrow(
    /^the schema must be .*\nthe dbMinConns=3 must be at most the dbMaxConns=2\nthe lowWatermark=20000 must be below/,
  )
})
