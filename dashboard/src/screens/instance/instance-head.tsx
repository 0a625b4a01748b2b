// The head of an instance: what it is, how it stands, and what can be done to it.
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { type Instance, isLive } from "../../api/instances.ts"
import { Button } from "../../kit/button.tsx"
import { CopyButton } from "../../kit/json.tsx"
import { Page } from "../../kit/page.tsx"
import { Status } from "../../kit/status.tsx"
import { Ago, durationText, useNow } from "../../kit/time.tsx"
import type { Ask } from "./dialogs/dialogs.tsx"
import type { PossibleActions } from "./possible-actions.ts"

interface Props {
  readonly instance: Instance
  /** Of the definition, once it is read. */
  readonly name: string | undefined
  readonly actions: PossibleActions
  readonly ask: Ask
  readonly children: ReactNode
}

export function InstanceHead({ instance, name, actions, ask, children }: Props) {
  return (
    <Page
      title={name ?? instance.definitionId}
      crumbs={<Link to="/instances">Instances</Link>}
      actions={<Actions actions={actions} ask={ask} />}
    >
      <Facts instance={instance} />
      {children}
    </Page>
  )
}

/** What ends a wait or a failure is offered where that is told, right below. */
const Actions = ({ actions, ask }: Pick<Props, "actions" | "ask">) =>
  actions.cancel && (
    <Button look="danger" title="Cancel the instance (c)" onClick={() => ask("cancel")}>
      Cancel
    </Button>
  )

function Facts({ instance }: { readonly instance: Instance }) {
  const { definitionId, definitionVersion, businessKey, parentId, priority, id } = instance
  return (
    <dl className="border-line bg-surface grid grid-cols-2 gap-x-6 gap-y-3 rounded-lg border px-4 py-3 sm:flex sm:flex-wrap">
      <Fact name="Status">
        <Status of={instance.status} />
      </Fact>
      <Fact name="Definition">
        <Link
          to="/definitions/$definitionId"
          params={{ definitionId }}
          search={{ version: String(definitionVersion) }}
          className="break-all"
        >
          {definitionId} v{definitionVersion}
        </Link>
      </Fact>
      {businessKey !== undefined && (
        <Fact name="Business key">
          <span className="break-all">{businessKey}</span>
        </Fact>
      )}
      <Fact name="Started">
        <Ago at={instance.startedAt} />
      </Fact>
      {instance.completedAt !== undefined && (
        <Fact name="Ended">
          <Ago at={instance.completedAt} />
        </Fact>
      )}
      <Fact name={isLive(instance) ? "Running for" : "Took"}>
        <Lasted instance={instance} />
      </Fact>
      <Fact name="Priority">{priority}</Fact>
      {parentId !== undefined && (
        <Fact name="Parent">
          <Link to="/instances/$instanceId" params={{ instanceId: parentId }} className="font-mono text-xs break-all">
            {parentId}
          </Link>
        </Fact>
      )}
      <Fact name="Id">
        <span className="font-mono text-xs break-all">{id}</span>
        <CopyButton text={id} label="Copy the id" className="-my-1" />
      </Fact>
    </dl>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="min-w-0 max-sm:last:col-span-2">
    <dt className="text-muted text-xs">{name}</dt>
    <dd className="flex min-h-6 items-center">{children}</dd>
  </div>
)

function Lasted({ instance }: { readonly instance: Instance }) {
  const now = useNow()
  const end = instance.completedAt === undefined ? now : Date.parse(instance.completedAt)
  return <span className="whitespace-nowrap">{durationText(end - Date.parse(instance.startedAt))}</span>
}
