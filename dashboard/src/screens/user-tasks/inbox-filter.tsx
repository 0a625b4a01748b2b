// Whose tasks are shown: everybody's, mine, a group's, or those that are done.
import { getRouteApi } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import type { UserTaskFilter } from "../../api/user-tasks.ts"
import { Button } from "../../kit/button.tsx"
import { SelectField, TextField } from "../../kit/fields/fields.tsx"
import { Card } from "../../kit/page.tsx"
import type { UserTaskSearch } from "./search.ts"

const route = getRouteApi("/user-tasks")

interface Props {
  readonly filter: UserTaskFilter
  readonly me: string
  readonly onMe: (name: string) => void
}

export function InboxFilter({ filter, me, onMe }: Props) {
  const navigate = route.useNavigate()
  const [group, setGroup] = useState(filter.group ?? "")
  const show = (search: UserTaskSearch) => void navigate({ search })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    show({ ...currentOf(filter), group: group.trim() || undefined })
  }
  return (
    <Card>
      <form onSubmit={submit} className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
        <TextField label="I am" placeholder="your name" value={me} onChange={(event) => onMe(event.target.value)} />
        <SelectField
          label="Status"
          value={filter.status ?? "OPEN"}
          onChange={(event) => show({ ...currentOf(filter), status: closedStatus(event.target.value) })}
        >
          <option value="OPEN">Open</option>
          <option value="COMPLETED">Completed</option>
          <option value="CANCELLED">Cancelled</option>
        </SelectField>
        <TextField label="Group" value={group} onChange={(event) => setGroup(event.target.value)} onBlur={submit} />
        <Button
          aria-pressed={filter.assignee !== undefined && filter.assignee === me}
          disabled={me === ""}
          title={me === "" ? "Say who you are first" : undefined}
          look={filter.assignee !== undefined && filter.assignee === me ? "primary" : "plain"}
          onClick={() => show({ ...currentOf(filter), assignee: filter.assignee === me ? undefined : me })}
        >
          Only mine
        </Button>
        <Button type="submit">Filter</Button>
      </form>
    </Card>
  )
}

const closedStatus = (text: string): UserTaskSearch["status"] =>
  text === "COMPLETED" || text === "CANCELLED" ? text : undefined

/** Another filter begins at the first page. */
const currentOf = ({ status, assignee, group }: UserTaskFilter): UserTaskSearch => ({
  status: closedStatus(status ?? ""),
  assignee,
  group,
})
