// How the guard stands: whether it refuses, where it counts, what happens when that is gone, and its limits.
import type { ReactNode } from "react"
import type { GuardState } from "../../api/guard/state.ts"
import { count } from "../../kit/numbers.ts"
import { Standing } from "../../kit/status.tsx"
import { isShadowed, limitText, RULE_NAMES } from "./words.ts"

export function GuardFacts({ state }: { readonly state: GuardState }) {
  const { fail_mode, limits = {}, blocked_addresses = 0, blocked_agents = 0 } = state
  return (
    <dl className="border-line bg-surface grid grid-cols-2 gap-x-8 gap-y-3 rounded-lg border px-4 py-3 sm:flex sm:flex-wrap">
      <Fact name="Rules">
        <Enforcing state={state} />
      </Fact>
      <Fact name="Counters">
        <Store state={state} />
      </Fact>
      <Fact name="When Redis is away">{fail_mode === "closed" ? "calls are refused" : "each replica counts"}</Fact>
      <Fact name="Blocked by operators">
        {count(blocked_addresses)} {blocked_addresses === 1 ? "address" : "addresses"}, {count(blocked_agents)}{" "}
        {blocked_agents === 1 ? "user agent" : "user agents"}
      </Fact>
      <Fact name="Limits">
        <span className="flex flex-wrap gap-x-4">
          {Object.entries(limits).map(([name, limit]) => (
            <span key={name} className="whitespace-nowrap">
              <span className="text-muted">{name}</span> {limitText(limit)}
            </span>
          ))}
        </span>
      </Fact>
    </dl>
  )
}

function Enforcing({ state: { shadow } }: { readonly state: GuardState }) {
  const noting = shadow ? RULE_NAMES.filter((rule) => isShadowed(shadow, rule)).length : 0
  if (noting === 0) return <Standing tone="good">all refuse</Standing>
  if (noting === RULE_NAMES.length) return <Standing tone="warn">all only note</Standing>
  return (
    <Standing tone="warn">
      {noting} of {RULE_NAMES.length} only note
    </Standing>
  )
}

/** In memory each replica counts for itself; while Redis is away, so does each. */
function Store({ state: { store, store_is_up } }: { readonly state: GuardState }) {
  if (store !== "redis") return <Standing tone="good">in memory</Standing>
  return store_is_up ? <Standing tone="good">in Redis</Standing> : <Standing tone="bad">Redis is away</Standing>
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-muted text-xs">{name}</dt>
    <dd className="mt-0.5">{children}</dd>
  </div>
)
