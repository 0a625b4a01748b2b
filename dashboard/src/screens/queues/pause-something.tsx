// Pauses what is chosen by kind and name: a priority, a job type, a definition or a downstream.

import { useMutation } from "@tanstack/react-query"
import { useId, useState } from "react"
import { PRIORITIES } from "../../api/overview.ts"
import { PAUSE_KINDS, type PauseKind, pause } from "../../api/pauses.ts"
import { refreshQueues } from "../../api/query-client.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { SelectField, TextField } from "../../kit/fields/fields.tsx"
import { say } from "../../kit/toast.tsx"
import { ReasonField } from "./pause-dialog.tsx"
import { effectOf, KIND_WORDS, nameOf } from "./pause-words.ts"

interface Props {
  /** Names that are known, to choose from. */
  readonly known: Readonly<Partial<Record<PauseKind, readonly string[]>>>
  readonly onClose: () => void
}

export function PauseSomething({ known, onClose }: Props) {
  const [kind, setKind] = useState<PauseKind>("jobType")
  const [typedName, setName] = useState("")
  const [reason, setReason] = useState("")
  const listId = useId()
  const name = kind === "queue" ? typedName || PRIORITIES[0] : typedName.trim()
  const target = { kind, name }
  const act = useMutation({
    mutationFn: () => pause(target, reason.trim()),
    onSuccess: async () => {
      await refreshQueues()
      onClose()
      say(`Paused ${nameOf(target)}.`)
    },
  })
  return (
    <ActionDialog
      title="Pause"
      verb="Pause"
      danger
      busy={act.isPending}
      error={act.error}
      disabled={name === ""}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="What"
        value={kind}
        onChange={(event) => {
          setKind(event.target.value as PauseKind)
          setName("")
        }}
      >
        {PAUSE_KINDS.map((one) => (
          <option key={one} value={one}>
            {KIND_WORDS[one]}
          </option>
        ))}
      </SelectField>
      {kind === "queue" ? (
        <SelectField label="Name" value={name} onChange={(event) => setName(event.target.value)}>
          {PRIORITIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
      ) : (
        <>
          <TextField
            label="Name"
            required
            autoComplete="off"
            list={listId}
            value={typedName}
            onChange={(event) => setName(event.target.value)}
          />
          <datalist id={listId}>
            {known[kind]?.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </>
      )}
      <ReasonField value={reason} onChange={setReason} />
      <p className="text-muted">{effectOf(target)}</p>
    </ActionDialog>
  )
}
