// The tasks of a page: name, whose, since when, and when due.
import type { UserTask } from "../../api/user-tasks.ts"
import { cx } from "../../kit/classes.ts"
import { Badge, type Tone } from "../../kit/status.tsx"
import { Ago, useNow } from "../../kit/time.tsx"

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
            aria-current={task.id === chosen || undefined}
            onClick={() => onOpen(task.id)}
            className={cx(
              "flex w-full flex-col gap-1 px-4 py-2.5 text-left",
              task.id === chosen ? "bg-accent-soft" : "hover:bg-sunken",
            )}
          >
            <span className="flex w-full items-baseline justify-between gap-2">
              <span className="min-w-0 truncate font-medium">{task.name}</span>
              <span className="text-muted text-xs">
                <Ago at={task.completedAt ?? task.createdAt} />
              </span>
            </span>
            <span className="text-muted flex w-full flex-wrap items-center gap-2 text-xs">
              <span className="truncate">{task.definitionId}</span>
              {task.assignee ? (
                <Badge tone="info">{task.assignee}</Badge>
              ) : (
                task.assigneeGroup && <Badge>{task.assigneeGroup}</Badge>
              )}
              <Due task={task} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
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
