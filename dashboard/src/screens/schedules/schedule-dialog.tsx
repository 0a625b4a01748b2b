// Makes a schedule, or changes one.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { definitionQuery } from "../../api/definitions.ts"
import { ApiError } from "../../api/http.ts"
import { refreshLive } from "../../api/query-client.ts"
import {
  CATCH_UPS,
  createSchedule,
  OVERLAPS,
  replaceSchedule,
  type Schedule,
  type ScheduleRequest,
} from "../../api/schedules.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { AreaField, CheckField, SelectField, TextField } from "../../kit/fields/fields.tsx"
import { jsonText, parseJson } from "../../kit/json.tsx"
import { say } from "../../kit/toast.tsx"

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** What is sent to keep it as it is. */
function requestOf(schedule: Schedule): ScheduleRequest {
  const { cron, timezone, definitionId, jobType, input, priority, overlap, catchUp, enabled } = schedule
  return { cron, timezone, definitionId, jobType, input, priority, overlap, catchUp, enabled }
}

const FRESH: ScheduleRequest = { cron: "0 * * * *", timezone: HERE, overlap: "skip", catchUp: "last", enabled: true }

/** The engine takes a schedule of a definition that comes later; a name that is typed here means one that is there. */
async function expectDefinition(id: string): Promise<void> {
  const found = await definitionQuery(id)
    .queryFn()
    .catch((error) => error)
  if (found instanceof ApiError && found.status === 404)
    throw new Error(`There is no definition ${id}: upload it first, or look at its name again.`)
}

/** Undefined makes a new one. */
export function ScheduleDialog({ schedule, onClose }: { readonly schedule?: Schedule; readonly onClose: () => void }) {
  const [id, setId] = useState(schedule?.id ?? "")
  const [draft, setDraft] = useState(schedule ? requestOf(schedule) : FRESH)
  const [kind, setKind] = useState<"definitionId" | "jobType">(schedule?.jobType ? "jobType" : "definitionId")
  const [input, setInput] = useState(jsonText(schedule?.input ?? {}))
  const parsed = parseJson(input)
  const set = (change: Partial<ScheduleRequest>) => setDraft({ ...draft, ...change })
  const save = useMutation({
    mutationFn: async () => {
      if (kind === "definitionId") await expectDefinition(draft.definitionId ?? "")
      const { definitionId, jobType, ...rest } = draft
      const target = kind === "jobType" ? { jobType } : { definitionId }
      const request = { ...rest, ...target, input: parsed.value as Record<string, unknown> }
      return schedule ? replaceSchedule(schedule.id, request) : createSchedule(id, request)
    },
    onSuccess: () => {
      say(schedule ? `Changed ${id}` : `Made ${id}`)
      onClose()
    },
    onSettled: refreshLive,
  })
  const faultOf = (name: string) =>
    save.error instanceof ApiError ? save.error.violations.find(({ path }) => path === `$.${name}`)?.message : undefined
  return (
    <ActionDialog
      title={schedule ? `Change ${schedule.id}` : "New schedule"}
      verb="Save"
      wide
      busy={save.isPending}
      disabled={parsed.error !== undefined}
      error={save.error}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Id"
          error={faultOf("id")}
          required
          disabled={schedule !== undefined}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <TextField
          label="Cron expression"
          error={faultOf("cron")}
          required
          value={draft.cron}
          onChange={(event) => set({ cron: event.target.value })}
          hint="minute hour day month weekday, such as 30 2 * * *"
        />
        <TextField
          label="Time zone"
          error={faultOf("timezone")}
          value={draft.timezone ?? ""}
          onChange={(event) => set({ timezone: event.target.value })}
          hint="such as Europe/Berlin"
        />
        <SelectField label="It starts" value={kind} onChange={(event) => setKind(event.target.value as typeof kind)}>
          <option value="definitionId">a workflow</option>
          <option value="jobType">a job</option>
        </SelectField>
        <TextField
          label={kind === "jobType" ? "Job type" : "Definition"}
          required
          value={draft[kind] ?? ""}
          onChange={(event) => set({ [kind]: event.target.value })}
        />
        <SelectField
          label="When the last run still goes"
          value={draft.overlap}
          onChange={(event) => set({ overlap: event.target.value as "skip" })}
        >
          {Object.entries(OVERLAPS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Ticks missed while the engine was down"
          value={draft.catchUp}
          onChange={(event) => set({ catchUp: event.target.value as "last" })}
        >
          {Object.entries(CATCH_UPS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <CheckField
          label="Switched on"
          className="self-end pb-2"
          checked={draft.enabled ?? true}
          onChange={(event) => set({ enabled: event.target.checked })}
        />
      </div>
      <AreaField
        label={kind === "jobType" ? "Payload (JSON)" : "Variables (JSON)"}
        rows={5}
        value={input}
        error={parsed.error}
        onChange={(event) => setInput(event.target.value)}
      />
    </ActionDialog>
  )
}
