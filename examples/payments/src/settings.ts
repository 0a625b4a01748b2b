// Every setting of the example, from the environment. `npm start` sets those that name what it has started; none is a secret in the code.

export interface Settings {
  readonly databaseUrl: string
  /** Unset: answers and locks are kept in the memory of the API process. */
  readonly redisUrl: string | undefined
  /** Unset: events go through the database alone. */
  readonly kafkaBrokers: string | undefined
  readonly providerUrl: string
  readonly apiPort: number
  readonly answerSeconds: number
  readonly lockSeconds: number
  readonly providerTimeoutMs: number
  readonly maxRetries: number
  readonly retryBaseMs: number
  readonly concurrency: number
  /** How long a charge belongs to a worker that is not heard of any more. */
  readonly leaseMs: number
  readonly connections: number
  readonly logLevel: LogLevel
}

type LogLevel = "debug" | "info" | "warn" | "error" | "silent"

export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const number = (name: string, value: number) => readNumber(env, name, value)
  return {
    databaseUrl: required(env, "DATABASE_URL"),
    redisUrl: env.REDIS_URL || undefined,
    kafkaBrokers: env.KAFKA_BROKERS || undefined,
    providerUrl: env.PROVIDER_URL ?? "",
    apiPort: number("PORT", 0),
    answerSeconds: number("IDEMPOTENCY_TTL_SECONDS", 86_400),
    lockSeconds: number("LOCK_TTL_SECONDS", 30),
    providerTimeoutMs: number("PROVIDER_TIMEOUT_SECONDS", 10) * 1_000,
    maxRetries: number("MAX_RETRIES", 5),
    retryBaseMs: number("RETRY_BASE_SECONDS", 2) * 1_000,
    concurrency: number("WORKER_CONCURRENCY", 64),
    leaseMs: number("WORKER_LEASE_SECONDS", 30) * 1_000,
    connections: number("DB_CONNECTIONS", 8),
    logLevel: (env.LOG_LEVEL ?? "error") as LogLevel,
  }
}

/** The broker of this example is on the loopback and speaks plaintext; yours does not. */
export const kafkaOf = ({ kafkaBrokers }: Pick<Settings, "kafkaBrokers">) =>
  kafkaBrokers ? ({ seedBrokers: kafkaBrokers.split(","), transport: "plaintext" } as const) : undefined

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`${name} is not set: \`npm start\` starts what is missing and sets it`)
  return value
}

function readNumber(env: NodeJS.ProcessEnv, name: string, value: number): number {
  const number = Number(env[name] ?? value)
  if (!Number.isFinite(number) || number < 0) throw new Error(`${name} must be a number from 0 on, not ${env[name]}`)
  return number
}
