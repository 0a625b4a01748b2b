// An instance in a row: a link by what people call it, below it the other names that it has, and at the head of the column what they mean.
import { Link } from "@tanstack/react-router"
import { useId } from "react"
import { cx } from "../classes.ts"
import { type InstanceNames, keyOf, NAME_KINDS, namesOf, namesText, otherNames } from "./instance-names.ts"

interface Called extends InstanceNames {
  readonly id: string
}

interface Props {
  readonly instance: Called
  /** The step that is selected there. */
  readonly step?: string | undefined
  /** Where the link is that of its row. */
  readonly "data-row"?: string
}

export function InstanceLink({ instance, step, ...row }: Props) {
  const key = keyOf(instance)
  const others = namesText(otherNames(instance))
  const title = [...namesOf(instance).map(({ label, value }) => `${label}: ${value}`), `Id: ${instance.id}`].join("\n")
  return (
    <span className="block min-w-0" title={title}>
      <Link
        to="/instances/$instanceId"
        params={{ instanceId: instance.id }}
        search={{ step }}
        className={cx("block truncate", key === undefined ? "font-mono text-xs" : "font-medium")}
        {...row}
      >
        {key ?? instance.id}
      </Link>
      {others !== "" && <span className="text-muted block truncate text-xs">{others}</span>}
    </span>
  )
}

/** For the head of the column. A press opens it also where nothing can be pointed at. */
export function InstanceHead() {
  const id = useId()
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        className="cursor-help decoration-dotted underline underline-offset-2"
        title="What an instance is called by"
      >
        Instance
      </button>
      <div
        id={id}
        popover="auto"
        className="border-line bg-surface text-text m-auto max-w-sm rounded-lg border p-4 text-sm font-normal whitespace-normal shadow-xl"
      >
        <p className="mb-2">An instance is called by its key, else by its business key, else by its id.</p>
        <dl className="flex flex-col gap-2">
          {NAME_KINDS.map(({ label, about }) => (
            <div key={label}>
              <dt className="font-medium">{label}</dt>
              <dd className="text-muted">{about}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  )
}
