// Answers and locks in a real Redis.
import { createClient } from "@redis/client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasRedis, type RunningRedis, startRedis } from "../stage/redis.ts"
import { RedisAnswers } from "./redis-answers.ts"

const LIFETIMES = { answerSeconds: 86_400, lockSeconds: 30 }
const answer = { hash: "h", status: 202, body: { payment_id: "p" } }

describe.skipIf(!process.env.MILLRACE_FULL_TESTS || !hasRedis())("with redis-server (package redis-server)", () => {
  let redis: RunningRedis
  let answers: RedisAnswers
  beforeAll(async () => {
    redis = await startRedis()
    answers = await RedisAnswers.open(redis.url, LIFETIMES, () => {})
  })
  afterAll(async () => {
    await answers.close()
    await redis.stop()
  })

  const client = async () => createClient({ url: redis.url }).connect()

  test("F-02: an answer is kept under idempotency:<key> for a day", async () => {
    const { lock = "" } = await answers.begin("k-1")
    await answers.keep("k-1", lock, answer)
    expect(await answers.begin("k-1")).toEqual({ answer })
    const raw = await client()
    expect(await raw.ttl("idempotency:k-1")).toBeGreaterThan(86_000)
    expect(await raw.exists("lock:k-1")).toBe(0)
    raw.destroy()
  })

  test("F-03, F-X5: lock:<key> comes with its expiry, is held by one, and is released by its owner only", async () => {
    const { lock = "" } = await answers.begin("k-2")
    const raw = await client()
    expect(await raw.get("lock:k-2")).toBe(lock)
    expect(await raw.ttl("lock:k-2")).toBeGreaterThan(0)
    expect(await answers.begin("k-2")).toEqual({})
    await answers.release("k-2", "another")
    expect(await raw.exists("lock:k-2")).toBe(1)
    await answers.release("k-2", lock)
    expect(await raw.exists("lock:k-2")).toBe(0)
    raw.destroy()
  })

  test("F-18: while Redis is away requests go on without it, and health knows", async () => {
    const other = await startRedis()
    const lonely = await RedisAnswers.open(other.url, LIFETIMES, () => {})
    expect(await lonely.isUp()).toBe(true)
    await other.stop()
    await expect.poll(() => lonely.isUp()).toBe(false)
    expect(await lonely.begin("k-3")).toEqual({ lock: "" })
    await lonely.keep("k-3", "", answer)
    await lonely.release("k-3", "")
    await lonely.close()
  })
})
