// The rules of the guard as people say them.
import type { Block } from "../../api/guard/blocks.ts"
import type { GuardRule, ShadowMode } from "../../api/guard/shadow.ts"
import { count } from "../../kit/numbers.ts"

interface RuleWords {
  readonly name: string
  readonly effect: string
}

export const RULES: Readonly<Record<GuardRule, RuleWords>> = {
  "blocked-address": { name: "Blocked addresses", effect: "Refuses addresses that an operator has blocked." },
  "blocked-agent": { name: "Blocked user agents", effect: "Refuses user agents that an operator has blocked." },
  rate: { name: "Calls in a window", effect: "Refuses what is above the limit of its kind of route, or of its key." },
  "failures-by-address": {
    name: "Failed credentials, by address",
    effect: "Refuses an address that has tried too many wrong passwords or keys.",
  },
  "failures-by-user": {
    name: "Failed credentials, by user name",
    effect: "Slows unknown addresses that try one name again and again.",
  },
  regularity: { name: "Even gaps", effect: "Slows, then refuses clients that call at gaps too even for a person." },
}

/** A rule of a newer engine is called as the engine calls it. */
export const ruleName = (rule: string): string => RULES[rule as GuardRule]?.name ?? rule

/** Whether a rule only notes: as it was set by itself, else as all are. */
export const isShadowed = ({ all, rules }: ShadowMode, rule: GuardRule): boolean => rules[rule] ?? all

/** `600 calls in 60 s`. */
export const limitText = ({ requests, window_seconds }: { requests: number; window_seconds: number }): string =>
  `${count(requests)} in ${count(window_seconds)} s`

const KINDS: Readonly<Record<Block["kind"], string>> = { address: "address", agent: "user agent", subject: "client" }

export const blockName = ({ kind, value }: Pick<Block, "kind" | "value">): string => `${KINDS[kind]} ${value}`

/** In the order in which they look at a request. */
export const RULE_NAMES = Object.keys(RULES) as readonly GuardRule[]
