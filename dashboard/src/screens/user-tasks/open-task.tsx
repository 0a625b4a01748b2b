// One task: what it is about, the form that completes it, whose it is, and its context.
import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { ApiError } from "../../api/http.ts"
import { queryClient, refreshLive } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { completeUserTask, type UserTask, userTaskQuery } from "../../api/user-tasks.ts"
import { SchemaForm } from "../../forms/schema-form.tsx"
import { taskForm } from "../../forms/task-form.ts"
import { useSchemaForm } from "../../forms/use-schema-form.ts"
import { Button } from "../../kit/button.tsx"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { namesOf } from "../../kit/names/instance-names.ts"
import { Card } from "../../kit/page.tsx"
import { ErrorNote, Loaded } from "../../kit/states.tsx"
import { Status } from "../../kit/status.tsx"
import { durationText, fullTime, useNow } from "../../kit/time.tsx"
import { say } from "../../kit/toast.tsx"
import { Assignment } from "./assignment.tsx"
import { Context } from "./context.tsx"
import { EndedTask } from "./ended-task.tsx"
import { Due } from "./task-list.tsx"

interface Props {
  readonly id: string
  readonly me: string
  /** Opens the next task of the list. */
  readonly onNext: () => void
}

export function OpenTask({ id, me, onNext }: Props) {
  const query = useQuery({ ...userTaskQuery(id), meta: { live: true } })
  return (
    <Card className="w-full">
      <Loaded query={query}>
        {(task) => (
          <div className="flex flex-col gap-4 pt-1">
            <Head task={task} />
            <div className="grid items-start gap-x-8 gap-y-4 2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <Body task={task} me={me} onNext={onNext} />
              <Context task={task} />
            </div>
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Head({ task }: { readonly task: UserTask }) {
  const names = namesOf(task)
  return (
    <div className="flex flex-col gap-1">
      <h2 className="flex flex-wrap items-center gap-2 text-lg font-semibold">
        <Words text={task.name} /> <Status of={task.status} /> <Due task={task} />
      </h2>
      {names.length > 0 && (
        <dl className="flex flex-wrap gap-x-4">
          {names.map(({ label, about, value }) => (
            <div key={label} className="flex max-w-full min-w-0 items-baseline gap-1.5" title={about}>
              <dt className="text-muted text-xs whitespace-nowrap decoration-dotted underline underline-offset-2">
                {label}
              </dt>
              <dd className="min-w-0">
                <CutName text={value} className="font-medium" />
              </dd>
            </div>
          ))}
        </dl>
      )}
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
        {task.dueAt && ` · due ${fullTime(task.dueAt)}`}
      </p>
    </div>
  )
}

const Waiting = ({ since }: { readonly since: string }) => (
  <span title={fullTime(since)}> · waiting for {durationText(Math.max(0, useNow() - Date.parse(since)))}</span>
)

/** Form and call outlive the end of the task: what was typed must not vanish with it. */
function Body({ task, me, onNext }: { readonly task: UserTask; readonly me: string; readonly onNext: () => void }) {
  const settle = () =>
    Promise.all([refreshLive(), queryClient.invalidateQueries({ queryKey: ["instance", task.instanceId] })])
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
  const schema = useMemo(() => taskForm(task), [task])
  const form = useSchemaForm(schema, complete.error, task.variables)
  const [untouched] = useState(form.value)
  if (task.status === "OPEN")
    return (
      <Work task={task} me={me} form={form} onChanged={settle} isBusy={complete.isPending} onSend={complete.mutate} />
    )
  const isUnused = complete.isError || (complete.isIdle && form.value !== untouched)
  const isUnsure = complete.isError && !isRefusal(complete.error)
  return <EndedTask task={task} unused={isUnused ? { values: form.value, isUnsure } : undefined} />
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500

interface WorkProps {
  readonly task: UserTask
  readonly me: string
  readonly form: ReturnType<typeof useSchemaForm>
  readonly isBusy: boolean
  readonly onChanged: () => Promise<unknown>
  readonly onSend: (next: boolean) => void
}

function Work({ task, me, form, isBusy, onChanged, onSend }: WorkProps) {
  const mayWrite = useMay("tasks:write")
  const send = (next: boolean) => void (form.check() && onSend(next))
  if (!mayWrite) return <p className="text-muted">This key may look at tasks, but not complete them.</p>
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Assignment task={task} me={me} onChanged={onChanged} />
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          send(true)
        }}
      >
        <div ref={form.fields}>
          <SchemaForm schema={form.schema} value={form.value} onChange={form.setValue} errors={form.errors} />
        </div>
        <ErrorNote error={form.message} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={isBusy}>
            Complete and next
          </Button>
          <Button disabled={isBusy} onClick={() => send(false)}>
            Complete
          </Button>
        </div>
      </form>
    </div>
  )
}
