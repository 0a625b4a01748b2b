// Everything that payments run on, started where it is missing: database, Redis, Kafka, provider, API and worker.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedDatabase } from "./database.ts"
import { freePort } from "./free-port.ts"
import { hasJava, type RunningKafka, startKafka } from "./kafka.ts"
import { Member } from "./member.ts"
import { apiPlan, providerPlan, relayPlan, workerPlan } from "./plans.ts"
import { hasRedis, startRedis } from "./redis.ts"

export interface StageOptions {
  /** Unset: where Java is found. */
  readonly kafka?: boolean | undefined
  readonly redis?: boolean | undefined
  /** For the processes that are started. */
  readonly env?: Readonly<Record<string, string>>
  readonly say: (line: string) => void
}

export interface Stage {
  readonly databaseUrl: string
  readonly apiUrl: string
  readonly providerUrl: string
  /** Undefined where it was there before. */
  readonly database: EmbeddedDatabase | undefined
  readonly kafka: RunningKafka | undefined
  readonly api: Member
  readonly worker: Member
  /** Only with Kafka: else the worker's process sends itself what it handles. */
  readonly relay: Member | undefined
  close(): Promise<void>
}

type OnEnd = (end: () => unknown) => void

export async function openStage(options: StageOptions): Promise<Stage> {
  const ends: (() => unknown)[] = []
  const close = async () => {
    for (const end of ends.splice(0)) await end()
  }
  // Ctrl-C, or a time limit around it: what was started is ended in order.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void close().finally(() => process.exit(130)))
  try {
    return { ...(await start(options, (end) => void ends.unshift(end))), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function start(options: StageOptions, onEnd: OnEnd): Promise<Omit<Stage, "close">> {
  const folder = mkdtempSync(join(tmpdir(), "payments-"))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const database = await startDatabase(join(folder, "database"), onEnd)
  const databaseUrl = database?.url ?? (process.env.DATABASE_URL as string)
  const redisUrl = await findRedis(options, onEnd)
  const kafka = await findKafka(options, join(folder, "kafka"), onEnd)
  const provider = new Member(providerPlan(options.env ?? {}))
  onEnd(() => provider.stop())
  const providerUrl = await provider.start()
  const env = {
    ...options.env,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl ?? "",
    KAFKA_BROKERS: kafka?.brokers ?? "",
    PROVIDER_URL: providerUrl,
    PORT: process.env.PORT ?? `${await freePort()}`,
  }
  const [api, worker] = [new Member(apiPlan(env)), new Member(workerPlan(env))]
  const relay = kafka && new Member(relayPlan(databaseUrl, kafka.brokers))
  for (const member of [api, worker, relay]) onEnd(() => member?.stop())
  const [apiUrl] = await Promise.all([api.start(), worker.start(), relay?.start()])
  return { databaseUrl, apiUrl, providerUrl, database, kafka, api, worker, relay }
}

async function startDatabase(dataDir: string, onEnd: OnEnd): Promise<EmbeddedDatabase | undefined> {
  if (process.env.DATABASE_URL) return undefined
  const database = new EmbeddedDatabase(dataDir)
  onEnd(() => database.stop())
  await database.start()
  return database
}

async function findRedis({ redis, say }: StageOptions, onEnd: OnEnd): Promise<string | undefined> {
  if (redis === false) return undefined
  if (process.env.REDIS_URL) return process.env.REDIS_URL
  if (!hasRedis()) {
    say("Redis is not installed (apt-get install redis-server): answers and locks are kept in the API's memory")
    return undefined
  }
  const { url, stop } = await startRedis()
  onEnd(stop)
  return url
}

async function findKafka(
  { kafka, say }: StageOptions,
  folder: string,
  onEnd: OnEnd,
): Promise<RunningKafka | undefined> {
  if (kafka === false) return undefined
  if (!hasJava()) {
    say(
      "there is no Java for Kafka (apt-get install openjdk-17-jre-headless maven): events go through PostgreSQL alone",
    )
    return undefined
  }
  const running = await startKafka(folder)
  onEnd(() => running.stop())
  await running.createTopics()
  return running
}
