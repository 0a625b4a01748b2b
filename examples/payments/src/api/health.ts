// GET /health: redis, db and kafka, each with what was seen just now. A part that is not used is told as such and degrades nothing.
import { connect } from "node:net"
import type { Answers } from "../idempotency/answers.ts"
import type { Db } from "../payments/database.ts"
import type { Settings } from "../settings.ts"

type PartState = "ok" | "down" | "not used"

export interface Health {
  readonly status: "ok" | "degraded"
  readonly redis: PartState
  readonly db: PartState
  readonly kafka: PartState
}

const PATIENCE_MS = 2_000

export async function readHealth(
  { redisUrl, kafkaBrokers }: Pick<Settings, "redisUrl" | "kafkaBrokers">,
  { db: pool, answers }: { readonly db: Db; readonly answers: Answers },
): Promise<Health> {
  const [redis, db, kafka] = await Promise.all([
    redisUrl ? stateOf(answers.isUp()) : "not used",
    stateOf(pool.query("select 1").then(() => true)),
    kafkaBrokers ? stateOf(isListening(kafkaBrokers)) : "not used",
  ] as const)
  const isDown = [redis, db, kafka].includes("down")
  return { status: isDown ? "degraded" : "ok", redis, db, kafka }
}

async function stateOf(look: Promise<boolean>): Promise<PartState> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref())
  const isUp = await Promise.race([look.catch(() => false), late])
  return isUp ? "ok" : "down"
}

/** Whether the first of the brokers takes a connection. */
function isListening(brokers: string): Promise<boolean> {
  const [host = "", port = ""] = (brokers.split(",")[0] ?? "").split(":")
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) })
    const tell = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once("connect", () => tell(true)).once("error", () => tell(false))
  })
}
