// Shadow mode at run time: of all rules, or of one. What a rule in shadow would refuse is noted and passes, in every process when the
// change returns.
import { type GuardStateRow, lockState, noteGuardChange, readState, setShadow } from "../../store/guard/state.ts"
import { isoTime } from "../../support/iso-time.ts"
import { changeLive, type LastChange, type Operator } from "../flow/change-live.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** A rule that is not named goes by `all`. */
export interface StoredShadow {
  readonly all: boolean
  readonly rules: Readonly<Record<string, boolean>>
}

export interface ShadowView extends LastChange, StoredShadow {
  /** Whether an operator has chosen it, or the configuration. */
  readonly source: "database" | "config"
}

interface ShadowRequest {
  readonly enabled: boolean
  /** Undefined is all of them, those that were set by themselves included. */
  readonly rule: string | undefined
  /** The shadow mode that the configuration sets for all rules. */
  readonly configured: boolean
}

export const changeShadow = (
  kernel: Kernel,
  operator: Operator,
  { enabled, rule, configured }: ShadowRequest,
): Promise<Done<ShadowView>> =>
  changeLive(kernel, operator, async (tx, at) => {
    const before = await lockState(tx)
    const { all, rules } = shadowOf(before) ?? { all: configured, rules: {} }
    const shadow: StoredShadow =
      rule === undefined ? { all: enabled, rules: {} } : { all, rules: { ...rules, [rule]: enabled } }
    const { actor } = operator
    setShadow(tx, { shadow, actor, at })
    noteGuardChange(tx, { act: "shadow", value: rule ?? "all" }, at)
    const after = { ...before, shadow: JSON.stringify(shadow), shadow_by: actor, shadow_at: at }
    return { view: viewOf(after, configured), change: { kind: "guard", name: "shadow", detail: { enabled, rule } } }
  })

/** All of it at once. */
export const replaceShadow = (kernel: Kernel, operator: Operator, shadow: StoredShadow): Promise<Done<void>> =>
  changeLive(kernel, operator, async (tx, at) => {
    await lockState(tx)
    setShadow(tx, { shadow, actor: operator.actor, at })
    noteGuardChange(tx, { act: "shadow", value: "all" }, at)
    return { view: undefined, change: { kind: "guard", name: "shadow", detail: shadow } }
  })

export const readShadow = async (kernel: Kernel, configured: boolean): Promise<ShadowView> =>
  viewOf(await readState(kernel.db), configured)

/** Undefined where no operator has set it. */
export const shadowOf = ({ shadow }: Pick<GuardStateRow, "shadow">): StoredShadow | undefined =>
  shadow === null ? undefined : (JSON.parse(shadow) as StoredShadow)

function viewOf(row: GuardStateRow, configured: boolean): ShadowView {
  const set = shadowOf(row)
  return {
    ...(set ?? { all: configured, rules: {} }),
    source: set ? "database" : "config",
    ...(row.shadow_at === null ? {} : { changedAt: isoTime(row.shadow_at) }),
    ...(row.shadow_by === null ? {} : { changedBy: row.shadow_by }),
  }
}
