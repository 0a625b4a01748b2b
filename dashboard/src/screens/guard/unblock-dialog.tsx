// Asks before a block is lifted, and says why it was there.
import { useMutation } from "@tanstack/react-query"
import { type Block, unblock } from "../../api/guard/blocks.ts"
import { refreshGuard } from "../../api/guard/state.ts"
import { Words } from "../../kit/cut-text.tsx"
import { ActionDialog } from "../../kit/dialog.tsx"
import { Ago } from "../../kit/time.tsx"
import { say } from "../../kit/toast.tsx"
import { blockName, ruleName } from "./words.ts"

interface Props {
  readonly block: Block
  readonly onClose: () => void
}

export function UnblockDialog({ block, onClose }: Props) {
  const { kind, reason, rule, blocked_by, blocked_at } = block
  const act = useMutation({
    mutationFn: () => unblock(block),
    onSuccess: async () => {
      await refreshGuard()
      onClose()
      say(`Unblocked ${blockName(block)}.`)
    },
  })
  return (
    <ActionDialog
      title={`Unblock ${blockName(block)}?`}
      verb="Unblock"
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <p>
        It may call again at once, on every replica within a second.
        {kind === "subject" && " What was counted of it is forgotten: it begins anew."}
      </p>
      <dl className="bg-sunken grid grid-cols-[5rem_minmax(0,1fr)] gap-x-3 gap-y-1 rounded-md px-3 py-2">
        <dt className="text-muted">Reason</dt>
        <dd>
          <Words text={reason} />
        </dd>
        {rule !== undefined && (
          <>
            <dt className="text-muted">Rule</dt>
            <dd>{ruleName(rule)}</dd>
          </>
        )}
        <dt className="text-muted">Blocked</dt>
        <dd>
          <Ago at={blocked_at} /> by <Words text={blocked_by ?? "the rule itself"} />
        </dd>
      </dl>
    </ActionDialog>
  )
}
