// Blocks an address or a user agent by hand, for a time or until it is lifted, with a reason that operators read later.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { block, type NewBlock } from "../../api/guard/blocks.ts"
import { refreshGuard } from "../../api/guard/state.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { SelectField, TextField } from "../../kit/fields/fields.tsx"
import { say } from "../../kit/toast.tsx"
import { DurationField, isoDuration, NO_DURATION } from "../queues/duration-field.tsx"
import { blockName } from "./words.ts"

export function BlockDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState<NewBlock>({ kind: "address", value: "", reason: "" })
  const [lasts, setLasts] = useState(NO_DURATION)
  const wanted = { ...draft, value: draft.value.trim(), reason: draft.reason.trim(), for: isoDuration(lasts) }
  const act = useMutation({
    mutationFn: () => block(wanted),
    onSuccess: async () => {
      await refreshGuard()
      onClose()
      say(`Blocked ${blockName(wanted)}.`)
    },
  })
  return (
    <ActionDialog
      title="Block a caller"
      verb="Block"
      danger
      busy={act.isPending}
      error={act.error}
      disabled={wanted.value === "" || wanted.reason === ""}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="What"
        value={draft.kind}
        onChange={(event) => setDraft({ ...draft, kind: event.target.value as NewBlock["kind"] })}
      >
        <option value="address">An address</option>
        <option value="agent">A user agent</option>
      </SelectField>
      <TextField
        label={draft.kind === "address" ? "Address" : "User agent"}
        hint={draft.kind === "address" ? "IPv4, or IPv6, of which the whole /64 is blocked." : "As it is sent, whole."}
        maxLength={512}
        autoComplete="off"
        value={draft.value}
        onChange={(event) => setDraft({ ...draft, value: event.target.value })}
      />
      <TextField
        label="Reason"
        hint="For the operators who come after you; the blocked are not told."
        maxLength={2_000}
        value={draft.reason}
        onChange={(event) => setDraft({ ...draft, reason: event.target.value })}
      />
      <DurationField label="For" hint="Empty: until it is unblocked." value={lasts} onChange={setLasts} />
    </ActionDialog>
  )
}
