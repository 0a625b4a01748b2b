// The settings of the guard: names, defaults and bounds as promised, and when it stands at the doors.
import { describe, expect, test } from "vitest"
import { ConfigError, describeConfig, isGuardOn, loadConfig, tellGuard } from "../config.ts"
import { readClassLimits, readLimit, writeLimit } from "../model/guard/class-limits.ts"

const load = (env: Record<string, string> = {}) => loadConfig({ env })
const beyond = { WE_BIND_ADDRESS: "0.0.0.0", WE_BEHIND_TLS_PROXY: "true" }

test("E-05, E-07, E-10, E-12, E-16: the defaults are those of the spec", () => {
  expect(load()).toMatchObject({
    guard: "auto",
    guardOrder: "auth-first",
    rateLimitRequests: 100,
    rateLimitWindowSeconds: 60,
    authFailureIpThreshold: 10,
    authFailureUserThreshold: 20,
    authFailureWindowSeconds: 300,
    scrapingSampleSize: 20,
    scrapingEntropyThreshold: 0.5,
    bloomFilterCapacity: 1_000_000,
    bloomFilterErrorRate: 0.001,
    shadowModeEnabled: false,
    guardFailMode: "open",
    guardRedisUrl: undefined,
    trustedProxies: [],
  })
})

test("E-07, E-10, E-12, E-25: each is read from the variable that the spec names", () => {
  const env = {
    RATE_LIMIT_REQUESTS: "7",
    RATE_LIMIT_WINDOW_SECONDS: "9",
    AUTH_FAILURE_IP_THRESHOLD: "3",
    AUTH_FAILURE_USER_THRESHOLD: "4",
    AUTH_FAILURE_WINDOW_SECONDS: "5",
    SCRAPING_SAMPLE_SIZE: "6",
    SCRAPING_ENTROPY_THRESHOLD: "0.25",
    BLOOM_FILTER_CAPACITY: "1000",
    BLOOM_FILTER_ERROR_RATE: "0.01",
    SHADOW_MODE_ENABLED: "true",
    GUARD_FAIL_MODE: "closed",
    WE_GUARD_LIMITS: "admin=300/1m,public=200/60s",
  }
  expect(load(env)).toMatchObject({
    rateLimitRequests: 7,
    rateLimitWindowSeconds: 9,
    authFailureIpThreshold: 3,
    authFailureUserThreshold: 4,
    authFailureWindowSeconds: 5,
    scrapingSampleSize: 6,
    scrapingEntropyThreshold: 0.25,
    bloomFilterCapacity: 1_000,
    bloomFilterErrorRate: 0.01,
    shadowModeEnabled: true,
    guardFailMode: "closed",
    guardLimits: ["admin=300/1m", "public=200/60s"],
  })
})

test.each([
  { RATE_LIMIT_REQUESTS: "0" },
  { RATE_LIMIT_WINDOW_SECONDS: "1.5" },
  { SCRAPING_SAMPLE_SIZE: "2" },
  { SCRAPING_ENTROPY_THRESHOLD: "half" },
  { BLOOM_FILTER_ERROR_RATE: "1" },
  { WE_GUARD_LIMITS: "health=1/60s" },
  { WE_GUARD_LIMITS: "public=0/60s" },
  { WE_GUARD_LIMITS: "public=10/1ms" },
  { WE_TRUSTED_PROXIES: "0.0.0.0/0" },
  { WE_TRUSTED_PROXIES: "0.0.0.0/1,128.0.0.0/1" },
  { WE_TRUSTED_PROXIES: "10.0.0.1/8" },
  { WE_GUARD: "maybe" },
])("what is out of bounds is refused: %o", (env) => {
  expect(() => load(env as unknown as Record<string, string>)).toThrow(ConfigError)
})

test("SEC-55: the URL of Redis comes from the environment only, by either name, and its password is never shown", () => {
  const config = load({ REDIS_URL: "redis://me:canary@redis.internal:6379/2" })
  expect(config.guardRedisUrl).toBe("redis://me:canary@redis.internal:6379/2")
  const shown = describeConfig(config).find(({ key }) => key === "guardRedisUrl")?.value
  expect(shown).toBe("redis://redis.internal:6379")
  const both = load({ REDIS_URL: "redis://a:1", WE_GUARD_REDIS_URL: "redis://b:2" })
  expect(both.guardRedisUrl).toBe("redis://b:2")
  const fromFile = loadConfig({ env: { WE_CONFIG_FILE: "x" }, readFile: () => "WE_GUARD_REDIS_URL: redis://c:3" })
  expect(fromFile.guardRedisUrl).toBeUndefined()
})

describe("WE_GUARD", () => {
  test.each([
    [{}, false],
    [{ WE_BIND_ADDRESS: "::1" }, false],
    [{ ...beyond }, true],
    [{ WE_TRUSTED_PROXIES: "127.0.0.1" }, true],
    [{ WE_GUARD: "on" }, true],
    [{ ...beyond, WE_GUARD: "off" }, false],
    [{ WE_TRUSTED_PROXIES: "127.0.0.1", WE_GUARD: "off" }, false],
  ])("is on where something is reachable beyond loopback, or a proxy is named: %o %s", (env, on) => {
    const config = load(env as Record<string, string>)
    expect(isGuardOn(config)).toBe(on)
    expect(tellGuard(config) !== undefined).toBe(on)
  })

  test("E-X7: behind a proxy that is not named all callers are one, and that is said", () => {
    expect(load(beyond).warnings).toEqual([expect.stringContaining("WE_TRUSTED_PROXIES is not set")])
    expect(load({ ...beyond, WE_TRUSTED_PROXIES: "10.0.0.7" }).warnings).toEqual([])
    expect(load({ ...beyond, WE_GUARD: "off" }).warnings).toEqual([])
  })
})

test("limits are written as calls and a window", () => {
  expect(readLimit("600/60s")).toEqual({ requests: 600, windowMs: 60_000 })
  expect(writeLimit({ requests: 600, windowMs: 60_000 })).toBe("600/1m")
  for (const wrong of ["600", "600/", "/60s", "600/60s/1", "-1/60s", "1e3/60s", "600/2d", "6000001/1m"])
    expect([wrong, readLimit(wrong)]).toEqual([wrong, undefined])
  expect(readClassLimits(["admin=1/1s", "admin=2/1s", "worker=9/1h"])).toEqual({
    admin: { requests: 2, windowMs: 1_000 },
    worker: { requests: 9, windowMs: 3_600_000 },
  })
})
