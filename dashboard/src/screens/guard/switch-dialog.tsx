// Asks before shadow mode is switched, for one rule or for all, and says what that lets in or keeps out.
import { useMutation } from "@tanstack/react-query"
import { type GuardRule, setShadow } from "../../api/guard/shadow.ts"
import { refreshGuard } from "../../api/guard/state.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { count } from "../../kit/numbers.ts"
import { say } from "../../kit/toast.tsx"
import { RULES } from "./words.ts"

export interface Switch {
  /** Whether to note only. */
  readonly enabled: boolean
  /** Absent: all of them. */
  readonly rule?: GuardRule
  /** Noted in the last 24 hours. */
  readonly wouldRefuse: number
}

export function SwitchDialog({ asked, onClose }: { readonly asked: Switch; readonly onClose: () => void }) {
  const { enabled, rule, wouldRefuse } = asked
  const name = rule === undefined ? "all rules" : `“${RULES[rule].name}”`
  const act = useMutation({
    mutationFn: () => setShadow({ enabled, rule }),
    onSuccess: async () => {
      await refreshGuard()
      onClose()
      say(enabled ? `Shadow mode is on for ${name}.` : `Shadow mode is off for ${name}.`)
    },
  })
  return (
    <ActionDialog
      title={enabled ? `Let ${name} only note?` : `Let ${name} refuse?`}
      verb={enabled ? "Only note" : "Refuse"}
      danger
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <p>
        {enabled
          ? "From the next request on it refuses and slows nothing: what it would refuse passes, and is noted. Who signs in with a wrong key or password is refused all the same."
          : `It refuses from the next request on. In the last 24 hours it would have refused ${times(wouldRefuse)}: the report below says whose.`}
      </p>
      {rule === undefined && <p className="text-muted">Rules that were set by themselves follow.</p>}
    </ActionDialog>
  )
}

const times = (requests: number): string => (requests === 1 ? "1 request" : `${count(requests)} requests`)
