// The head of an instance: what it is, how it stands, and what can be done to it.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { WaitingReason } from "../../api/instance.ts"
import { type Instance, isLive } from "../../api/instances.ts"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { CopyButton } from "../../kit/json.tsx"
import { keyOf, namesOf } from "../../kit/names/instance-names.ts"
import { Page } from "../../kit/page.tsx"
import { Standing, Status } from "../../kit/status.tsx"
import { Ago, durationText, timeOfDay, useNow } from "../../kit/time.tsx"
import type { Ask } from "./dialogs/dialogs.tsx"
import type { PossibleActions } from "./possible-actions.ts"

interface Props {
  readonly instance: Instance
  /** The name of the definition, once it is read. */
  readonly name: string | undefined
  readonly reasons: readonly WaitingReason[]
  readonly actions: PossibleActions
  readonly ask: Ask
  readonly children: ReactNode
}

/** Its title is what people call it by: the key where it has one, else the name of its definition. */
export function InstanceHead({ instance, name, reasons, actions, ask, children }: Props) {
  const kind = name ?? instance.definitionId
  const key = keyOf(instance)
  return (
    <Page
      title={key ?? kind}
      crumbs={
        <>
          <Link to="/instances">Instances</Link>
          {key !== undefined && (
            <>
              {" / "}
              <Link to="/instances" search={{ definitionId: instance.definitionId }}>
                <Words text={kind} />
              </Link>
            </>
          )}
        </>
      }
      actions={<Actions actions={actions} ask={ask} />}
    >
      <Facts instance={instance} reasons={reasons} />
      {children}
    </Page>
  )
}

/** Actions that end a wait or a failure are not here but below, next to its description. */
const Actions = ({ actions, ask }: Pick<Props, "actions" | "ask">) => (
  <>
    {actions.restart && (
      <Button title="Start a new instance in its place" onClick={() => ask("restart")}>
        Restart…
      </Button>
    )}
    {actions.cancel && (
      <Button look="danger" title="Cancel the instance (c)" onClick={() => ask("cancel")}>
        Cancel
      </Button>
    )}
  </>
)

function Facts({ instance, reasons }: Pick<Props, "instance" | "reasons">) {
  const { definitionId, definitionVersion, priority, id } = instance
  return (
    <dl className="border-line bg-surface grid grid-cols-2 gap-x-6 gap-y-3 rounded-lg border px-4 py-3 sm:flex sm:flex-wrap">
      <Fact name="Status">
        <HowItStands instance={instance} reasons={reasons} />
      </Fact>
      <Fact name="Definition">
        <Link
          to="/definitions/$definitionId"
          params={{ definitionId }}
          search={{ version: String(definitionVersion) }}
          className="flex max-w-full min-w-0 gap-1.5"
        >
          <CutName text={definitionId} /> v{definitionVersion}
        </Link>
      </Fact>
      {namesOf(instance).map(({ label, about, value }) => (
        <Fact key={label} name={label} about={about}>
          <CutName text={value} />
          <CopyButton text={value} label={`Copy the ${label.toLowerCase()}`} className="-my-1" />
        </Fact>
      ))}
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
      {relativesOf(instance).map(([name, relative]) => (
        <Fact key={name} name={name}>
          <InstanceLink id={relative} />
        </Fact>
      ))}
      <Fact name="Id">
        <span className="font-mono text-xs break-all">{id}</span>
        <CopyButton text={id} label="Copy the id" className="-my-1" />
      </Fact>
    </dl>
  )
}

/** Other instances that it has to do with. What a restart has made is no child of what it was made from. */
const relativesOf = ({
  parentId,
  restartOf,
  restartedAs,
  undoneBy,
}: Instance): readonly (readonly [string, string])[] =>
  [
    ["Parent", restartOf === undefined ? parentId : undefined] as const,
    ["Restart of", restartOf] as const,
    ["Restarted as", restartedAs] as const,
    ["Undone by", undoneBy] as const,
  ].flatMap(([name, id]) => (id === undefined ? [] : [[name, id] as const]))

const InstanceLink = ({ id }: { readonly id: string }) => (
  <Link to="/instances/$instanceId" params={{ instanceId: id }} className="font-mono text-xs break-all">
    {id}
  </Link>
)

/** A run that sleeps says until when, in the place where one looks first. */
function HowItStands({ instance, reasons }: Pick<Props, "instance" | "reasons">) {
  const now = useNow()
  const sleep = reasons.find(({ kind }) => kind === "sleep")
  if (!sleep) return <Status of={instance.status} />
  return <Standing tone="calm">sleeping until {timeOfDay(String(sleep.detail.dueAt), now)}</Standing>
}

interface FactProps {
  readonly name: string
  /** What the name means. */
  readonly about?: string
  readonly children: ReactNode
}

/** What has a meaning of its own is a name of any length: on a phone it has a line for itself. */
const Fact = ({ name, about, children }: FactProps) => (
  <div
    className={cx("max-w-full min-w-0 sm:max-w-96 max-sm:last:col-span-2", about !== undefined && "max-sm:col-span-2")}
  >
    <dt className="text-muted text-xs" title={about}>
      {about === undefined ? (
        name
      ) : (
        <>
          <span className="decoration-dotted underline underline-offset-2">{name}</span>
          <span className="sr-only">. {about}</span>
        </>
      )}
    </dt>
    <dd className="flex min-h-6 min-w-0 items-center">{children}</dd>
  </div>
)

function Lasted({ instance }: { readonly instance: Instance }) {
  const now = useNow()
  const end = instance.completedAt === undefined ? now : Date.parse(instance.completedAt)
  return <span className="whitespace-nowrap">{durationText(end - Date.parse(instance.startedAt))}</span>
}
