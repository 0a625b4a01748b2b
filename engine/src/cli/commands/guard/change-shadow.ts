// `millrace guard shadow`: note what would be refused, or refuse again; of all rules or of one.
import type { wire } from "@millrace/sdk"
import { type Command, InvalidArgumentError } from "commander"
import { drawShadow } from "../../drawing/guard-picture.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"

const RULES: readonly wire.GuardRule[] = [
  "blocked-address",
  "blocked-agent",
  "rate",
  "failures-by-address",
  "failures-by-user",
  "regularity",
]

export function addShadowCommands(group: Command, around: Surroundings): void {
  withJson(group.command("shadow [on|off]").description("Show shadow mode, or turn it on or off on every replica."))
    .option("--rule <rule>", `one rule by itself: ${RULES.join(", ")}`, ruleOf)
    .action(async (word: string | undefined, { rule, ...options }: ShowOptions & { rule?: wire.GuardRule }) => {
      const engine = new RemoteEngine(around.env)
      if (word === undefined) return say(around, options, await engine.call("getShadowMode"), drawShadow)
      const query = { enabled: enabledOf(word), ...(rule === undefined ? {} : { rule }) }
      say(around, options, await engine.call("setShadowMode", { query }), drawShadow)
    })
}

function ruleOf(text: string): wire.GuardRule {
  const rule = RULES.find((known) => known === text)
  if (!rule) throw new InvalidArgumentError(`It must be ${RULES.join(", ")}.`)
  return rule
}

function enabledOf(word: string): "true" | "false" {
  if (word !== "on" && word !== "off") throw new InvalidArgumentError("It must be on or off.")
  return word === "on" ? "true" : "false"
}
