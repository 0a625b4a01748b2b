// One task: what it is about, and the form that completes it.
import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { queryClient, refreshLive } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { claimUserTask, completeUserTask, type UserTask, userTaskQuery } from "../../api/user-tasks.ts"
import type { JsonSchema } from "../../forms/json-schema.ts"
import { SchemaForm } from "../../forms/schema-form.tsx"
import { useSchemaForm } from "../../forms/use-schema-form.ts"
import { Button } from "../../kit/button.tsx"
import { Json } from "../../kit/json.tsx"
import { Card } from "../../kit/page.tsx"
import { ErrorNote, Loaded } from "../../kit/states.tsx"
import { Status } from "../../kit/status.tsx"
import { Ago, durationText, fullTime, useNow } from "../../kit/time.tsx"
import { say } from "../../kit/toast.tsx"
import { Due } from "./task-list.tsx"

const NO_FORM: JsonSchema = {}

interface Props {
  readonly id: string
  readonly me: string
  /** Opens the next task of the list. */
  readonly onNext: () => void
}

export function OpenTask({ id, me, onNext }: Props) {
  const query = useQuery({ ...userTaskQuery(id), meta: { live: true } })
  return (
    <Card className="self-start">
      <Loaded query={query}>
        {(task) => (
          <div className="flex flex-col gap-4 pt-1">
            <Head task={task} />
            {task.status === "OPEN" ? <Work task={task} me={me} onNext={onNext} /> : <Done task={task} />}
            <details open={task.status !== "OPEN"}>
              <summary className="text-muted font-medium">Variables of the instance</summary>
              <Json value={task.variables} label="variables" className="mt-2" />
            </details>
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Head({ task }: { readonly task: UserTask }) {
  return (
    <div className="flex flex-col gap-1">
      <h2 className="flex flex-wrap items-center gap-2 text-base font-semibold">
        {task.name} <Status of={task.status} /> <Due task={task} />
      </h2>
      <p className="text-muted">
        <Link to="/definitions/$definitionId" params={{ definitionId: task.definitionId }}>
          {task.definitionId}
        </Link>
        {" · "}
        <Link to="/instances/$instanceId" params={{ instanceId: task.instanceId }}>
          instance {task.instanceId}
        </Link>
        {task.status === "OPEN" && <Waiting since={task.createdAt} />}
        {task.assignee && ` · claimed by ${task.assignee}`}
        {!task.assignee && task.assigneeGroup && ` · for ${task.assigneeGroup}`}
      </p>
    </div>
  )
}

const Waiting = ({ since }: { readonly since: string }) => (
  <span title={fullTime(since)}> · waiting for {durationText(Math.max(0, useNow() - Date.parse(since)))}</span>
)

const Done = ({ task }: { readonly task: UserTask }) => (
  <p className="text-muted">
    {task.status === "COMPLETED" ? "Completed" : "Cancelled"} <Ago at={task.completedAt} />
    {task.completedBy && ` by ${task.completedBy}`}.
  </p>
)

function Work({ task, me, onNext }: { readonly task: UserTask; readonly me: string; readonly onNext: () => void }) {
  const mayWrite = useMay("tasks:write")
  const settle = () =>
    Promise.all([refreshLive(), queryClient.invalidateQueries({ queryKey: ["instance", task.instanceId] })])
  const claim = useMutation({
    mutationFn: () => claimUserTask(task.id, me),
    onSuccess: () => say(`Claimed ${task.name}`),
    onSettled: settle,
  })
  const complete = useMutation({
    mutationFn: (_next: boolean) =>
      completeUserTask(task.instanceId, task.stepId, {
        ...(me === "" ? {} : { completedBy: me }),
        variables: form.value,
      }),
    onSuccess: (_answer, next) => {
      say(`Completed ${task.name}`)
      if (next) onNext()
    },
    onSettled: settle,
  })
  const form = useSchemaForm(task.form ?? NO_FORM, complete.error, task.variables)
  const send = (next: boolean) => void (form.check() && complete.mutate(next))
  if (!mayWrite) return <p className="text-muted">This key may look at tasks, but not complete them.</p>
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        send(true)
      }}
    >
      <div ref={form.fields}>
        <SchemaForm schema={task.form ?? NO_FORM} value={form.value} onChange={form.setValue} errors={form.errors} />
      </div>
      <ErrorNote error={form.message ?? claim.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={complete.isPending}>
          Complete and next
        </Button>
        <Button disabled={complete.isPending} onClick={() => send(false)}>
          Complete
        </Button>
        {!task.assignee && (
          <Button
            disabled={me === ""}
            title={me === "" ? "Say who you are first, above" : undefined}
            busy={claim.isPending}
            onClick={() => claim.mutate()}
          >
            Claim
          </Button>
        )}
      </div>
    </form>
  )
}
