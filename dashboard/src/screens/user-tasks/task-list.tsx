// The tasks of a page: what each is, what it is about, whose it is, since when, and when it is due.
import type { UserTask } from "../../api/user-tasks.ts"
import { cx } from "../../kit/classes.ts"
import { CutName } from "../../kit/cut-text.tsx"
import { keyOf, namesText, otherNames } from "../../kit/names/instance-names.ts"
import { Badge, type Tone } from "../../kit/status.tsx"
import { Ago, useNow } from "../../kit/time.tsx"
import { aboutOf, useChoices } from "./about.ts"

interface Props {
  readonly items: readonly UserTask[]
  readonly chosen: string | undefined
  readonly onOpen: (id: string) => void
}

export function TaskList({ items, chosen, onOpen }: Props) {
  return (
    <ul aria-label="Tasks" className="divide-line divide-y">
      {items.map((task) => (
        <li key={task.id}>
          <button
            type="button"
            data-task={task.id}
            aria-current={task.id === chosen || undefined}
            onClick={() => onOpen(task.id)}
            className={cx(
              "flex w-full flex-col gap-0.5 border-l-2 px-4 py-2 text-left",
              task.id === chosen ? "border-accent bg-accent-soft" : "hover:bg-sunken border-transparent",
            )}
          >
            <span className="flex w-full items-baseline justify-between gap-2">
              <span className="min-w-0 truncate font-medium">{task.name}</span>
              <span className="text-muted shrink-0 text-xs">
                <Ago at={task.completedAt ?? task.createdAt} />
              </span>
            </span>
            <About task={task} />
            <OtherNames task={task} />
            <span className="text-muted flex w-full flex-wrap items-center gap-2 text-xs">
              <Whose task={task} />
              <Due task={task} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The key by which people know it, and the variables that were chosen; without any, the definition says what it is. */
function About({ task }: { readonly task: UserTask }) {
  const facts = aboutOf(task, useChoices())
  const key = keyOf(task)
  if (key === undefined && facts.length === 0)
    return <span className="text-muted w-full truncate text-xs">{task.definitionId}</span>
  return (
    <span className="flex w-full min-w-0 items-baseline gap-2 overflow-hidden text-xs">
      {key !== undefined && (
        <span className="max-w-1/2 shrink-0">
          <CutName text={key} className="font-medium" />
        </span>
      )}
      <span className="text-muted min-w-0 truncate">
        {facts.map(({ name, value }) => `${name} ${value}`).join(" · ")}
      </span>
    </span>
  )
}

function OtherNames({ task }: { readonly task: UserTask }) {
  const names = namesText(otherNames(task))
  return names !== "" && <span className="text-muted w-full truncate text-xs">{names}</span>
}

function Whose({ task: { assignee, assigneeGroup } }: { readonly task: UserTask }) {
  if (assignee !== undefined) return <Badge tone="info">{assignee}</Badge>
  return assigneeGroup === undefined ? <span>for anyone</span> : <Badge>{assigneeGroup}</Badge>
}

const SOON_MS = 3_600_000

/** Calm while there is time. */
export const dueTone = (leftMs: number): Tone => (leftMs < 0 ? "bad" : leftMs < SOON_MS ? "warn" : "calm")

export function Due({ task: { dueAt, status } }: { readonly task: UserTask }) {
  const now = useNow()
  if (dueAt === undefined || status !== "OPEN") return null
  const left = Date.parse(dueAt) - now
  const isLate = left < 0
  return (
    <Badge tone={dueTone(left)}>
      {isLate ? "overdue since" : "due"} <Ago at={dueAt} />
    </Badge>
  )
}
