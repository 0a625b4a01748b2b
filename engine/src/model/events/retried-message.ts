// What a message becomes when its handler has failed: a job of the consumer's own type, whose payload is the message.
import { isObject, type JsonObject } from "../../support/json.ts"
import { type CompiledRetryPolicy, retryDelayMs } from "../jobs/retry-delay.ts"
import type { Message } from "./message.ts"

/** 2, 4, 8, 16 and 32 s. */
export const CONSUMER_RETRY: CompiledRetryPolicy = {
  retries: 5,
  baseMs: 2_000,
  factor: 2,
  capMs: 60_000,
  jitter: "none",
}

export interface RetriedMessage {
  readonly message: Message
  /** How often a handler had it before it became a job. */
  readonly tried: number
}

/** The name of a consumer: its jobs have it as their type. */
export const consumerName = (group: string, type: string): string => `consume:${group}:${type}`

export interface RetryPlan {
  readonly delayMs: number
  readonly retry: CompiledRetryPolicy
}

/** The first attempt of the job is the first retry of a message that was tried; undefined when there is none to spend. */
export function planRetry(policy: CompiledRetryPolicy, tried: number, random: () => number): RetryPlan | undefined {
  if (tried === 0) return { delayMs: 0, retry: policy }
  if (policy.retries === 0) return undefined
  const delayMs = retryDelayMs(policy, policy.retries, random)
  return { delayMs, retry: { ...policy, retries: policy.retries - 1, baseMs: policy.baseMs * policy.factor } }
}

/** Undefined for the payload of a job that no consumer has made. */
export function readRetried(payload: JsonObject): RetriedMessage | undefined {
  const { message, tried } = payload
  if (!isObject(message) || typeof tried !== "number") return undefined
  return typeof message.id === "string" && isObject(message.content)
    ? (payload as unknown as RetriedMessage)
    : undefined
}
