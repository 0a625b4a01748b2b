// `millrace guard block` and `unblock`: addresses, user agents, and clients that a rule has blocked.
import type { Command } from "commander"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { isoDuration } from "../../options/durations.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"

interface BlockOptions extends ShowOptions {
  readonly agent?: string
  readonly reason?: string
  readonly for?: string
  readonly soft?: boolean
}

export function addBlockCommands(group: Command, around: Surroundings): void {
  const engine = () => new RemoteEngine(around.env)
  withJson(
    group.command("block [ip]").description("Refuse an address or a user agent, until it is unblocked or for a while."),
  )
    .option("--agent <text>", "a user agent, as it is sent, in place of an address")
    .option("--reason <text>", "why: kept with who and when")
    .option("--for <duration>", "for how long, such as 7d; a soft block without it lasts five minutes")
    .option("--soft", "answer 429 with Retry-After in place of 403")
    .action(async (ip: string | undefined, options: BlockOptions) => {
      const blocked = await block(engine(), ip, options)
      say(around, options, blocked, () => [`Blocked ${cellText(Object.values(blocked)[0])} on every replica.`])
    })
  withJson(group.command("unblock [name]").description("Let an address, a client or a user agent call again."))
    .option("--agent <text>", "a user agent, in place of an address")
    .action(async (name: string | undefined, options: BlockOptions) => {
      const lifted = await unblock(engine(), name, options)
      say(around, options, lifted, () => [
        lifted.was_blocked
          ? `Unblocked ${cellText(lifted.unblocked)}.`
          : `${cellText(lifted.unblocked)} was not blocked.`,
      ])
    })
}

async function block(engine: RemoteEngine, ip: string | undefined, options: BlockOptions): Promise<object> {
  const { agent, reason, soft } = options
  const forText = options.for === undefined ? undefined : isoDuration("--for", options.for)
  const body = given({ reason, for: forText })
  if (agent !== undefined) return engine.call("blockAgent", { body: { ...body, user_agent: agent } })
  const path = { ip: needed(ip) }
  return soft ? engine.call("softBlockAddress", { path, body }) : engine.call("blockAddress", { path, body })
}

/** Both kinds of block at once: an operator who lifts one means that the caller may call. */
async function unblock(engine: RemoteEngine, name: string | undefined, { agent }: BlockOptions) {
  if (agent !== undefined) return engine.call("unblockAgent", { query: { user_agent: agent } })
  const lifted = needed(name)
  if (isClient(lifted)) return engine.call("pardonClient", { path: { client: lifted } })
  const path = { ip: lifted }
  const hard = await engine.call("unblockAddress", { path })
  const soft = await engine.call("pardonAddress", { path })
  return { ...hard, was_blocked: hard.was_blocked || soft.was_blocked }
}

/** A client has a kind before its name; an address has none, and IPv6 begins with no such word. */
export const isClient = (name: string): boolean => /^(ip|key|user|token|oidc|name|network):/.test(name)

function needed(name: string | undefined): string {
  if (name === undefined) throw calledWrongly("name an address, such as 192.0.2.7, or give --agent")
  return name
}
